/* SPDX-License-Identifier: BSD-3-Clause */
/* pred.c -- RED whose slope follows the number of flows at once and the traffic's needs slowly.
 *
 * Du et al., "PRED: Performance-oriented Random Early Detection for Consistently Stable Performance
 * in Datacenters", NSDI 2025. A packet that finds q in its queue is marked with probability
 *	p = lambda f(N) (q - min),	and always from max on (section 4.3),
 * where
 *	N	is how many flows sent within an interval of T_FCS (flow_count.h), at least 1:
 *		section 4.1, the Flow Concurrent Stabilizer;
 *	f(N)	is sqrt(N), N (what the paper chooses) or N^2;
 *	lambda	(per MB) and min are what QLA last tried (lib/tune/qla.c): section 4.2.
 *
 * Everything happens when a packet arrives; what QLA's intervals need is worked out from arrivals
 * alone (lib/tune/loop.h), so that there is no second call for each packet.
 *
 * Constants from the paper: T_FCS of 1.25 and T_QLA of 5 round-trip times, beta, minK,
 * maxK, q_left, lambda_min and the steps are in section 4.3. Where lambda starts in the simulations
 * is nowhere; the testbed starts at 0.1 (section 6.2), with trials of 400 ms. Ours is 3 per MB,
 * because from there QLA finds its way. T_QLA is shorter than what a DCTCP sender remembers (g =
 * 1/16: 16 windows), so that a queue far above q_left answers a trial after its end, with the wrong
 * sign (see qla.c), and lambda runs away downwards. A start at which the queue is near q_left
 * leaves that region out, because there Phi is flat. Runs that went astray, by the start, with
 * T_QLA of 5 round-trip times:
 *
 *					0.7		1	2	3	5
 *	web search to one, round trips
 *	differ (fig15a.ini)		1 of 5		2 of 5	0 of 5	0 of 5	-
 *	data mining to one host		1 of 4		0 of 4	0 of 4	0 of 4	0 of 4
 *	eight long flows, others come
 *	and go				9 of 400	0 of 200
 *	two, then eight long flows at
 *	100 Gb/s (fig19.ini)		-		-	2 of 10	0 of 5	0 of 5
 *
 * Another way is T_QLA of 40 round-trip times, at which none of 20 went astray from 0.7 either. 0.7
 * is where f(N) = N alone holds 16 long flows at 10 Gb/s and 80 us at the 23 packets of
 * section 6.3.2. From 3 FCS alone is near q_left already, and QLA has little left to do.
 *
 * Differs: the paper counts the flows of a port; here each queue has its own count, which is the
 * same with one queue and what the paper's experiment with three queues needs (appendix D.4). */
#include "base/compiler.h"
#include "weir/mark.h"
#include "lib/mark/control_law.h"
#include "lib/mark/flow_count.h"
#include "lib/mark/pred_table.h"
#include "lib/mark/red_common.h"
#include "lib/tune/loop.h"
#include "lib/tune/qla.h"
#include "weir/units.h"
#include <math.h>

enum pred_reason { PRED_RAMP, PRED_MAX };
enum pred_parts { PRED_BOTH, PRED_FCS, PRED_QLA };
enum pred_counter { PRED_COUNT_TABLE, PRED_COUNT_BITMAP };
enum pred_lookup { PRED_FORMULA, PRED_TABLE };
enum pred_f { PRED_F_SQRT, PRED_F_N, PRED_F_N2 };

struct pred_params {
	uint64_t slope_q32; /* lambda */
	uint64_t min, max;  /* WEIR_OPT_LENGTH */
	uint64_t parts, f, counter, index_bits, lookup;
	uint64_t count_ns, tune_ns, rtt_ns;
	struct qla_params qla;
	struct weir_span_ps read_delay, write_delay;
};

/* Followed by a struct flow_count with its table, and a struct pred_table where it is used. */
struct pred_state {
	struct weir_rng rng;
	uint64_t rise_q32; /* lambda f(N), per MB */
	uint64_t min_bytes, max_bytes;
	uint64_t count_ns;
	uint32_t flows;      /* N */
	uint32_t count_mask; /* places of the table of flows, less one */
	struct tune_loop loop;
	uint64_t slope_q32; /* in force */
	struct qla_state qla;
};

enum { INDEX_BITS_MAX = 16, F_BITS = 16 };

/* A probability of 1 within a byte, and beyond any need. */
#define RISE_MAX_Q32 (UINT64_C(1) << 56)
#define FLOWS_MAX (UINT32_C(1) << 24)
#define DELAY_MAX_PS (TUNE_INTERVAL_MAX_NS * WEIR_PS_PER_NS)

static const char *const parts[] = { "both", "fcs", "qla", NULL };
static const char *const functions[] = { "sqrt", "n", "n2", NULL };
static const char *const counters[] = { "table", "bitmap", NULL };
static const char *const lookups[] = { "formula", "table", NULL };

#define AT(field) offsetof(struct pred_params, field)

static const struct weir_option pred_options[] = {
	{ "lambda", WEIR_OPT_FRACTION_Q32, AT(slope_q32), "3", QLA_SLOPE_MIN_Q32, QLA_SLOPE_MAX_Q32,
	  "slope: rise of the marking probability per MB of queue above min, times f of the "
	  "number of flows; where QLA starts. The default is ours, the paper names none: from it "
	  "QLA diverges in no run tried, from 0.7 it does in some",
	  NULL },
	{ "min", WEIR_OPT_LENGTH, AT(min), "10pkts", 0, QLA_LENGTH_MAX,
	  "queue length below which no packet is marked; where QLA starts", NULL },
	{ "max", WEIR_OPT_LENGTH, AT(max), "500KB", 0, QLA_LENGTH_MAX,
	  "queue length from which on every packet is marked", NULL },
	{ "parts", WEIR_OPT_CHOICE, AT(parts), "both", 0, 0,
	  "what adapts lambda: the number of flows (fcs), trials (qla), or both", parts },
	{ "f", WEIR_OPT_CHOICE, AT(f), "n", 0, 0,
	  "factor of lambda: the number of flows n, its square root or its square", functions },
	{ "counter", WEIR_OPT_CHOICE, AT(counter), "table", 0, 0,
	  "how flows are counted: by a hash table or by a bitmap of 120 bits", counters },
	{ "index-bits", WEIR_OPT_COUNT, AT(index_bits), "10", 1, INDEX_BITS_MAX,
	  "log2 of the hash table's size", NULL },
	{ "t-fcs", WEIR_OPT_TIME_NS, AT(count_ns), "0us", 0, TUNE_INTERVAL_MAX_NS,
	  "interval of counting flows; 0us: 1.25 round-trip times", NULL },
	{ "t-qla", WEIR_OPT_TIME_NS, AT(tune_ns), "0us", 0, TUNE_INTERVAL_MAX_NS,
	  "interval of one trial, at least 1us; 0us: 5 round-trip times, the paper's; DCTCP "
	  "senders average over 16, and 40 are stable from any start that was tried",
	  NULL },
	{ "rtt", WEIR_OPT_TIME_NS, AT(rtt_ns), "0us", 0, WEIR_NS_PER_S,
	  "base round-trip time; 0us: that of the network", NULL },
	{ "lookup", WEIR_OPT_CHOICE, AT(lookup), "formula", 0, 0,
	  "the probability is computed, or read from a table indexed by queue cells and flows",
	  lookups },
	QLA_OPTIONS(struct pred_params, qla),
	{ "read-delay", WEIR_OPT_SPAN_PS, AT(read_delay), "0us", 0, DELAY_MAX_PS,
	  "telemetry delay, from the end of a trial until QLA has its result", NULL },
	{ "write-delay", WEIR_OPT_SPAN_PS, AT(write_delay), "0us", 0, DELAY_MAX_PS,
	  "actuation delay, from QLA's decision until it is in force", NULL },
	{ .name = NULL },
};

static int pred_check(const void *params, struct weir_error *e)
{
	const struct pred_params *p = params;
	uint64_t delay_ps = (uint64_t)p->read_delay.last_ps + (uint64_t)p->write_delay.last_ps;

	if (weir_length_is_packets(p->min) == weir_length_is_packets(p->max) && p->min > p->max)
		return weir_error_set(e, "min is above max");
	if (p->parts == PRED_FCS)
		return 0;
	if (p->slope_q32 < p->qla.slope_min_q32)
		return weir_error_set(e, "lambda is below lambda-min");
	if (p->tune_ns && p->tune_ns < TUNE_INTERVAL_MIN_NS)
		return weir_error_set(e, "t-qla is shorter than 1us");
	if (delay_ps > p->tune_ns * WEIR_PS_PER_NS)
		return weir_error_set(
			e, "read-delay and write-delay together may be longer than t-qla; "
			   "write it as in t-qla=400ms");
	return weir_qla_check(&p->qla, e);
}

/* --- memory --- */

static struct flow_count *pred_count(struct pred_state *s)
{
	return (struct flow_count *)(s + 1);
}

static size_t pred_count_size(const struct pred_params *p)
{
	if (p->parts == PRED_QLA)
		return 0;
	return p->counter == PRED_COUNT_TABLE ? flow_count_size((uint32_t)p->index_bits)
					      : sizeof(struct flow_count);
}

static struct pred_table *pred_table_of(struct pred_state *s, const struct pred_params *p)
{
	return (struct pred_table *)((char *)(s + 1) + pred_count_size(p));
}

static size_t pred_size(const void *params)
{
	const struct pred_params *p = params;

	return sizeof(struct pred_state) + pred_count_size(p) +
	       (p->lookup == PRED_TABLE ? sizeof(struct pred_table) : 0);
}

/* --- the slope --- */

/* f(N), scaled by 2^16: floor(sqrt(N 2^32)), less than 2^-16 too small; N and N^2 exactly. No more
 * than 2^24 flows, so that f stays within 2^64; more than there are packets in an interval. */
static weir_u128 pred_f_q16(enum pred_f f, uint32_t flows)
{
	uint64_t n = flows < FLOWS_MAX ? flows : FLOWS_MAX;

	if (f == PRED_F_SQRT)
		return control_law_root(n << 2 * F_BITS);
	return (weir_u128)(f == PRED_F_N ? n : n * n) << F_BITS;
}

/* slope <= 2^52 and f <= 2^64, so the product needs 128 bits. */
static uint64_t pred_rise_q32(const struct pred_state *s, const struct pred_params *p,
			      uint32_t flows)
{
	weir_u128 rise = (weir_u128)s->slope_q32 * pred_f_q16((enum pred_f)p->f, flows) >> F_BITS;

	return rise < RISE_MAX_Q32 ? (uint64_t)rise : RISE_MAX_Q32;
}

static void pred_set_flows(struct pred_state *s, const struct pred_params *p, uint32_t flows)
{
	s->flows = flows;
	s->rise_q32 = pred_rise_q32(s, p, flows);
}

static void pred_set_knobs(struct pred_state *s, const struct pred_params *p,
			   const struct weir_tune_knobs *k)
{
	if (s->slope_q32 == k->slope_q32 && s->min_bytes == k->min_bytes)
		return;
	s->slope_q32 = k->slope_q32;
	s->min_bytes = k->min_bytes;
	pred_set_flows(s, p, s->flows);
	if (p->lookup == PRED_TABLE)
		pred_table_renew(pred_table_of(s, p));
}

/* --- start --- */

static struct tune_plan pred_tune_plan(const struct pred_params *p)
{
	return (struct tune_plan){ &weir_tune_qla, &p->qla, p->read_delay, p->write_delay };
}

static void pred_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct pred_state *s = state;
	const struct pred_params *p = params;
	uint64_t rtt_ns = p->rtt_ns ? p->rtt_ns : (uint64_t)env->rtt_ns;
	uint64_t min_bytes = weir_length_bytes(p->min, env->mtu_bytes);
	uint64_t max_bytes = weir_length_bytes(p->max, env->mtu_bytes);
	struct weir_tune_knobs knobs;

	if (max_bytes > UINT32_MAX) /* no queue is longer */
		max_bytes = UINT32_MAX;
	knobs = (struct weir_tune_knobs){ min_bytes < max_bytes ? min_bytes : max_bytes, max_bytes,
					  p->slope_q32 };
	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
	s->max_bytes = max_bytes;
	s->flows = 1;
	s->count_mask = (UINT32_C(1) << p->index_bits) - 1;
	s->count_ns = p->count_ns ? p->count_ns : rtt_ns + rtt_ns / 4;
	if (p->parts != PRED_FCS) {
		struct tune_plan plan = pred_tune_plan(p);
		struct tune_env tune_env = { env->seed, env->rate_bps,
					     p->tune_ns ? p->tune_ns : 5 * rtt_ns, env->mtu_bytes };

		weir_tune_loop_init(&s->loop, &plan, &s->qla, &tune_env, &knobs);
		knobs = s->loop.knobs;
	}
	if (p->lookup == PRED_TABLE)
		pred_table_init(pred_table_of(s, p), max_bytes);
	pred_set_knobs(s, p, &knobs);
}

/* --- packets: slow paths are tail calls, so that the fast path is a leaf and saves no registers
 * --- */

/* The options that the packet path depends on; constants in the specialised copy for the common
 * ones. */
struct pred_features {
	enum pred_parts parts;
	enum pred_counter counter;
	enum pred_lookup lookup;
};

static const struct pred_features pred_common = { PRED_BOTH, PRED_COUNT_TABLE, PRED_FORMULA };

static inline struct pred_features pred_features_of(const struct pred_params *p)
{
	return (struct pred_features){ (enum pred_parts)p->parts, (enum pred_counter)p->counter,
				       (enum pred_lookup)p->lookup };
}

static uint32_t pred_verdict(struct pred_state *s, int hits)
{
	if (!hits)
		return WEIR_MARK_PASS;
	tune_loop_mark(&s->loop);
	return WEIR_MARK_CE | weir_mark_reason(PRED_RAMP);
}

static NOINLINE uint32_t pred_judge_by_table(struct pred_state *s, const struct pred_params *p,
					     uint64_t queue_bytes)
{
	struct pred_table *t = pred_table_of(s, p);
	uint32_t row = pred_table_row(s->flows);

	if (!pred_table_has(t, row)) {
		struct pred_line line = { s->min_bytes, pred_rise_q32(s, p, row + 1) };

		pred_table_write(t, row, line);
	}
	return pred_verdict(s, weir_rng_u32(&s->rng) >> 16 < pred_table_p_q16(t, row, queue_bytes));
}

/* p = lambda f(N) (q - min) / 1 MB; ramp_hits compares without dividing, and its probability is the
 * exact one rounded up to a multiple of 2^-32. */
static inline uint32_t pred_judge(struct pred_state *s, const struct pred_params *p,
				  enum pred_lookup lookup, uint64_t queue_bytes)
{
	if (queue_bytes >= s->max_bytes) {
		tune_loop_mark(&s->loop);
		return WEIR_MARK_CE | weir_mark_reason(PRED_MAX);
	}
	if (lookup == PRED_TABLE)
		return pred_judge_by_table(s, p, queue_bytes);
	if (queue_bytes <= s->min_bytes)
		return WEIR_MARK_PASS;
	return pred_verdict(s, ramp_hits(weir_rng_u32(&s->rng), s->rise_q32,
					 queue_bytes - s->min_bytes, RAMP_BYTES_PER_MB));
}

/* The number of flows has changed. */
static NOINLINE uint32_t pred_judge_slow(struct pred_state *s, const struct pred_params *p,
					 uint32_t flows, uint64_t queue_bytes)
{
	pred_set_flows(s, p, flows);
	return pred_judge(s, p, (enum pred_lookup)p->lookup, queue_bytes);
}

/* Counts the packet's flow; returns the number of flows, at least one. */
static inline uint32_t pred_count_flows(struct pred_state *s, enum pred_counter counter,
					uint32_t flow_hash, int64_t now_ns)
{
	struct flow_count *c = pred_count(s);
	uint32_t flows =
		counter == PRED_COUNT_TABLE
			? flow_count_table(c, s->count_ns, s->count_mask, flow_hash, now_ns)
			: flow_count_bitmap(c, s->count_ns, flow_hash, now_ns);

	return flows + (flows == 0);
}

/* An arrival while no interval is due. */
static inline ALWAYS_INLINE uint32_t pred_arrive(struct pred_state *s, const struct pred_params *p,
						 struct pred_features features,
						 struct tune_arrival a, uint32_t flow_hash)
{
	uint32_t flows;

	if (features.parts != PRED_FCS)
		tune_loop_arrive(&s->loop, &a);
	if (features.parts == PRED_QLA)
		return pred_judge(s, p, features.lookup, a.queue_bytes);
	flows = pred_count_flows(s, features.counter, flow_hash, a.now_ns);
	if (UNLIKELY(flows != s->flows))
		return pred_judge_slow(s, p, flows, a.queue_bytes);
	return pred_judge(s, p, features.lookup, a.queue_bytes);
}

static NOINLINE uint32_t pred_arrive_slow(struct pred_state *s, const struct pred_params *p,
					  struct tune_arrival a, uint32_t flow_hash)
{
	struct tune_plan plan = pred_tune_plan(p);

	s->loop.flows = s->flows;
	weir_tune_loop_catch_up(&s->loop, &plan, &s->qla, &a);
	pred_set_knobs(s, p, &s->loop.knobs);
	return pred_arrive(s, p, pred_features_of(p), a, flow_hash);
}

static inline ALWAYS_INLINE uint32_t pred_enqueue_features(struct pred_state *s,
							   const struct pred_params *p,
							   struct pred_features features,
							   struct tune_arrival a,
							   uint32_t flow_hash)
{
	if (UNLIKELY(tune_loop_is_due(&s->loop, a.now_ns)) && features.parts != PRED_FCS)
		return pred_arrive_slow(s, p, a, flow_hash);
	return pred_arrive(s, p, features, a, flow_hash);
}

static uint32_t pred_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct tune_arrival a = { v->now_ns, v->queue_bytes, v->packet_bytes };

	return pred_enqueue_features(state, params, pred_features_of(params), a, v->flow_hash);
}

static int pred_is_common(const void *params)
{
	struct pred_features features = pred_features_of(params);

	return features.parts == pred_common.parts && features.counter == pred_common.counter &&
	       features.lookup == pred_common.lookup;
}

static uint32_t pred_enqueue_fast(void *state, const void *params, const struct weir_packet *packet,
				  int64_t now_ns, const struct weir_queue *q)
{
	struct tune_arrival a = { now_ns, q->bytes, packet->bytes };

	return pred_enqueue_features(state, params, pred_common, a, packet->flow_hash);
}

static const struct weir_mark_fast_hooks pred_fast_hooks = {
	.suffice = pred_is_common,
	.enqueue = pred_enqueue_fast,
};

/* --- values --- */

static double pred_read_flows(const void *state, const void *params)
{
	const struct pred_state *s = state;
	const struct pred_params *p = params;

	return p->parts == PRED_QLA ? NAN : (double)s->flows;
}

/* The centre of QLA's trials. */
static double pred_read_lambda(const void *state, const void *params)
{
	const struct pred_state *s = state;
	const struct pred_params *p = params;
	uint64_t slope_q32 = p->parts == PRED_FCS ? s->slope_q32 : s->qla.slope_q32;

	return (double)slope_q32 / (double)WEIR_ONE_Q32;
}

static double pred_read_min(const void *state, const void *params)
{
	const struct pred_state *s = state;
	const struct pred_params *p = params;

	return (double)(p->parts == PRED_FCS ? s->min_bytes : s->qla.min_bytes);
}

static double pred_read_utility(const void *state, const void *params)
{
	const struct pred_state *s = state;
	const struct pred_params *p = params;

	return p->parts == PRED_FCS ? NAN : weir_tune_qla.values[0].read(&s->qla, &p->qla);
}

static const struct weir_mark_value pred_values[] = {
	{ "N", "", pred_read_flows },
	{ "lambda", "", pred_read_lambda },
	{ "min", "bytes", pred_read_min },
	{ "utility", "", pred_read_utility },
	{ .name = NULL },
};

/* --- knobs: lambda, min and max --- */

static int pred_fits_knobs(const void *params, struct weir_error *e)
{
	const struct pred_params *p = params;

	return p->parts == PRED_FCS
		       ? 0
		       : weir_error_set(e, "QLA tunes them itself; only parts=fcs does not");
}

static void pred_read_knobs(const void *state, const void *params, uint32_t mtu_bytes,
			    struct weir_tune_knobs *knobs)
{
	const struct pred_state *s = state;

	(void)params;
	(void)mtu_bytes;
	*knobs = (struct weir_tune_knobs){ s->min_bytes, s->max_bytes, s->slope_q32 };
}

/* The table's cells reach up to max. */
static void pred_apply_knobs(void *state, void *params, const struct weir_tune_knobs *knobs)
{
	struct pred_state *s = state;
	const struct pred_params *p = params;

	if (p->lookup == PRED_TABLE && s->max_bytes != knobs->max_bytes)
		pred_table_init(pred_table_of(s, p), knobs->max_bytes);
	s->max_bytes = knobs->max_bytes;
	pred_set_knobs(s, p, knobs);
}

static const struct weir_mark_knobs pred_knobs = { pred_fits_knobs, pred_read_knobs,
						   pred_apply_knobs };

/* No quiet_below: every packet counts flows and measures the queue. */
const struct weir_mark_ops weir_mark_pred = {
	.scheme = {
		.name = "pred",
		.help = "PRED: RED whose slope follows the number of flows (FCS) and is tuned by "
			"trials (QLA)",
		.cite = "Du et al., PRED, NSDI 2025, section 4",
		.params_size = sizeof(struct pred_params),
		.options = pred_options,
		.check = pred_check,
	},
	.state_size = sizeof(struct pred_state),
	.size = pred_size,
	.reasons = { [PRED_RAMP] = "ramp", [PRED_MAX] = "max" },
	.values = pred_values,
	.init = pred_init,
	.enqueue = pred_enqueue,
	.knobs = &pred_knobs,
	.fast_hooks = &pred_fast_hooks,
};
