/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c -- the keys of a real switch's file that scenarios have not, declared once. See
 * settings.h. */
#include "switch/run/settings.h"
#include "weir/units.h"

#define LONGEST_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define RATE_MAX_BPS (UINT64_C(400) * 1000 * 1000 * 1000)

enum { BUFFERS_MAX = 1 << 20, RING_MAX = 1 << 16 };

static const char *const unknown_choices[] = { "flood", "drop", NULL };
static const char *const urgent_choices[] = { "no", "nice", "realtime", NULL };
static const char *const dscp_form[] = { "DSCP CLASS, or FIRST-LAST CLASS", NULL };
static const char *const probe_form[] = { "WHAT PORT every TIME", NULL };
static const char *const address_form[] = { "02:00:00:00:00:01", NULL };

#define AT(member) offsetof(struct real_settings, member)
const struct weir_option real_options[] = {
	{ "backend", WEIR_OPT_TEXT, AT(backend), "packet", 0, 0,
	  "how frames are read and sent: packet, the packet sockets of Linux, or xdp, AF_XDP, for "
	  "interfaces whose driver can; it does not know when frames came, and sums and tags are "
	  "left to nobody",
	  NULL },
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1500B", 68, FRAME_MAX_BYTES - 64,
	  "what a frame may carry behind its addresses, tags and type; longer ones are dropped and "
	  "counted. Cards and veth pairs that leave cutting to later (TSO, GSO, GRO) give longer "
	  "ones: turn that off with ethtool -K",
	  NULL },
	{ "buffers", WEIR_OPT_COUNT, AT(buffers), "16384", 64, BUFFERS_MAX,
	  "frames that may be in the switch at a time, waiting or on its lines; what comes when "
	  "all are in use is dropped and counted",
	  NULL },
	{ "ring", WEIR_OPT_COUNT, AT(ring_frames), "2048", 64, RING_MAX,
	  "frames of each interface that may wait until the switch looks at them", NULL },
	{ "learn", WEIR_OPT_FLAG, AT(learn), "yes", 0, 1,
	  "who is behind which port is learnt from what comes in there; addresses that a port "
	  "names are never learnt otherwise",
	  NULL },
	{ "age", WEIR_OPT_TIME_PS, AT(age_ps), "300s", WEIR_PS_PER_S, LONGEST_PS,
	  "how long an address that was learnt is remembered after it was last seen", NULL },
	{ "unknown", WEIR_OPT_CHOICE, AT(unknown), "flood", 0, 1,
	  "what becomes of frames for hosts that are behind no port known: flood, to all other "
	  "ports, or drop",
	  unknown_choices },
	{ "dscp", WEIR_OPT_LINES, AT(dscps), NULL, 0, 0,
	  "class of packets by their differentiated-services code point (RFC 2474), as in: 46 1, "
	  "or "
	  "8-15 2; all others, and what is not IP, are of class 0",
	  dscp_form },
	{ "catch-up", WEIR_OPT_TIME_PS, AT(catch_up_ps), "1ms", 0, WEIR_PS_PER_S,
	  "a switch that was held up by its machine makes good this much of it, by sending what "
	  "its lines could have sent; the rest is lost time",
	  NULL },
	{ "rtt", WEIR_OPT_TIME_NS, AT(rtt_ns), "0us", 0, WEIR_NS_PER_S,
	  "base round-trip time, for schemes that want to know; 0us: what rates and delays of the "
	  "two slowest ports add up to",
	  NULL },
	{ "urgent", WEIR_OPT_CHOICE, AT(urgent), "realtime", 0, 2,
	  "how much the switch goes before other programs of the machine: realtime (it runs as "
	  "soon "
	  "as there is something to do; SCHED_FIFO), nice (-20), or no. What the kernel refuses is "
	  "left out",
	  urgent_choices },
	{ "threads", WEIR_OPT_COUNT, AT(threads), "1", 1, REAL_THREADS_MAX,
	  "how many threads forward: ports are divided among them in the order of the file, and "
	  "what "
	  "comes in at a port of one and leaves by one of another is handed over. More than one is "
	  "of use where the machine has cores to spare; not with switch.tune, buffer-per = switch "
	  "or cables between parts",
	  NULL },
	{ "socket", WEIR_OPT_TEXT, AT(socket), NULL, 0, 0,
	  "where 'weir switch status' and others reach it; /run/weir-NAME.sock unless given, NAME "
	  "being that of the file",
	  NULL },
	{ "prometheus", WEIR_OPT_COUNT, AT(prometheus), "0", 0, UINT16_MAX,
	  "port of 127.0.0.1 where Prometheus may read what is counted; 0: none", NULL },
	{ "probe", WEIR_OPT_LINES, AT(probes), NULL, 0, 0,
	  "a quantity over time that results keep, as in: queue b every 10ms. WHAT is queue, "
	  "queue-bytes, throughput, marks or drops of a port",
	  probe_form },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct port_settings, member)
const struct weir_option real_port_options[] = {
	{ "interface", WEIR_OPT_TEXT, AT(interface), NULL, 0, 0,
	  "network interface; the one that is called as the port is, unless given", NULL },
	{ "rate", WEIR_OPT_RATE_BPS, AT(rate_bps), "100Mbps", 1000 * 1000, RATE_MAX_BPS,
	  "of the port's line; queues form where more comes than that. The wire behind it must be "
	  "faster",
	  NULL },
	{ "delay", WEIR_OPT_TIME_PS, AT(delay_ps), "0us", 0, 10 * WEIR_PS_PER_S,
	  "of the port's line: frames leave so long after their last byte has passed it", NULL },
	{ "part", WEIR_OPT_TEXT, AT(part), NULL, 0, 0,
	  "which switch the port belongs to, by a name, where one file holds several: each has its "
	  "own addresses and pool, and frames go from one to another by ports with to",
	  NULL },
	{ "to", WEIR_OPT_TEXT, AT(to), NULL, 0, 0,
	  "a port of another part that a cable inside leads to, in place of an interface; that "
	  "port "
	  "says the same of this one, and both have a delay",
	  NULL },
	{ "address", WEIR_OPT_LINES, AT(addresses), NULL, 0, 0,
	  "of a host behind the port; may be given several times. One that several ports name is "
	  "reached by all of them, and its flows are spread",
	  address_form },
	{ .name = NULL },
};
#undef AT
