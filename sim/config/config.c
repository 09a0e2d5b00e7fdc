/* config.c -- the keys of every section, declared once, and what must agree between them.
 *
 * Reading, help and the limits all come from these tables. Defaults are those of the field's own
 * simulations, so that an unset key gives a result that can be compared: DCTCP with RFC 8257's and
 * RFC 6928's values, the minimum timeout of the TCN study (Bai et al., CoNEXT 2016). */
#include "sim/config/config.h"
#include "sim/config/card.h"
#include "sim/config/fabric.h"
#include "sim/config/plugin.h"
#include "sim/config/specs.h"
#include "sim/config/tune.h"
#include "weir/buffer.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest time anyone may write: keeps sums of a few times far from the end of int64. */
#define LONGEST_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define LONGEST_TIMEOUT_PS ((uint64_t)(100 * WEIR_PS_PER_S))
#define SHORTEST_TIMEOUT_PS ((uint64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)

#define ALPHA_MAX_Q32 (128 * WEIR_ONE_Q32)
#define FIRST_BYTES_MAX (UINT64_C(1000) * 1000 * 1000 * 1000) /* as large as a flow may be */
#define ACK_CLASS_DATA "data"

enum {
	FRAME_MAX_BYTES = 9216, /* a jumbo frame; packets keep 16 bits for their size */
	HEADER_MAX_BYTES = 1024,
	WINDOW_MAX_PKTS = 1000 * 1000,
	TSO_MAX_BYTES = 1000 * 1000,
};

_Static_assert(FRAME_MAX_BYTES <= UINT16_MAX, "struct weir_packet counts its bytes in 16 bits");
_Static_assert(WEIR_BUFFER_PER_QUEUE == 0 && WEIR_BUFFER_PER_PORT == 1 &&
		       WEIR_BUFFER_PER_SWITCH == 2,
	       "the order of buffer_choices");

static const char *const ecmp_choices[] = { "flow", "packet", NULL };
static const char *const buffer_choices[] = { "queue", "port", "switch", NULL };
static const char *const non_ect_choices[] = { "drop", "pass", NULL };
static const char *const loss_choices[] = { "auto", "dupack", "rack", NULL };
static const char *const recovery_choices[] = { "prr", "immediate", NULL };
static const char *const class_choices[] = { "flow", "sender", "receiver", "pair", NULL };
static const char *const connection_choices[] = { "per-flow", "persistent", NULL };

#define AT(member) offsetof(struct network_config, member)
const struct weir_option network_options[] = {
	{ "topology", WEIR_OPT_KIND, AT(topology), NULL, 0, 0, "who is linked with whom", NULL },
	{ "ecmp", WEIR_OPT_CHOICE, AT(ecmp), "flow", 0, 1,
	  "among equally short paths a choice is made once per flow or for every packet",
	  ecmp_choices },
	{ "reroute-delay", WEIR_OPT_TIME_PS, AT(reroute_delay_ps), "0us", 0, LONGEST_PS,
	  "time from a link's failure until senders use other paths", NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct switch_config, member)
const struct weir_option switch_options[] = {
	{ "marking", WEIR_OPT_SPEC, AT(marking), "ecn", 0, 0,
	  "when a packet is marked: a marking scheme with its options", marking_specs.kind },
	{ "scheduler", WEIR_OPT_SPEC, AT(scheduler), "fifo", 0, 0,
	  "which queue of a port is served next: a scheduler with its options",
	  scheduler_specs.kind },
	{ "queues", WEIR_OPT_COUNT, AT(queues), "1", 1, WEIR_QUEUES_MAX,
	  "queues of each port; a packet's class is the number of its queue", NULL },
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
	{ "fabric", WEIR_OPT_SPEC, AT(fabric), "none", 0, 0,
	  "flow control between switches that knows flows or destinations: a fabric scheme "
	  "with its options",
	  fabric_specs.kind },
	{ "ethernet-overhead", WEIR_OPT_FLAG, AT(ethernet_overhead), "no", 0, 1,
	  "count preamble, delimiter and gap (20 B) and a minimum frame of 64 B on the wire",
	  NULL },
	{ "non-ect", WEIR_OPT_CHOICE, AT(non_ect), "drop", 0, 1,
	  "what a mark does to a packet that is not ECN-capable", non_ect_choices },
	{ "tune", WEIR_OPT_SPEC, AT(tune), "none", 0, 0,
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
	{ "cc", WEIR_OPT_SPEC, AT(cc), "dctcp", 0, 0,
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
	{ "card", WEIR_OPT_SPEC, AT(card), "fair", 0, 0,
	  "how a host's packets get to its line: a card with its options", card_specs.kind },
	{ "tso", WEIR_OPT_BYTES, AT(tso_bytes), "0B", 0, TSO_MAX_BYTES,
	  "payload of one connection that leaves the card back to back before another one's turn "
	  "(segmentation offload; 64KB in Linux); 0B: a packet each",
	  NULL },
	{ .name = NULL },
};
#undef AT

static const char *const rdma_recovery_choices[] = { "go-back-n", "selective", NULL };
static const char *const window_choices[] = { "network", "pair", NULL };

#define AT(member) offsetof(struct rdma_config, member)
const struct weir_option rdma_options[] = {
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1000B", 1, FRAME_MAX_BYTES - 1,
	  "payload of a full packet", NULL },
	{ "header", WEIR_OPT_BYTES, AT(header_bytes), "48B", 1, HEADER_MAX_BYTES,
	  "header of every packet and all of an ACK or notification", NULL },
	{ "int-header", WEIR_OPT_BYTES, AT(int_bytes), "42B", 0, HEADER_MAX_BYTES,
	  "what packets carry more where switches write into them: five hops of 8 B and 2 B (HPCC, "
	  "SIGCOMM 2019)",
	  NULL },
	{ "int-flows", WEIR_OPT_FLAG, AT(int_flows), "no", 0, 1,
	  "switches also write down how many flows pass the port (FDCC, section 3.5)", NULL },
	{ "acks-per", WEIR_OPT_COUNT, AT(acks_per), "1", 1, UINT8_MAX,
	  "data packets that one ACK answers; a change of the CE mark is answered at once", NULL },
	{ "max-window", WEIR_OPT_SIZE, AT(max_window_bytes), "unlimited", 1, UINT64_MAX,
	  "most that a queue pair may have in flight, whatever its control says", NULL },
	{ "recovery", WEIR_OPT_CHOICE, AT(recovery), "go-back-n", 0, 1,
	  "after a loss everything from the lost packet on is sent again, or only what is missing "
	  "(Mittal et al., IRN, SIGCOMM 2018)",
	  rdma_recovery_choices },
	{ "cnp-interval", WEIR_OPT_TIME_PS, AT(cnp_interval_ps), "50us", 0, LONGEST_TIMEOUT_PS,
	  "a receiver answers marked packets of a flow with a notification at most this often "
	  "(DCQCN, SIGCOMM 2015)",
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
	{ "pattern", WEIR_OPT_KIND, AT(pattern), NULL, 0, 0, "who sends to whom, and when", NULL },
	{ "cc", WEIR_OPT_SPEC, AT(cc), NULL, 0, 0,
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
	  "with first-bytes it is first-class, as hosts that count what they sent would tag them",
	  NULL },
	{ "first-bytes", WEIR_OPT_BYTES, AT(first_bytes), "0B", 0, FIRST_BYTES_MAX,
	  "packets that start within these first bytes of a flow, or of each message on a "
	  "persistent connection, have first-class (PIAS with two priorities, Bai et al., NSDI "
	  "2015); 0B: none",
	  NULL },
	{ "first-class", WEIR_OPT_COUNT, AT(first_class), "0", 0, WEIR_QUEUES_MAX - 1,
	  "class of the first-bytes", NULL },
	{ "slack", WEIR_OPT_TIME_PS, AT(slack_ps), "0us", 0, LONGEST_PS,
	  "how long a data packet may wait on its way; schedulers that rank packets by slack look "
	  "at it, others do not; ACKs have none",
	  NULL },
	{ "slack-per-kb", WEIR_OPT_TIME_PS, AT(slack_per_kb_ps), "0us", 0, LONGEST_PS,
	  "and this for each 1000 bytes of its flow, so that short flows go first (Mittal et al., "
	  "NSDI 2016)",
	  NULL },
	{ "connections", WEIR_OPT_CHOICE, AT(connections), "per-flow", 0, 1,
	  "a new connection for every flow, or flows of a pair as messages on one that stays open",
	  connection_choices },
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
	line_list_free(&c->measure.probes);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		line_list_free(&c->traffic[i].flow_lines);
	free(c->traffic);
	memset(c, 0, sizeof(*c));
}

struct traffic_config *config_add_traffic(struct config *c, const char *name)
{
	struct traffic_config *grown, *t;

	grown = realloc(c->traffic, (c->traffic_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	c->traffic = grown;
	t = &grown[c->traffic_count++];
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	weir_options_default(t, traffic_options);
	return t;
}

int line_list_add(struct line_list *list, const char *text, int line)
{
	struct config_line *grown = list->lines;
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	if (!copy)
		return -1;
	memcpy(copy, text, size);
	/* Room doubles: grow whenever the count is a power of two. */
	if ((list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? (size_t)list->count * 2 : 1;

		grown = realloc(list->lines, room * sizeof(*grown));
		if (!grown) {
			free(copy);
			return -1;
		}
		list->lines = grown;
	}
	grown[list->count++] = (struct config_line){ .text = copy, .line = line };
	return 0;
}

/* A value as its user would write it, for messages. */
struct shown {
	char text[WEIR_OPT_TEXT_SIZE];
};

static struct shown show(const struct weir_option *table, const char *key, const void *params)
{
	struct shown s;

	weir_option_format(s.text, sizeof(s.text), weir_option_find(table, key), params);
	return s;
}

/* The queues and the scheduler of a port: those of the settings, or of a scheme that brings its own. */
static int check_queues(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	struct weir_mark_layout own = { .queues = (uint32_t)s->queues };

	if (!c->mark->layout) {
		c->queues = (uint32_t)s->queues;
		if (any_sched_parse(s->scheduler, c->queues, &c->sched, c->sched_params, e))
			return weir_error_prefix(e, "switch.scheduler: ");
		if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_ROUNDS &&
		    !c->sched->quantum)
			return weir_error_set(
				e,
				"switch.marking: %s measures the rounds of a scheduler, "
				"and %s has none; take dwrr or wrr",
				c->mark->scheme.name, c->sched->scheme.name);
		return 0;
	}
	c->mark->layout(c->mark_params, &own);
	own.scheduler[sizeof(own.scheduler) - 1] = '\0';
	if (own.queues < 1 || own.queues > WEIR_QUEUES_MAX)
		return weir_error_set(
			e, "switch.marking: %s wants %" PRIu32 " queues; allowed are 1 to %d",
			c->mark->scheme.name, own.queues, WEIR_QUEUES_MAX);
	c->queues = own.queues;
	if (s->queues != 1)
		return weir_error_set(e,
				      "switch.queues: %" PRIu64
				      ", but %s lays out its ports itself, with "
				      "%" PRIu32 " queues and %s; leave queues out",
				      s->queues, c->mark->scheme.name, own.queues, own.scheduler);
	if (any_sched_parse(s->scheduler, 1, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.scheduler: ");
	if (any_sched_parse(own.scheduler, own.queues, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.marking: %s: ", c->mark->scheme.name);
	return 0;
}

static int lossless_error(const struct switch_config *s, struct weir_error *e)
{
	return weir_error_set(
		e, "switch.lossless: '%.100s'; it is none, all, or classes as in 0:3, up to %d",
		s->lossless, WEIR_PFC_CLASSES - 1);
}

/* Which classes are lossless, as bits. */
static int check_lossless(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	const char *text = s->lossless;

	c->lossless = 0;
	c->pfc = (struct weir_pfc_params){ s->pfc_alpha_q32, s->pfc_reserved_bytes,
					   s->pfc_margin_bytes };
	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "all") == 0) {
		if (s->queues > WEIR_PFC_CLASSES)
			return weir_error_set(
				e,
				"switch.lossless: all, but a port has %" PRIu64
				" queues and only %d classes can be paused; name them",
				s->queues, WEIR_PFC_CLASSES);
		c->lossless = (1u << s->queues) - 1;
	} else {
		for (; *text; text++) {
			uint32_t class_id = (uint32_t)(*text - '0');

			if (class_id >= WEIR_PFC_CLASSES || (text[1] && text[1] != ':'))
				return lossless_error(s, e);
			if (class_id >= s->queues)
				return weir_error_set(e,
						      "switch.lossless: class %" PRIu32
						      ", but a port has switch.queues = %" PRIu64
						      "; classes count from 0",
						      class_id, s->queues);
			c->lossless |= 1u << class_id;
			text += text[1] == ':';
			if (!*text)
				return lossless_error(s, e);
			if (*text == ':' && !text[1])
				return lossless_error(s, e);
		}
	}
	if (s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.lossless: %s, but pauses are decided by the memory of a "
			"whole switch; set buffer-per = switch",
			s->lossless);
	if (s->pfc_headroom_bytes && s->pfc_headroom_bytes < c->frame_max_bytes)
		return weir_error_set(
			e,
			"switch.pfc-headroom: %s holds no packet, and without headroom a "
			"lossless class loses what comes after a pause; one takes %uB; 0B: as "
			"much as rate, delay and frame size make necessary",
			show(switch_options, "pfc-headroom", s).text, c->frame_max_bytes);
	return c->sched->halt || c->queues == 1
		       ? 0
		       : weir_error_set(e, "switch.lossless: queues of %s cannot be paused",
					c->sched->scheme.name);
}

static int check_switch(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	uint64_t frame = c->frame_max_bytes;
	struct shown buffer = show(switch_options, "buffer", s);
	int bytes = !weir_length_is_packets(s->buffer);

	if (any_mark_parse(s->marking, &c->mark, c->mark_params, e))
		return weir_error_prefix(e, "switch.marking: ");
	if (check_queues(c, e) || check_lossless(c, e) || fabric_check(c, e) || tune_check(c, e))
		return -1;
	if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_POOL &&
	    s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.marking: %s looks at the buffer pool of the switch; there is "
			"one only with buffer-per = switch",
			weir_quote(s->marking).text);
	if (!bytes && s->buffer_per == WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.buffer: %s, but a pool of the whole switch (buffer-per = "
			"switch) counts bytes; write it as in 12MB",
			buffer.text);
	if (bytes && s->buffer < frame)
		return weir_error_set(e,
				      "switch.buffer: %s holds no packet; one takes %" PRIu64 "B "
				      "(host.mss + host.header)",
				      buffer.text, frame);
	return 0;
}

static int check_host(struct config *c, struct weir_error *e)
{
	const struct host_config *h = &c->host;

	if (any_cc_parse(h->cc, &c->cc, c->cc_params, e))
		return weir_error_prefix(e, "host.cc: ");
	if (h->mss_bytes + h->header_bytes > FRAME_MAX_BYTES)
		return weir_error_set(
			e,
			"host.mss: %s with a header of %s is %" PRIu64 "B; a frame has at "
			"most %dB",
			show(host_options, "mss", h).text, show(host_options, "header", h).text,
			h->mss_bytes + h->header_bytes, FRAME_MAX_BYTES);
	if (h->max_window_bytes < h->mss_bytes)
		return weir_error_set(e,
				      "host.max-window: %s; at least one host.mss of %s is needed",
				      show(host_options, "max-window", h).text,
				      show(host_options, "mss", h).text);
	if (h->tail_probe && !config_has_rack(c))
		return weir_error_set(
			e,
			"host.tail-probe: yes, but one answer to a probe proves nothing "
			"with loss-detection = %s; take rack or auto",
			show(host_options, "loss-detection", h).text);
	if (h->rto_min_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-min: %s; at most rto-max = %s",
				      show(host_options, "rto-min", h).text,
				      show(host_options, "rto-max", h).text);
	if (h->rto_initial_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-initial: %s; at most rto-max = %s",
				      show(host_options, "rto-initial", h).text,
				      show(host_options, "rto-max", h).text);
	return 0;
}

/* Where packets are ranked a class may be a rank, and the last queue takes all classes beyond it; unless
 * classes are paused, each of which needs a queue of its own. */
static int classes_may_share(const struct config *c)
{
	return c->sched->rank && !c->lossless;
}

/* Classes count from 0, and one that no queue has is refused. */
static int check_class(const struct config *c, const struct traffic_config *t, const char *key,
		       uint64_t class_id, struct weir_error *e)
{
	if (classes_may_share(c) || class_id < c->switches.queues)
		return 0;
	return weir_error_set(e,
			      "traffic.%s.%s: %" PRIu64 ", but a port has switch.queues = %" PRIu64
			      "; classes count from 0",
			      t->name, key, class_id, c->switches.queues);
}

static int check_ack_class(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	static const struct weir_option number = { "class", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	uint64_t class_id;

	t->ack_class_plus_one = 0;
	if (strcmp(t->ack_class, ACK_CLASS_DATA) == 0)
		return 0;
	if (weir_option_parse(&class_id, &number, t->ack_class, e))
		return weir_error_set(e, "traffic.%s.ack-class: %s; a class, 0 to %d, or %s",
				      t->name, weir_quote(t->ack_class).text, WEIR_QUEUES_MAX - 1,
				      ACK_CLASS_DATA);
	t->ack_class_plus_one = class_id + 1;
	return check_class(c, t, "ack-class", class_id, e);
}

static int check_classes(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	int share = classes_may_share(c);
	uint64_t classes = share ? WEIR_QUEUES_MAX : c->switches.queues;

	if (check_class(c, t, "class", t->class_id, e))
		return -1;
	if (t->class_id + t->classes > classes)
		return weir_error_set(e,
				      "traffic.%s.classes: %" PRIu64 " from class %" PRIu64
				      " on, but %s %" PRIu64 "; classes count from 0",
				      t->name, t->classes, t->class_id,
				      share ? "there are" : "a port has switch.queues =", classes);
	if (check_class(c, t, "first-class", t->first_class, e))
		return -1;
	if (t->first_bytes && t->classes == 1 && t->first_class == t->class_id)
		return weir_error_set(e,
				      "traffic.%s.first-bytes: %s of class %" PRIu64
				      ", which all other bytes have too; give another class or "
				      "first-class",
				      t->name, show(traffic_options, "first-bytes", t).text,
				      t->first_class);
	return check_ack_class(c, t, e);
}

static int check_traffic(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	if (check_classes(c, t, e))
		return -1;
	t->app_rate_bps = t->ops->app_rate_bps ? t->ops->app_rate_bps(t->params) : 0;
	if (t->ops->is_endless && t->ops->is_endless(t->params) && c->measure.to_ps == 0)
		return weir_error_set(
			e,
			"measure.to: not given, but flows of traffic.%s are unlimited; write "
			"to = 100ms, say",
			t->name);
	return 0;
}

static int check_measure(const struct config *c, struct weir_error *e)
{
	const struct measure_config *m = &c->measure;

	if (m->to_ps != 0 && m->from_ps >= m->to_ps)
		return weir_error_set(e, "measure.to: %s; must be after from = %s",
				      show(measure_options, "to", m).text,
				      show(measure_options, "from", m).text);
	if (m->small_bytes > m->large_bytes)
		return weir_error_set(e, "measure.small: %s; at most large = %s",
				      show(measure_options, "small", m).text,
				      show(measure_options, "large", m).text);
	return 0;
}

/* What the control of a traffic section runs over decides the size of its packets. */
static void note_transport(struct config *c, const struct weir_cc_ops *cc)
{
	uint64_t frame = c->host.mss_bytes + c->host.header_bytes, header = c->host.header_bytes;

	if (cc->transport == WEIR_CC_RDMA) {
		header = c->rdma.header_bytes;
		if (cc->needs & WEIR_CC_NEEDS_INT) {
			header += c->rdma.int_bytes;
			c->telemetry = 1;
		}
		frame = c->rdma.mtu_bytes + header;
	}
	if (frame > c->frame_max_bytes)
		c->frame_max_bytes = (uint32_t)frame;
	if (header < c->frame_min_bytes)
		c->frame_min_bytes = (uint32_t)header;
}

static int check_transports(struct config *c, struct weir_error *e)
{
	c->frame_max_bytes = c->telemetry = 0;
	c->frame_min_bytes = UINT32_MAX;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct traffic_config *t = &c->traffic[i];

		t->cc_ops = NULL;
		if (t->cc[0] && any_cc_parse(t->cc, &t->cc_ops, t->cc_params, e))
			return weir_error_prefix(e, "traffic.%s.cc: ", t->name);
		note_transport(c, traffic_cc(c, i));
	}
	if (c->traffic_count == 0)
		note_transport(c, c->cc);
	if (c->frame_max_bytes > FRAME_MAX_BYTES)
		return weir_error_set(
			e, "rdma.mtu: %s with its headers is %uB; a frame has at most %dB",
			show(rdma_options, "mtu", &c->rdma).text, c->frame_max_bytes,
			FRAME_MAX_BYTES);
	return 0;
}

/* What goes with switches that write into packets. */
static int check_telemetry(const struct config *c, struct weir_error *e)
{
	if (!c->telemetry || (!c->sched->rank && !c->mark->layout))
		return 0;
	return weir_error_set(e,
			      "switch.%s: packets into which switches write (cc = %s) do not go "
			      "with %s",
			      c->sched->rank ? "scheduler" : "marking", c->cc->scheme.name,
			      c->sched->rank ? c->sched->scheme.name : c->mark->scheme.name);
}

int config_check(struct config *c, struct weir_error *e)
{
	if (check_host(c, e) || check_transports(c, e) || check_switch(c, e) ||
	    check_telemetry(c, e) || card_check(c, e) || check_measure(c, e))
		return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (check_traffic(c, &c->traffic[i], e))
			return -1;
	if (c->traffic_count == 0)
		return weir_error_set(
			e, "traffic: no flow anywhere; add a section such as [traffic web]");
	return 0;
}
