/* SPDX-License-Identifier: BSD-3-Clause */
/* diffecn.c -- mark only the flows that take more than their share.
 *
 * Huang, Xu, Li, Liu, Du, Gao, "DiffECN: Differential ECN Marking for Datacenter Networks",
 * IEEE/ACM Trans. Networking, 2024. Every active flow has a queue of its own (section IV-B,
 * lib/mark/flow_queues.h); a packet that leaves is marked iff its queue is longer than the flow's
 * part of what may wait in the port (section IV-C, equation 2). With more flows than queues this is
 * a threshold per queue.
 *
 * What the paper leaves open:
 * - The length of a queue is what the packet leaves behind. "Before the packet is dequeued" (V-B)
 *   could include the packet, but then 32 flows at 10 Gb/s and 0.19 ms, 1.3 KB each, would be
 *   marked with nothing waiting behind a full packet.
 * - The queue that is served first is judged like the others, as in Algorithm 1.
 * - count=exact is the number of queues that hold packets. That is the number of active flows while
 *   each has its own. Flows share a queue only when all are busy, and then the count is at its cap;
 *   as queues drain while others are still shared it falls with the queues, so that the thresholds
 *   of all busy queues go on adding up to lambda RTT C.
 *
 * Beside it the judgement that the paper calls ideal (Fig. 10): rates, measured over a round-trip
 * time, against max-min shares (lib/mark/flow_rates.h). judge=ideal marks by it; score=yes judges
 * each packet both ways and tells how often the queue was right. The paper does not say by how much
 * a rate must exceed its share. Equation (2) lets lambda RTT times the share wait, which is what a
 * flow leaves that exceeds its share by the part lambda for a round-trip time: excess=0.17 is the
 * slack that the queue has, and excess=0 counts all of DCTCP's probing for more as congestion. */
#include "base/compiler.h"
#include "lib/mark/flow_count.h"
#include "lib/mark/flow_queues.h"
#include "lib/mark/flow_rates.h"
#include "weir/units.h"
#include <math.h>

enum diffecn_count { COUNT_EXACT, COUNT_PERIODIC };
enum diffecn_judge { JUDGE_QUEUE, JUDGE_IDEAL };
enum diffecn_reason { DIFFECN_QUEUE, DIFFECN_RATE };
enum { COUNT_INDEX_BITS = 14, COUNT_INDEX_MASK = (1 << COUNT_INDEX_BITS) - 1 };

struct diffecn_params {
	struct flow_queues_params flow;
	uint64_t count, judge, score;
	uint64_t excess_q32;
};

/* Followed by flow_queues and, where options ask for them, flow_count and flow_rates. */
struct diffecn_state {
	uint64_t period_ns;
	uint64_t judged[2][2];                         /* [by rate][by queue]: packets */
	uint32_t flows;                                /* N, as last counted */
	uint32_t is_plain;                             /* 1: only queues are counted and judged */
	uint32_t threshold_bytes[WEIR_QUEUES_MAX + 1]; /* by number of flows */
};

_Static_assert(sizeof(struct diffecn_state) % 8 == 0, "what follows is aligned");

static const char *const counts[] = { "exact", "periodic", NULL };
static const char *const judges[] = { "queue", "ideal", NULL };

static const struct weir_option diffecn_options[] = {
	FLOW_QUEUES_OPTIONS,
	{ "count", WEIR_OPT_CHOICE, offsetof(struct diffecn_params, count), "exact", 0, 0,
	  "how active flows are counted: non-empty queues, or flow hashes seen in a period",
	  counts },
	{ "judge", WEIR_OPT_CHOICE, offsetof(struct diffecn_params, judge), "queue", 0, 0,
	  "how a congested flow is detected: by its queue, or by its measured rate against its "
	  "fair share",
	  judges },
	{ "score", WEIR_OPT_FLAG, offsetof(struct diffecn_params, score), "no", 0, 0,
	  "classify every packet both ways, and publish accuracy and recall", NULL },
	{ "excess", WEIR_OPT_FRACTION_Q32, offsetof(struct diffecn_params, excess_q32), "0", 0,
	  FLOW_LAMBDA_MAX_Q32,
	  "for ideal and score: fraction by which a measured rate may exceed the fair share",
	  NULL },
	{ .name = NULL },
};

static int diffecn_check(const void *params, struct weir_error *e)
{
	const struct diffecn_params *p = params;

	if (p->excess_q32 && p->judge != JUDGE_IDEAL && !p->score)
		return weir_error_set(e, "excess is of measured rates; it "
					 "goes with judge=ideal or score=yes");
	return weir_flow_queues_check(&p->flow, e);
}

static void diffecn_layout(const void *params, struct weir_mark_layout *l)
{
	const struct diffecn_params *p = params;

	weir_flow_queues_layout(&p->flow, l);
}

/* --- the parts of a state --- */

static int diffecn_needs_rates(const struct diffecn_params *p)
{
	return p->score || p->judge == JUDGE_IDEAL;
}

static int diffecn_is_plain(const struct diffecn_params *p)
{
	return p->count == COUNT_EXACT && !diffecn_needs_rates(p);
}

static size_t diffecn_count_offset(const struct diffecn_params *p)
{
	return sizeof(struct diffecn_state) + weir_flow_queues_size(&p->flow);
}

static size_t diffecn_rates_offset(const struct diffecn_params *p)
{
	return diffecn_count_offset(p) +
	       (p->count == COUNT_PERIODIC ? flow_count_size(COUNT_INDEX_BITS) : 0);
}

static size_t diffecn_size(const void *params)
{
	const struct diffecn_params *p = params;

	return diffecn_rates_offset(p) + (diffecn_needs_rates(p) ? sizeof(struct flow_rates) : 0);
}

static struct flow_queues *diffecn_queues(struct diffecn_state *s)
{
	return (struct flow_queues *)(s + 1);
}

static const struct flow_queues *diffecn_queues_const(const struct diffecn_state *s)
{
	return (const struct flow_queues *)(s + 1);
}

static struct flow_count *diffecn_count(struct diffecn_state *s, const struct diffecn_params *p)
{
	return (void *)((unsigned char *)s + diffecn_count_offset(p));
}

static struct flow_rates *diffecn_rates(struct diffecn_state *s, const struct diffecn_params *p)
{
	return (void *)((unsigned char *)s + diffecn_rates_offset(p));
}

/* Equation (2): K_p = lambda RTT C / N, here
 *	lambda_q32 rtt_ns rate_bps / (2^32 10^9 8 N) bytes,
 * rounded to the nearest: half a byte off at most. Below 2^36 2^40 2^42 it fits 128 bits. */
static uint32_t diffecn_threshold(uint64_t lambda_q32, uint64_t rtt_ns, uint64_t rate_bps,
				  uint32_t flows)
{
	weir_u128 per_byte = (weir_u128)WEIR_BITS_PER_BYTE * WEIR_NS_PER_S * flows << 32;
	weir_u128 bytes = ((weir_u128)lambda_q32 * rtt_ns * rate_bps + per_byte / 2) / per_byte;

	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static void diffecn_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct diffecn_state *s = state;
	const struct diffecn_params *p = params;
	uint64_t rtt_ns = flow_queues_rtt_ns(&p->flow, env);

	weir_flow_queues_init(diffecn_queues(s), &p->flow, env);
	s->period_ns = flow_queues_period_ns(&p->flow, env);
	for (uint32_t n = 1; n <= WEIR_QUEUES_MAX; n++)
		s->threshold_bytes[n] =
			diffecn_threshold(p->flow.lambda_q32, rtt_ns, env->rate_bps, n);
	s->flows = 1;
	s->is_plain = (uint32_t)diffecn_is_plain(p);
	if (diffecn_needs_rates(p))
		weir_flow_rates_init(diffecn_rates(s, p), env, rtt_ns, p->excess_q32);
}

/* On an idle port nothing waits behind the packet and N is 1 already, counted when the last packet
 * left. Its queue counts as busy until the next packet, as after a refused packet. */
static int diffecn_passes_idle(const void *params)
{
	return diffecn_is_plain(params);
}

/* --- packets: what only some options need is a slow path of its own --- */

static NOINLINE uint32_t diffecn_choose_slow(struct diffecn_state *s,
					     const struct diffecn_params *p,
					     const struct weir_mark_view *v,
					     const struct weir_queue *queues)
{
	if (diffecn_needs_rates(p))
		weir_flow_rates_arrive(diffecn_rates(s, p), v->flow_hash, v->packet_bytes,
				       v->now_ns);
	return flow_queues_choose(diffecn_queues(s), v->flow_hash,
				  (struct flow_arrival){ v->now_ns, v->packet_bytes }, queues);
}

static uint32_t diffecn_choose_queue(void *state, const void *params,
				     const struct weir_mark_view *v,
				     const struct weir_queue *queues)
{
	struct diffecn_state *s = state;

	if (UNLIKELY(!s->is_plain))
		return diffecn_choose_slow(s, params, v, queues);
	return flow_queues_choose(diffecn_queues(s), v->flow_hash,
				  (struct flow_arrival){ v->now_ns, v->packet_bytes }, queues);
}

static uint32_t diffecn_choose_queue_fast(void *state, const void *params,
					  const struct weir_packet *packet, int64_t now_ns,
					  const struct weir_queue *queues)
{
	(void)params;
	return flow_queues_choose(diffecn_queues(state), packet->flow_hash,
				  (struct flow_arrival){ now_ns, packet->bytes }, queues);
}

/* N, from 1 to the number of queues. */
static uint32_t diffecn_count_flows(struct diffecn_state *s, const struct diffecn_params *p,
				    const struct weir_mark_view *v)
{
	uint32_t flows = flow_queues_busy(diffecn_queues(s)), queues = diffecn_queues(s)->queues;

	if (p->count == COUNT_PERIODIC)
		flows = flow_count_table(diffecn_count(s, p), s->period_ns, COUNT_INDEX_MASK,
					 v->flow_hash, v->now_ns);
	flows = flows < queues ? flows : queues;
	return flows ? flows : 1;
}

static int diffecn_is_long(const struct diffecn_state *s, uint32_t queue_bytes)
{
	return queue_bytes > s->threshold_bytes[s->flows];
}

static uint32_t diffecn_queue_verdict(int by_queue)
{
	return by_queue ? WEIR_MARK_CE | weir_mark_reason(DIFFECN_QUEUE) : WEIR_MARK_PASS;
}

static NOINLINE uint32_t diffecn_dequeue_slow(struct diffecn_state *s,
					      const struct diffecn_params *p,
					      const struct weir_mark_view *v)
{
	int by_queue, by_rate;

	s->flows = diffecn_count_flows(s, p, v);
	by_queue = diffecn_is_long(s, v->queue_bytes);
	if (!diffecn_needs_rates(p))
		return diffecn_queue_verdict(by_queue);
	by_rate = weir_flow_rates_exceeds(diffecn_rates(s, p), v->flow_hash, v->now_ns);
	s->judged[by_rate][by_queue]++;
	if (p->judge == JUDGE_IDEAL)
		return by_rate ? WEIR_MARK_CE | weir_mark_reason(DIFFECN_RATE) : WEIR_MARK_PASS;
	return diffecn_queue_verdict(by_queue);
}

/* Verdict on a packet that left queue_bytes behind; flow_queues_leave was called. */
static inline uint32_t diffecn_judge(struct diffecn_state *s, uint32_t queue_bytes)
{
	uint32_t busy = flow_queues_busy(diffecn_queues(s));

	s->flows = busy ? busy : 1;
	return diffecn_queue_verdict(diffecn_is_long(s, queue_bytes));
}

static uint32_t diffecn_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct diffecn_state *s = state;

	flow_queues_leave(diffecn_queues(s), v->queue, v->queue_pkts);
	if (UNLIKELY(!s->is_plain))
		return diffecn_dequeue_slow(s, params, v);
	return diffecn_judge(s, v->queue_bytes);
}

static uint32_t diffecn_dequeue_fast(void *state, const void *params, uint32_t queue,
				     const struct weir_queue *q)
{
	(void)params;
	flow_queues_leave(diffecn_queues(state), queue, q->pkts);
	return diffecn_judge(state, q->bytes);
}

static const struct weir_mark_fast_hooks diffecn_fast_hooks = {
	.suffice = diffecn_passes_idle,
	.choose_queue = diffecn_choose_queue_fast,
	.dequeue = diffecn_dequeue_fast,
};

/* --- values --- */

static double diffecn_read_flows(const void *state, const void *params)
{
	const struct diffecn_state *s = state;

	(void)params;
	return s->flows;
}

static double diffecn_read_threshold(const void *state, const void *params)
{
	const struct diffecn_state *s = state;

	(void)params;
	return s->threshold_bytes[s->flows];
}

static double diffecn_read_priority(const void *state, const void *params)
{
	(void)params;
	return (double)diffecn_queues_const(state)->priority_pkts;
}

static double diffecn_read_joins(const void *state, const void *params)
{
	(void)params;
	return (double)diffecn_queues_const(state)->joins;
}

static double diffecn_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

/* Equation (3): right judgements of all. Without score there is none to read. */
static double diffecn_read_accuracy(const void *state, const void *params)
{
	const struct diffecn_state *s = state;
	const struct diffecn_params *p = params;
	uint64_t right = s->judged[0][0] + s->judged[1][1];

	return p->score ? diffecn_ratio(right, right + s->judged[0][1] + s->judged[1][0]) : NAN;
}

/* Equation (4): of the packets of congested flows, those that the queue finds. */
static double diffecn_read_recall(const void *state, const void *params)
{
	const struct diffecn_state *s = state;
	const struct diffecn_params *p = params;

	return p->score ? diffecn_ratio(s->judged[1][1], s->judged[1][1] + s->judged[1][0]) : NAN;
}

static const struct weir_mark_value diffecn_values[] = {
	{ "flows", "", diffecn_read_flows },
	{ "threshold", "bytes", diffecn_read_threshold },
	{ "priority", "pkts", diffecn_read_priority }, /* all that the first queue was chosen for */
	{ "joins", "", diffecn_read_joins },           /* of flows to a queue of others */
	{ "accuracy", "", diffecn_read_accuracy },
	{ "recall", "", diffecn_read_recall },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_diffecn = {
	.scheme = {
		.name = "diffecn",
		.help = "DiffECN: a queue per active flow; marks flows whose queue exceeds their "
			"fair share",
		.cite = "Huang et al., DiffECN: Differential ECN Marking for Datacenter Networks, ToN 2024",
		.params_size = sizeof(struct diffecn_params),
		.options = diffecn_options,
		.check = diffecn_check,
	},
	.state_size = sizeof(struct diffecn_state),
	.scope = WEIR_MARK_STATE_PER_PORT,
	.reasons = { [DIFFECN_QUEUE] = "queue above its share",
		     [DIFFECN_RATE] = "rate above its share" },
	.values = diffecn_values,
	.size = diffecn_size,
	.layout = diffecn_layout,
	.init = diffecn_init,
	.passes_idle = diffecn_passes_idle,
	.choose_queue = diffecn_choose_queue,
	.dequeue = diffecn_dequeue,
	.fast_hooks = &diffecn_fast_hooks,
};
