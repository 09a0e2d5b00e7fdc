/* SPDX-License-Identifier: BSD-3-Clause */
/* ecn_sharp.c -- mark what waited too long now, and now and then what has been waiting all along.
 *
 * ECN#: Zhang, Bai, Chen, "Enabling ECN for Datacenter Networks with RTT Variations", CoNEXT 2019.
 * Two conditions, either of which marks a departing packet:
 *	instantaneous	it queued longer than threshold, which suits the longest round-trip times
 *			(TCN's rule);
 *	persistent	packets have queued for pst-target or longer during a whole pst-interval:
 *			one is marked, the next a pst-interval later, then pst-interval / sqrt(2)
 *			after that, pst-interval / sqrt(3), until one queues shorter. It removes
 *			the standing queue that a long threshold leaves to flows with short round
 *			trips.
 *
 * The steps run from the packet that was marked, as in the authors' simulator, so that marks which
 * came due while nothing departed are not made up for. The defaults are those of Du et al., "PRED",
 * NSDI 2025, section 6.3.1, for 10 Gb/s. */
#include "lib/mark/control_law.h"
#include "weir/mark.h"
#include "weir/units.h"

enum sharp_reason { SHARP_INSTANTANEOUS, SHARP_PERSISTENT };

struct sharp_params {
	uint64_t threshold_ns, target_ns, interval_ns;
};

struct sharp_state {
	int64_t standing_at_ns; /* an interval after the time in queue reached the target; 0: below
				 */
	int64_t mark_next_ns;   /* while marking: when the next mark is due */
	uint32_t count;         /* marks since marking began; 0: not marking */
	uint32_t unused;
};

static const struct weir_option sharp_options[] = {
	{ "threshold", WEIR_OPT_TIME_NS, offsetof(struct sharp_params, threshold_ns), "80us", 0,
	  WEIR_NS_PER_S, "packets are marked that queued longer than this", NULL },
	{ "pst-target", WEIR_OPT_TIME_NS, offsetof(struct sharp_params, target_ns), "10us", 1,
	  WEIR_NS_PER_S, "time in queue that is acceptable in the long run", NULL },
	{ "pst-interval", WEIR_OPT_TIME_NS, offsetof(struct sharp_params, interval_ns), "150us", 1,
	  WEIR_NS_PER_S,
	  "for how long it must be reached; a little above the longest round-trip time", NULL },
	{ .name = NULL },
};

static int sharp_check(const void *params, struct weir_error *e)
{
	const struct sharp_params *p = params;

	if (p->target_ns > p->threshold_ns)
		return weir_error_set(
			e, "pst-target is above threshold, so that every packet it looks at "
			   "is marked anyway");
	return 0;
}

/* Have packets queued for the target or longer during an interval? */
static int sharp_is_standing(struct sharp_state *s, const struct sharp_params *p,
			     const struct weir_mark_view *v)
{
	if (v->sojourn_ns < (int64_t)p->target_ns) {
		s->standing_at_ns = 0;
		return 0;
	}
	if (s->standing_at_ns == 0) {
		s->standing_at_ns = v->now_ns + (int64_t)p->interval_ns;
		return 0;
	}
	return v->now_ns > s->standing_at_ns;
}

/* Is a persistent mark due? Here the count is that of the marks made, so it is also what the step
 * to the next one is divided by the root of. */
static int sharp_is_due(struct sharp_state *s, const struct sharp_params *p,
			const struct weir_mark_view *v)
{
	if (!sharp_is_standing(s, p, v)) {
		s->count = 0;
		return 0;
	}
	if (s->count && v->now_ns < s->mark_next_ns)
		return 0;
	if (s->count < UINT32_MAX)
		s->count++;
	s->mark_next_ns = control_law(v->now_ns, p->interval_ns, s->count);
	return 1;
}

/* The persistent schedule goes on whether or not the packet is marked already. */
static uint32_t sharp_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct sharp_params *p = params;
	int due = sharp_is_due(state, p, v);

	if (v->sojourn_ns > (int64_t)p->threshold_ns)
		return WEIR_MARK_CE | weir_mark_reason(SHARP_INSTANTANEOUS);
	return due ? WEIR_MARK_CE | weir_mark_reason(SHARP_PERSISTENT) : WEIR_MARK_PASS;
}

static double sharp_read_count(const void *state, const void *params)
{
	const struct sharp_state *s = state;

	(void)params;
	return s->count;
}

static const struct weir_mark_value sharp_values[] = {
	{ "count", "", sharp_read_count },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_ecn_sharp = {
	.scheme = {
		.name = "ecn-sharp",
		.help = "marks packets that queued longer than a fixed time, and ever more while a shorter "
			"one is exceeded all along",
		.cite = "Zhang, Bai, Chen, Enabling ECN for Datacenter "
			"Networks with RTT Variations, CoNEXT 2019",
		.params_size = sizeof(struct sharp_params),
		.options = sharp_options,
		.check = sharp_check,
	},
	.state_size = sizeof(struct sharp_state),
	.reasons = { [SHARP_INSTANTANEOUS] = "instantaneous", [SHARP_PERSISTENT] = "persistent" },
	.values = sharp_values,
	.dequeue = sharp_dequeue,
};
