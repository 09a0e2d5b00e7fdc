/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c -- the option tables of all sections, and a config with their defaults.
 *
 * Parsing, help and limits follow from these tables. Defaults are those of published simulations,
 * so that results with unset keys are comparable: DCTCP with the values of RFC 8257 and RFC 6928,
 * the minimum timeout of the TCN study (Bai et al., CoNEXT 2016). */
#include "config/config.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/schemes.h"
#include "weir/buffer.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest time in a setting: sums of a few times stay far below the end of int64. */
#define LONGEST_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define JITTER_MOST_PS ((uint64_t)(1000 * 1000 * WEIR_PS_PER_NS)) /* fits 32 bits */
#define LONGEST_TIMEOUT_PS ((uint64_t)(100 * WEIR_PS_PER_S))
#define SHORTEST_TIMEOUT_PS ((uint64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)

#define ALPHA_MAX_Q32 (128 * WEIR_ONE_Q32)
#define FIRST_BYTES_MAX (UINT64_C(1000) * 1000 * 1000 * 1000) /* as large as a flow may be */

enum {
	HEADER_MAX_BYTES = 1024,
	WINDOW_MAX_PKTS = 1000 * 1000,
	TSO_MAX_BYTES = 1000 * 1000,
};

_Static_assert(WEIR_BUFFER_PER_QUEUE == 0 && WEIR_BUFFER_PER_PORT == 1 &&
		       WEIR_BUFFER_PER_SWITCH == 2,
	       "the order of buffer_choices");

static const char *const ecmp_choices[] = { "flow", "packet", NULL };
static const char *const buffer_choices[] = { "queue", "port", "switch", NULL };
static const char *const non_ect_choices[] = { "drop", "pass", NULL };
static const char *const loss_choices[] = { "auto", "dupack", "rack", NULL };
static const char *const arbitration_choices[] = { "arrival", "round-robin", NULL };
static const char *const completion_choices[] = { "receiver", "sender", NULL };
static const char *const unfinished_choices[] = { "skip", "part", NULL };
static const char *const recovery_choices[] = { "prr", "immediate", NULL };
static const char *const class_choices[] = { "flow", "sender", "receiver", "pair", NULL };
static const char *const kept_choices[] = { "all", "none", NULL };
static const char *const connection_choices[] = { "auto", "per-flow", "persistent", NULL };

/* The form of a line of repeatable keys. */
static const char *const probe_form[] = { "WHAT TARGET [every TIME]", NULL };
static const char *const fail_form[] = { "NODE NODE TIME", NULL };
static const char *const marking_form[] = { "name(option=value, ...)", NULL };

#define AT(member) offsetof(struct network_config, member)
const struct weir_option network_options[] = {
	{ "topology", WEIR_OPT_SELECTOR, AT(topology), NULL, 0, 0, "who is linked with whom",
	  NULL },
	{ "ecmp", WEIR_OPT_CHOICE, AT(ecmp), "flow", 0, 1,
	  "among equally short paths a choice is made once per flow or for every packet",
	  ecmp_choices },
	{ "reroute-delay", WEIR_OPT_TIME_PS, AT(reroute_delay_ps), "0us", 0, LONGEST_PS,
	  "time from a link's failure until senders use other paths", NULL },
	{ "fail", WEIR_OPT_LINES, AT(fails), NULL, 0, 0,
	  "a cable that is cut, as in: leaf0 spine1 10ms", fail_form },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct switch_config, member)
const struct weir_option switch_options[] = {
	{ "marking", WEIR_OPT_SCHEME, AT(marking), "ecn", 0, 0,
	  "when a packet is marked: a marking scheme with its options", marking_specs.kind },
	{ MARKING_PART_KEY, WEIR_OPT_LINES, AT(markings), NULL, 0, 0,
	  "the same where it is another scheme, one that is built in. PART is a traffic section "
	  "(the "
	  "classes of its packets), the number of a class, a rate, a tier of switches, or several "
	  "of these: marking.storage, marking.0, marking.100Gbps, marking.leaf, "
	  "marking.storage.spine. Where several hold, the one that says most counts; of those that "
	  "say equally much, a class before a tier before a rate",
	  marking_form },
	{ "scheduler", WEIR_OPT_SCHEME, AT(scheduler), "fifo", 0, 0,
	  "which queue of a port is served next: a scheduler with its options",
	  scheduler_specs.kind },
	{ "queues", WEIR_OPT_COUNT, AT(queues), "1", 1, WEIR_QUEUES_MAX,
	  "queues of each port; a packet's class is the number of its queue", NULL },
	{ "dscp-map", WEIR_OPT_TEXT, AT(dscp_map), NULL, 0, 0,
	  "class of packets by the DSCP that they carry, as SONiC's DSCP_TO_TC_MAP has it: "
	  "26:3 48:6 8-15:1 default:0; what it does not name has the default class, 0 unless "
	  "given. With it every traffic section has a dscp and leaves class out; not given: "
	  "sections name their class",
	  NULL },
	{ "buffer", WEIR_OPT_LENGTH, AT(buffer), "1000pkts", 1, UINT32_MAX,
	  "what may wait, not counting the packet on the wire", NULL },
	{ "buffer-per", WEIR_OPT_CHOICE, AT(buffer_per), "port", 0, 2,
	  "who has a buffer of that size: each queue, each port for all its queues first come "
	  "first served, or each switch as a pool under dynamic thresholds",
	  buffer_choices },
	{ "dt-alpha", WEIR_OPT_FRACTION_Q32, AT(dt_alpha_q32), "1", WEIR_ONE_Q32 / 256,
	  ALPHA_MAX_Q32,
	  "with buffer-per = switch a queue may hold this many times the free buffer "
	  "(Choudhury and Hahne 1998)",
	  NULL },
	{ "lossless", WEIR_OPT_TEXT, AT(lossless), "none", 0, 0,
	  "classes whose senders are paused (PFC, IEEE 802.1Qbb) before a packet would be lost: "
	  "none, all, or their numbers as in 0:3; needs buffer-per = switch",
	  NULL },
	{ "pfc-alpha", WEIR_OPT_FRACTION_Q32, AT(pfc_alpha_q32), "1/8", WEIR_ONE_Q32 / 256,
	  ALPHA_MAX_Q32,
	  "a lossless class of an input is paused when it has more than this many times the free "
	  "shared buffer (1/8: HPCC; 1/16: FDCC, section 3.3)",
	  NULL },
	{ "pfc-reserved", WEIR_OPT_BYTES, AT(pfc_reserved_bytes), "4KB", 0, UINT32_MAX,
	  "buffer of its own for each lossless class of each input", NULL },
	{ "pfc-margin", WEIR_OPT_BYTES, AT(pfc_margin_bytes), "3KB", 0, UINT32_MAX,
	  "how far below the threshold a paused class must be before it goes on", NULL },
	{ "pfc-headroom", WEIR_OPT_BYTES, AT(pfc_headroom_bytes), "0B", 0, UINT32_MAX,
	  "buffer of each lossless class of each input for what comes after a pause; 0B: as much "
	  "as rate, delay and frame size make necessary",
	  NULL },
	{ "fabric", WEIR_OPT_SCHEME, AT(fabric), "none", 0, 0,
	  "flow control between switches that knows flows or destinations: a fabric scheme "
	  "with its options",
	  fabric_specs.kind },
	{ "ethernet-overhead", WEIR_OPT_FLAG, AT(ethernet_overhead), "no", 0, 1,
	  "count preamble, delimiter and gap (20 B) and a minimum frame of 64 B on the wire",
	  NULL },
	{ "non-ect", WEIR_OPT_CHOICE, AT(non_ect), "drop", 0, 1,
	  "what a mark does to a packet that is not ECN-capable", non_ect_choices },
	{ "tune", WEIR_OPT_SCHEME, AT(tune), "none", 0, 0,
	  "who turns the knobs of the marking scheme (min, max and slope of red or pred), queue by "
	  "queue: an agent or a tuner with its options, or none",
	  tune_specs.kind },
	{ "tune-interval", WEIR_OPT_TIME_NS, AT(tune_interval_ns), "0us", 0, TUNE_LONGEST_NS,
	  "time between two decisions, at least 1us; 0us: what the agent wants, for a tuner 5 base "
	  "round-trip times",
	  NULL },
	{ "tune-read-delay", WEIR_OPT_SPAN_PS, AT(tune_read_delay), "0us", 0,
	  TUNE_LONGEST_NS *WEIR_PS_PER_NS,
	  "from the end of an interval until the agent knows of it: one time, or drawn between two",
	  NULL },
	{ "tune-write-delay", WEIR_OPT_SPAN_PS, AT(tune_write_delay), "0us", 0,
	  TUNE_LONGEST_NS *WEIR_PS_PER_NS, "from its decision until that is in force, likewise",
	  NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct host_config, member)
const struct weir_option host_options[] = {
	{ "cc", WEIR_OPT_SCHEME, AT(cc), "dctcp", 0, 0,
	  "how a sender reacts: a congestion control with its options", cc_specs.kind },
	{ "mss", WEIR_OPT_BYTES, AT(mss_bytes), "1460B", 1, FRAME_MAX_BYTES - 1,
	  "payload of a full packet", NULL },
	{ "header", WEIR_OPT_BYTES, AT(header_bytes), "54B", 1, HEADER_MAX_BYTES,
	  "header of every packet and all of an ACK: Ethernet 14, IP 20, TCP 20", NULL },
	{ "initial-window", WEIR_OPT_COUNT, AT(initial_window_pkts), "10", 1, WINDOW_MAX_PKTS,
	  "packets that a new connection may send at once (RFC 6928)", NULL },
	{ "max-window", WEIR_OPT_SIZE, AT(max_window_bytes), "unlimited", 1, UINT64_MAX,
	  "most that may be in flight: the receiver's window", NULL },
	{ "acks-per", WEIR_OPT_COUNT, AT(acks_per), "1", 1, UINT8_MAX,
	  "data packets that one ACK answers; a change of the CE mark is answered at once "
	  "(RFC 8257, section 3.2)",
	  NULL },
	{ "ack-delay", WEIR_OPT_TIME_PS, AT(ack_delay_ps), "500us", WEIR_PS_PER_NS,
	  LONGEST_TIMEOUT_PS, "an ACK held back for more packets leaves after this", NULL },
	{ "rto-min", WEIR_OPT_TIME_PS, AT(rto_min_ps), "5ms", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS, "shortest retransmission timeout (5 ms: the TCN study, CoNEXT 2016)",
	  NULL },
	{ "rto-initial", WEIR_OPT_TIME_PS, AT(rto_initial_ps), "10ms", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS, "timeout before the first sample of the round-trip time", NULL },
	{ "rto-max", WEIR_OPT_TIME_PS, AT(rto_max_ps), "1s", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS, "timeouts double up to this (RFC 6298, section 5.5)", NULL },
	{ "processing-delay", WEIR_OPT_TIME_PS, AT(processing_delay_ps), "0us", 0,
	  (uint64_t)WEIR_PS_PER_S, "from the wire to the transport, for each packet that comes in",
	  NULL },
	{ "jitter", WEIR_OPT_TIME_AUTO_PS, AT(jitter_ps), "auto", 0, JITTER_MOST_PS,
	  "each packet that a host sends arrives later by a random time below this, in order; "
	  "auto: a "
	  "twelfth of a full packet's time on the hosts' links, at least 20ns; 0ns: hosts in "
	  "lockstep, which starves flows at drop-tail queues and is for comparison with closed "
	  "forms",
	  NULL },
	{ "recovery", WEIR_OPT_CHOICE, AT(recovery), "immediate", 0, 1,
	  "how a window is cut: at once (RFC 8257), or spread over a round trip "
	  "(prr, RFC 6937, Linux)",
	  recovery_choices },
	{ "loss-detection", WEIR_OPT_CHOICE, AT(loss_detection), "auto", 0, 2,
	  "a packet is lost when three later ones have arrived (dupack, RFC 6675), or when a "
	  "later one has and a round trip and a reordering window have passed (rack, RFC 8985); "
	  "auto: rack where network.ecmp = packet or tail-probe = yes, else dupack",
	  loss_choices },
	{ "tail-probe", WEIR_OPT_FLAG, AT(tail_probe), "no", 0, 1,
	  "two round trips without an ACK make a sender send its last packet again, so that the "
	  "loss of those before it shows without a timeout (RFC 8985, section 7); needs rack",
	  NULL },
	{ "handshake", WEIR_OPT_FLAG, AT(handshake), "no", 0, 1,
	  "a connection starts with SYN and SYN-ACK instead of data; both are ECN-capable where "
	  "every mark is echoed, as under dctcp (RFC 8257, section 3.5)",
	  NULL },
	{ "ecn-acks", WEIR_OPT_FLAG, AT(ecn_acks), "yes", 0, 1,
	  "ACKs are ECN-capable where data is, as Linux sends them with DCTCP; RFC 3168 says no, "
	  "and then a queue that marks drops them",
	  NULL },
	{ "idle-restart", WEIR_OPT_FLAG, AT(idle_restart), "no", 0, 1,
	  "a connection that rested for longer than its timeout begins again with no more than the "
	  "initial window (RFC 5681, section 4.1; Linux by default halves the window for each "
	  "timeout that passed, down to that)",
	  NULL },
	{ "card", WEIR_OPT_SCHEME, AT(nic), "fair", 0, 0,
	  "how a host's packets get to its line: a card with its options", nic_specs.kind },
	{ "arbitration", WEIR_OPT_CHOICE, AT(arbitration), "arrival", 0, 1,
	  "which connection card = fair serves next: the one that has been ready longest, where "
	  "one just served is ready again at once (arrival), or round robin among those ready when "
	  "the line becomes free, so that a paced queue pair whose time comes while a packet "
	  "leaves "
	  "goes before the connection that sent it (round-robin, as in HPCC's ns-3)",
	  arbitration_choices },
	{ "tso", WEIR_OPT_BYTES, AT(tso_bytes), "0B", 0, TSO_MAX_BYTES,
	  "payload of one connection that leaves the card back to back before another one's turn "
	  "(segmentation offload; 64KB in Linux); 0B: a packet each",
	  NULL },
	{ .name = NULL },
};
#undef AT

static const char *const rdma_recovery_choices[] = { "auto", "go-back-n", "selective", NULL };
static const char *const rdma_loss_choices[] = { "auto", "order", "time", NULL };
static const char *const int_flows_choices[] = { "no", "yes", "exact", NULL };
static const char *const window_choices[] = { "network", "pair", NULL };

#define AT(member) offsetof(struct rdma_config, member)
const struct weir_option rdma_options[] = {
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1000B", 1, FRAME_MAX_BYTES - 1,
	  "payload of a full packet", NULL },
	{ "header", WEIR_OPT_BYTES, AT(header_bytes), "48B", 1, HEADER_MAX_BYTES,
	  "header of every packet", NULL },
	{ "ack-size", WEIR_OPT_BYTES, AT(ack_bytes), "0B", 0, HEADER_MAX_BYTES,
	  "all of an ACK or notification but what int-header adds; 0B: as header. HPCC's ns-3 pads "
	  "ACKs to 60B, the shortest Ethernet frame without its checksum",
	  NULL },
	{ "int-header", WEIR_OPT_BYTES, AT(int_bytes), "42B", 0, HEADER_MAX_BYTES,
	  "what packets carry more where switches write into them: five hops of 8 B and 2 B (HPCC, "
	  "SIGCOMM 2019)",
	  NULL },
	{ "int-flows", WEIR_OPT_CHOICE, AT(int_flows), "no", 0, 2,
	  "switches also write down how many flows pass the port (FDCC, section 3.5): those seen "
	  "in a base round trip (yes), or those whose first packet has passed and whose last has "
	  "not (exact; FDCC, Algorithm 2)",
	  int_flows_choices },
	{ "acks-per", WEIR_OPT_COUNT, AT(acks_per), "1", 1, UINT8_MAX,
	  "data packets that one ACK answers; a change of the CE mark is answered at once", NULL },
	{ "max-window", WEIR_OPT_SIZE, AT(max_window_bytes), "unlimited", 1, UINT64_MAX,
	  "most that a queue pair may have in flight, whatever its control says", NULL },
	{ "recovery", WEIR_OPT_CHOICE, AT(recovery), "auto", 0, 2,
	  "after a loss everything from the lost packet on is sent again (go-back-n), or only what "
	  "is missing (selective; Mittal et al., IRN, SIGCOMM 2018); auto: selective where losses "
	  "are detected by time or network.ecmp = packet, else go-back-n",
	  rdma_recovery_choices },
	{ "loss-detection", WEIR_OPT_CHOICE, AT(loss_detection), "auto", 0, 2,
	  "a packet is lost when later ones have arrived (order: the next one with go-back-n, "
	  "three with selective), or when a later one has and a round trip and a reordering window "
	  "have "
	  "passed (time, RFC 8985; receivers place packets out of order); auto: time where "
	  "network.ecmp = packet, else order",
	  rdma_loss_choices },
	{ "reordering-window", WEIR_OPT_TIME_PS, AT(reordering_window_ps), "0us", 0,
	  LONGEST_TIMEOUT_PS,
	  "with loss-detection = time, how much longer than a round trip a packet may take at "
	  "least before it is lost; 0us: with network.ecmp = packet a base round trip and the time "
	  "in "
	  "which a full switch port drains (IRN's RTO_high; with lossless classes, one at each "
	  "switch of the longest path), at most rto; else a quarter of the least round trip (RFC "
	  "8985)",
	  NULL },
	{ "cnp-interval", WEIR_OPT_TIME_PS, AT(cnp_interval_ps), "50us", 0, LONGEST_TIMEOUT_PS,
	  "a receiver answers marked packets of a flow with a notification at most this often "
	  "(DCQCN, SIGCOMM 2015)",
	  NULL },
	{ "cnp-dscp", WEIR_OPT_TEXT, AT(cnp_dscp), "48", 0, 0,
	  "DSCP of notifications of sections that have a dscp, and with switch.dscp-map by that "
	  "their class; otherwise they have the class of ACKs",
	  NULL },
	{ "min-rate", WEIR_OPT_RATE_BPS, AT(min_rate_bps), "100Mbps", 1000, UINT64_MAX >> 20,
	  "no queue pair sends more slowly", NULL },
	{ "rto", WEIR_OPT_TIME_PS, AT(rto_ps), "4ms", SHORTEST_TIMEOUT_PS, LONGEST_TIMEOUT_PS,
	  "retransmission timeout, doubled each time up to host.rto-max", NULL },
	{ "window-of", WEIR_OPT_CHOICE, AT(window_of), "network", 0, 1,
	  "whose base round trip and line make the bandwidth-delay product that windows "
	  "start from, and the round trip that controls reckon with: the longest path and "
	  "fastest host of the network, or the pair's own path and sender (HPCC's simulator "
	  "with GLOBAL_T = 0)",
	  window_choices },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct traffic_config, member)
const struct weir_option traffic_options[] = {
	{ "pattern", WEIR_OPT_SELECTOR, AT(pattern), NULL, 0, 0, "who sends to whom, and when",
	  NULL },
	{ "cc", WEIR_OPT_SCHEME, AT(cc), NULL, 0, 0,
	  "congestion control of these flows, where it is not host.cc", cc_specs.kind },
	{ "start", WEIR_OPT_SPAN_PS, AT(start), "0us", 0, LONGEST_PS,
	  "when flows start: one time, or somewhere between two", NULL },
	{ "class", WEIR_OPT_COUNT, AT(class_id), "0", 0, WEIR_QUEUES_MAX - 1,
	  "class of these packets: the number of their queue in every port; classes beyond the "
	  "last queue go with schedulers that rank packets",
	  NULL },
	{ "classes", WEIR_OPT_COUNT, AT(classes), "1", 1, WEIR_QUEUES_MAX,
	  "flows are spread evenly over so many classes, from class on", NULL },
	{ "class-by", WEIR_OPT_CHOICE, AT(class_by), "flow", 0, 3,
	  "what decides between these classes: flows in turn, the number of the sender or of the "
	  "receiver, or the pair of them",
	  class_choices },
	{ "ack-class", WEIR_OPT_TEXT, AT(ack_class), ACK_CLASS_DATA, 0, 0,
	  "class of ACKs: a number, or data: that of the first packet of the flow they answer, so "
	  "with first-bytes it is first-class, as hosts that count what they sent would tag them. "
	  "With data they wait behind data on their way back, as in HPCC's ns-3; a class that is "
	  "served first spares them that",
	  NULL },
	{ "first-bytes", WEIR_OPT_BYTES, AT(first_bytes), "0B", 0, FIRST_BYTES_MAX,
	  "packets that start within these first bytes of a flow, or of each message on a "
	  "persistent connection, have first-class (PIAS with two priorities, Bai et al., NSDI "
	  "2015); 0B: none",
	  NULL },
	{ "first-class", WEIR_OPT_COUNT, AT(first_class), "0", 0, WEIR_QUEUES_MAX - 1,
	  "class of the first-bytes", NULL },
	{ "dscp", WEIR_OPT_TEXT, AT(dscp), NULL, 0, 0,
	  "DSCP of these packets: 0 to 63, or cs0 to cs7, af11 to af43, ef. With switch.dscp-map "
	  "it decides their class; otherwise captures show it and nobody asks. Not given: captures "
	  "show the class in its place",
	  NULL },
	{ "first-dscp", WEIR_OPT_TEXT, AT(first_dscp), NULL, 0, 0,
	  "DSCP of the first-bytes, where it is another", NULL },
	{ "ack-dscp", WEIR_OPT_TEXT, AT(ack_dscp), NULL, 0, 0,
	  "DSCP of ACKs, where it is not that of the first packet of the flow they answer", NULL },
	{ "slack", WEIR_OPT_TIME_PS, AT(slack_ps), "0us", 0, LONGEST_PS,
	  "how long a data packet may wait on its way; schedulers that rank packets by slack look "
	  "at it, others do not; ACKs have none",
	  NULL },
	{ "slack-per-kb", WEIR_OPT_TIME_PS, AT(slack_per_kb_ps), "0us", 0, LONGEST_PS,
	  "and this for each 1000 bytes of its flow, so that short flows go first (Mittal et al., "
	  "NSDI 2016)",
	  NULL },
	{ "connections", WEIR_OPT_CHOICE, AT(connections), "auto", 0, 2,
	  "a new connection for every flow, or flows of a pair as messages on one that stays open; "
	  "auto: persistent where the pattern is an application that keeps its queue pairs "
	  "(storage without replicas, training, ring) and its control runs over RDMA, so that this "
	  "remembers from one message to the next; else per-flow",
	  connection_choices },
	{ "connections-each", WEIR_OPT_COUNT, AT(connections_each), "1", 1, CONNECTIONS_EACH_MAX,
	  "how many connections of a pair stay open, where they do; each flow takes one of them "
	  "at random",
	  NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct measure_config, member)
const struct weir_option measure_options[] = {
	{ "from", WEIR_OPT_TIME_PS, AT(from_ps), "0us", 0, LONGEST_PS,
	  "queues are measured, and flows counted that start, from here", NULL },
	{ "to", WEIR_OPT_TIME_PS, AT(to_ps), "0us", 0, LONGEST_PS,
	  "until here; 0us: until the last flow has ended", NULL },
	{ "drain", WEIR_OPT_TIME_PS, AT(drain_ps), "1s", 0, LONGEST_PS,
	  "how long after the last start, or after to, flows that count may still take", NULL },
	{ "port", WEIR_OPT_TEXT, AT(port), NULL, 0, 0,
	  "switch port whose queue is measured, as in leaf0->h3; not given: the one with the "
	  "largest mean queue",
	  NULL },
	{ "small", WEIR_OPT_BYTES, AT(small_bytes), "100KB", 1, UINT64_MAX / 2,
	  "a flow is small up to this size", NULL },
	{ "large", WEIR_OPT_BYTES, AT(large_bytes), "10MB", 1, UINT64_MAX / 2,
	  "a flow is large above this size", NULL },
	{ "completion", WEIR_OPT_CHOICE, AT(completion), "receiver", 0, 0,
	  "when a flow is complete: once its receiver has every byte, or once its sender has the "
	  "ACK of the last byte, as HPCC's ns-3 counts it. Completion times, the ideal times under "
	  "slowdowns, rounds and I/Os all use it; it changes no packet",
	  completion_choices },
	{ "unfinished", WEIR_OPT_CHOICE, AT(unfinished), "skip", 0, 1,
	  "completion times of flows that count and that the end of the run cuts off: none (skip), "
	  "or until that end, as flows of the bytes that have arrived by then (part), where their "
	  "connection is their own; they stay unfinished, and have no slowdown",
	  unfinished_choices },
	{ "sojourn", WEIR_OPT_FLAG, AT(sojourn), "no", 0, 1,
	  "count how long each packet waits at each port: metrics network_wait_p99_ns, "
	  "worst_wait_p99_ns and wait_p99_up_ns, within 1/32; costs about 8 KB for each port where "
	  "packets waited and some time, and changes nothing else",
	  NULL },
	{ "flows", WEIR_OPT_CHOICE, AT(kept_flows), "all", 0, 1,
	  "which flows a results folder keeps; none: metrics, ports and series alone, where nobody "
	  "will "
	  "ask for completion times. weir reproduce asks for none where no claim or panel reads "
	  "them",
	  kept_choices },
	{ "probe", WEIR_OPT_LINES, AT(probes), NULL, 0, 0,
	  "a quantity over time, as in: queue leaf0->h3 every 10us. WHAT is queue, queue-bytes, "
	  "throughput, marks or drops of a port (leaf0->h3, or one of its queues, leaf0->h3/2); "
	  "scheme, the values that its marking scheme, and who turns its knobs, publish; reward, "
	  "what each time was worth "
	  "by ACC's reward (metric reward); pauses of a link; throughput, "
	  "window or marks of a flow (flow:12); throughput of a section (traffic:web), or fct, the "
	  "mean completion time of its flows that ended since the last sample. Without a time, "
	  "each change of a queue",
	  probe_form },
	{ .name = NULL },
};
#undef AT

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->seed = 1;
	weir_options_default(&c->network, network_options);
	weir_options_default(&c->switches, switch_options);
	weir_options_default(&c->host, host_options);
	weir_options_default(&c->rdma, rdma_options);
	weir_options_default(&c->measure, measure_options);
}

void line_list_free(struct line_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->lines[i].text);
	free(list->lines);
}

void config_free(struct config *c)
{
	line_list_free(&c->network.links);
	line_list_free(&c->network.fails);
	line_list_free(&c->switches.markings);
	free(c->markings);
	line_list_free(&c->measure.probes);
	line_list_free(&c->real);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		line_list_free(&c->traffic[i].flow_lines);
	free(c->traffic);
	memset(c, 0, sizeof(*c));
}

struct traffic_config *config_add_traffic(struct config *c, const char *name)
{
	struct traffic_config *t;

	c->traffic = memory_grow(c->traffic, c->traffic_count + 1, sizeof(*c->traffic));
	t = &c->traffic[c->traffic_count++];
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	weir_options_default(t, traffic_options);
	return t;
}

void line_list_add(struct line_list *list, const char *text, int line)
{
	/* Room doubles: grow whenever the count is a power of two. */
	if ((list->count & (list->count - 1)) == 0)
		list->lines = memory_grow(list->lines, list->count ? list->count * UINT64_C(2) : 1,
					  sizeof(*list->lines));
	list->lines[list->count++] =
		(struct config_line){ .text = memory_text(text, strlen(text)), .line = line };
}
