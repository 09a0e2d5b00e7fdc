/* SPDX-License-Identifier: BSD-3-Clause */
/* codel.c -- mark ever faster while the shortest time in queue stays above a target.
 *
 * RFC 8289, "Controlled Delay Active Queue Management", section 5. Once packets have queued longer
 * than target for a whole interval, one is marked; the second an interval later, the third
 * interval / sqrt(2) after that, then interval / sqrt(3), until a packet queues shorter.
 *
 * Differs: packets are marked, never dropped, so a packet can bear one signal only. Where the RFC
 * drops several packets in one go to catch up with its schedule, the ones that follow are marked
 * instead, one for each signal that is due.
 *
 * The defaults suit a datacenter (Bai et al., CoNEXT 2016, section 6.1); the RFC's own, for the
 * Internet, are target=5ms and interval=100ms. */
#include "lib/mark/control_law.h"
#include "weir/mark.h"
#include "weir/units.h"

struct codel_params {
	uint64_t target_ns, interval_ns;
};

struct codel_state {
	int64_t first_above_ns; /* an interval after the time in queue passed target; 0: below */
	int64_t mark_next_ns;   /* while marking: when the next signal is due */
	uint32_t count;         /* signals since marking began */
	uint32_t last_count;    /* count with which it began */
	uint32_t marking;
	uint32_t mtu_bytes;
};

static const struct weir_option codel_options[] = {
	{ "target", WEIR_OPT_TIME_NS, offsetof(struct codel_params, target_ns), "51.2us", 1,
	  WEIR_NS_PER_S, "acceptable sojourn time", NULL },
	{ "interval", WEIR_OPT_TIME_NS, offsetof(struct codel_params, interval_ns), "1024us", 1,
	  WEIR_NS_PER_S,
	  "time for which the target must be exceeded; about the longest "
	  "round-trip time",
	  NULL },
	{ .name = NULL },
};

static void codel_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct codel_state *s = state;

	(void)params;
	s->mtu_bytes = env->mtu_bytes;
}

/* RFC 8289, 5.6 (dodequeue): has the time in queue been above target for an interval? A queue of no
 * more than one packet does not count as standing. */
static int codel_is_standing(struct codel_state *s, const struct codel_params *p,
			     const struct weir_mark_view *v)
{
	if (v->sojourn_ns < (int64_t)p->target_ns || v->queue_bytes <= s->mtu_bytes) {
		s->first_above_ns = 0;
		return 0;
	}
	if (s->first_above_ns == 0) {
		s->first_above_ns = v->now_ns + (int64_t)p->interval_ns;
		return 0;
	}
	return v->now_ns >= s->first_above_ns;
}

/* RFC 8289, 5.5: where marking stopped a short while ago, go on at the rate that worked then. */
static void codel_start(struct codel_state *s, uint64_t interval_ns, int64_t now_ns)
{
	uint32_t earned = s->count - s->last_count;
	int recent = now_ns - s->mark_next_ns < 16 * (int64_t)interval_ns;

	s->marking = 1;
	s->count = earned > 1 && recent ? earned : 1;
	s->last_count = s->count;
	s->mark_next_ns = control_law(now_ns, interval_ns, s->count);
}

static uint32_t codel_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct codel_state *s = state;
	const struct codel_params *p = params;

	if (!codel_is_standing(s, p, v)) {
		s->marking = 0;
		return WEIR_MARK_PASS;
	}
	if (!s->marking) {
		codel_start(s, p->interval_ns, v->now_ns);
		return WEIR_MARK_CE;
	}
	if (v->now_ns < s->mark_next_ns)
		return WEIR_MARK_PASS;
	if (s->count < UINT32_MAX)
		s->count++;
	s->mark_next_ns = control_law(s->mark_next_ns, p->interval_ns, s->count);
	return WEIR_MARK_CE;
}

static double codel_read_count(const void *state, const void *params)
{
	const struct codel_state *s = state;

	(void)params;
	return s->marking ? s->count : 0;
}

static const struct weir_mark_value codel_values[] = {
	{ "count", "", codel_read_count },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_codel = {
	.scheme = {
		.name = "codel",
		.help = "CoDel: marks at a rising rate while the minimum sojourn time stays "
			"above a target",
		.cite = "RFC 8289, Controlled Delay Active Queue Management",
		.params_size = sizeof(struct codel_params),
		.options = codel_options,
	},
	.state_size = sizeof(struct codel_state),
	.reasons = { "standing queue" },
	.values = codel_values,
	.init = codel_init,
	.dequeue = codel_dequeue,
};
