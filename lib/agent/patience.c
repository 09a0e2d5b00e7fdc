/* SPDX-License-Identifier: BSD-3-Clause */
/* patience.c -- a hand-written rule as a baseline for learners: tolerate a queue for a while, then
 * mark.
 *
 *	lax	hardly any marking. While the mean queue is above queue, age grows by the interval,
 *		otherwise it falls twice as fast; age >= P: tight.
 *	tight	much marking. The utilisation falls below use while marks are recent, which means
 *		that marking cost throughput: lax, and P doubles. After each 4 P without that P
 *		falls to 0.7 P.
 *
 * Senders that recover slowly lose more by being marked in a burst than the burst's queue costs;
 * steady traffic loses nothing. The rule tells the two apart by how long a queue lasts, and P is
 * what it learns about that.
 *
 * Not published: chosen here among eleven variants on sixteen scenarios of steady and bursty
 * traffic, with DCQCN on links of 25 Gb/s. On those it gained about half of what knowing the best
 * constant for each scenario would gain over the best constant for all; on other scenarios it was
 * no better than that constant, and it delays the last messages of bursts. A learner that does not
 * beat it has learned nothing. Not a recommendation. */
#include "weir/tune.h"
#include "weir/agent.h"
#include "weir/units.h"

struct patience_setting {
	uint64_t min_bytes, max_bytes, p_q32;
};

enum patience_state { LAX, TIGHT, STATES };

struct patience_params {
	struct patience_setting settings[STATES];
	uint64_t queue_bytes;
	uint64_t wait_ns, wait_min_ns, wait_max_ns; /* P */
	uint64_t use_q32, average_ns, marks_ns;
};

struct patience_queue {
	uint64_t state;  /* enum patience_state */
	int64_t wait_ns; /* P */
	int64_t age_ns;  /* lax: of the tolerated queue */
	int64_t calm_ns; /* tight: since P was last changed */
	int64_t unmarked_ns;
	double use; /* tight: average utilisation while the line is busy */
};

#define AT(member) offsetof(struct patience_params, member)
#define BYTES_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define MIN_NS 1000
#define MAX_NS (UINT64_C(100) * WEIR_NS_PER_S)

static const struct weir_option patience_options[] = {
	{ "lax-min", WEIR_OPT_BYTES, AT(settings[LAX].min_bytes), "2560KB", 0, BYTES_MAX,
	  "where marking begins while a queue is borne", NULL },
	{ "lax-max", WEIR_OPT_BYTES, AT(settings[LAX].max_bytes), "10MB", 0, BYTES_MAX,
	  "where everything is marked then", NULL },
	{ "lax-p", WEIR_OPT_FRACTION_Q32, AT(settings[LAX].p_q32), "1", 0, WEIR_ONE_Q32,
	  "probability at lax-max", NULL },
	{ "tight-min", WEIR_OPT_BYTES, AT(settings[TIGHT].min_bytes), "20KB", 0, BYTES_MAX,
	  "where marking begins while it is not", NULL },
	{ "tight-max", WEIR_OPT_BYTES, AT(settings[TIGHT].max_bytes), "1MB", 0, BYTES_MAX,
	  "where everything is marked then", NULL },
	{ "tight-p", WEIR_OPT_FRACTION_Q32, AT(settings[TIGHT].p_q32), "1", 0, WEIR_ONE_Q32,
	  "probability at tight-max", NULL },
	{ "queue", WEIR_OPT_BYTES, AT(queue_bytes), "20KB", 0, BYTES_MAX,
	  "a mean queue above this has to be borne", NULL },
	{ "wait", WEIR_OPT_TIME_NS, AT(wait_ns), "10ms", MIN_NS, MAX_NS,
	  "how long, at first; doubled when that was too short", NULL },
	{ "wait-min", WEIR_OPT_TIME_NS, AT(wait_min_ns), "2ms", MIN_NS, MAX_NS, "at least", NULL },
	{ "wait-max", WEIR_OPT_TIME_NS, AT(wait_max_ns), "1s", MIN_NS, MAX_NS, "at most", NULL },
	{ "use", WEIR_OPT_FRACTION_Q32, AT(use_q32), "0.8", 0, WEIR_ONE_Q32,
	  "marking that leaves less of the line used than this was too much", NULL },
	{ "average", WEIR_OPT_TIME_NS, AT(average_ns), "2ms", MIN_NS, MAX_NS,
	  "busy time over which the use is averaged", NULL },
	{ "marks", WEIR_OPT_TIME_NS, AT(marks_ns), "20ms", MIN_NS, MAX_NS,
	  "marking may be the cause for so long", NULL },
	{ .name = NULL },
};

static int patience_check(const void *params, struct weir_error *e)
{
	static const char *const names[] = { "lax", "tight" };
	const struct patience_params *p = params;

	for (int i = 0; i < STATES; i++)
		if (p->settings[i].min_bytes > p->settings[i].max_bytes)
			return weir_error_set(e, "%s-min is above %s-max", names[i], names[i]);
	if (p->wait_ns < p->wait_min_ns || p->wait_ns > p->wait_max_ns)
		return weir_error_set(e, "wait must lie between wait-min and wait-max");
	return 0;
}

static struct weir_tune_knobs patience_knobs(const struct patience_params *p, uint64_t state)
{
	const struct patience_setting *s = &p->settings[state];

	return weir_tune_knobs_of(s->min_bytes, s->max_bytes, s->p_q32);
}

static size_t patience_size(const void *params, const struct weir_agent_env *env)
{
	(void)params;
	return env->queue_count * sizeof(struct patience_queue);
}

static void patience_init(void *state, const void *params, const struct weir_agent_env *env,
			  struct weir_tune_knobs *knobs)
{
	const struct patience_params *p = params;
	struct patience_queue *queues = state;

	for (uint32_t i = 0; i < env->queue_count; i++) {
		queues[i].wait_ns = (int64_t)p->wait_ns;
		queues[i].unmarked_ns = INT64_MAX / 2;
		knobs[i] = patience_knobs(p, LAX);
	}
}

/* The weight of a slot in an average over a longer time is its share of it. */
static void patience_average_use(struct patience_queue *q, const struct patience_params *p,
				 const struct weir_tune_telemetry *t)
{
	double capacity = (double)t->rate_bps * (double)t->interval_ns;
	double bits = (double)t->out_bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S;
	double weight = (double)t->interval_ns / (double)p->average_ns;

	if (capacity > 0.0 && (t->out_bytes || t->queue_mean_bytes))
		q->use += (bits / capacity - q->use) * (weight < 1.0 ? weight : 1.0);
}

static void patience_step_lax(struct patience_queue *q, const struct patience_params *p,
			      const struct weir_tune_telemetry *t)
{
	if (t->queue_mean_bytes > p->queue_bytes)
		q->age_ns += t->interval_ns;
	else
		q->age_ns -= q->age_ns < 2 * t->interval_ns ? q->age_ns : 2 * t->interval_ns;
	if (q->age_ns < q->wait_ns)
		return;
	q->state = TIGHT;
	q->use = 1.0;
	q->calm_ns = 0;
}

static void patience_step_tight(struct patience_queue *q, const struct patience_params *p,
				const struct weir_tune_telemetry *t)
{
	double least = (double)p->use_q32 / (double)WEIR_ONE_Q32;
	int64_t longest = (int64_t)p->wait_max_ns, shortest = (int64_t)p->wait_min_ns;

	patience_average_use(q, p, t);
	q->calm_ns += t->interval_ns;
	if (q->unmarked_ns <= (int64_t)p->marks_ns && q->use < least) {
		q->state = LAX;
		q->age_ns = 0;
		q->wait_ns = 2 * q->wait_ns < longest ? 2 * q->wait_ns : longest;
	} else if (q->calm_ns >= 4 * q->wait_ns) {
		q->wait_ns = q->wait_ns * 7 / 10 > shortest ? q->wait_ns * 7 / 10 : shortest;
		q->calm_ns = 0;
	}
}

static void patience_step(void *state, const void *params, const struct weir_agent_env *env,
			  const struct weir_tune_telemetry *telemetry,
			  struct weir_tune_knobs *knobs)
{
	const struct patience_params *p = params;
	struct patience_queue *queues = state;

	for (uint32_t i = 0; i < env->queue_count; i++) {
		const struct weir_tune_telemetry *t = &telemetry[i];
		struct patience_queue *q = &queues[i];

		if (t->marked_pkts)
			q->unmarked_ns = 0;
		else if (q->unmarked_ns <= (int64_t)p->marks_ns)
			q->unmarked_ns += t->interval_ns;
		if (q->state == LAX)
			patience_step_lax(q, p, t);
		else
			patience_step_tight(q, p, t);
		knobs[i] = patience_knobs(p, q->state);
	}
}

static int64_t patience_interval_ns(const void *params, int64_t rtt_ns)
{
	(void)params;
	(void)rtt_ns;
	return 100 * WEIR_NS_PER_US;
}

static double patience_read_tight(const void *state, const void *params, uint32_t queue)
{
	const struct patience_queue *queues = state;

	(void)params;
	return queues[queue].state == TIGHT;
}

static double patience_read_wait(const void *state, const void *params, uint32_t queue)
{
	const struct patience_queue *queues = state;

	(void)params;
	return (double)queues[queue].wait_ns / WEIR_NS_PER_MS;
}

static const struct weir_agent_value patience_values[] = {
	{ "tight", "", patience_read_tight },
	{ "wait", "ms", patience_read_wait },
	{ .name = NULL },
};

extern const struct weir_agent_ops weir_agent_patience;

const struct weir_agent_ops weir_agent_patience = {
	.scheme = {
		.name = "patience",
		.help = "hardly marks until a queue has lasted, and again when marking has cost throughput",
		.params_size = sizeof(struct patience_params),
		.options = patience_options,
		.check = patience_check,
	},
	.interval_ns = patience_interval_ns,
	.size = patience_size,
	.init = patience_init,
	.step = patience_step,
	.values = patience_values,
};
