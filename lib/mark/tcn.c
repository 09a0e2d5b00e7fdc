/* tcn.c -- mark a packet that waited longer than a fixed time.
 *
 * Bai, Chen, Chen, Kim, Wu, "Enabling ECN over Generic Packet Scheduling", CoNEXT 2016, section 4.1:
 * mark at departure iff sojourn > T, T = RTT x lambda. No state: whatever share of the line the
 * scheduler gave the queue, the time in it says what its length meant. The default is what DCTCP's
 * 65 packets of 1500 B take at 10 Gb/s. */
#include "weir/mark.h"
#include "weir/units.h"

struct tcn_params {
	uint64_t threshold_ns;
};

static const struct option tcn_options[] = {
	{ "threshold", OPT_TIME_NS, offsetof(struct tcn_params, threshold_ns), "78us", 0, NS_PER_S,
	  "packets are marked that queued longer than this", NULL },
	{ .name = NULL },
};

static uint32_t tcn_dequeue(void *state, const void *params, const struct mark_view *v)
{
	const struct tcn_params *p = params;

	(void)state;
	return v->sojourn_ns > (int64_t)p->threshold_ns ? MARK_CE : MARK_PASS;
}

const struct mark_ops mark_tcn = {
	.name = "tcn",
	.help = "marks packets that queued longer than a fixed time",
	.cite = "Bai et al., Enabling ECN over Generic Packet Scheduling, CoNEXT 2016",
	.params_size = sizeof(struct tcn_params),
	.options = tcn_options,
	.reasons = { "sojourn" },
	.dequeue = tcn_dequeue,
};
