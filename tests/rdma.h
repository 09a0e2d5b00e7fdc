/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma.h -- for tests of queue pairs: a control that holds a rate and a window and writes down what
 * it hears, and a look at a line. */
#ifndef TESTS_RDMA_H
#define TESTS_RDMA_H
#include "sim/core/segment.h"
#include "tests/sim.h"

#define US(n) (weir_ns_to_ps(n) * WEIR_NS_PER_US)

/* --- the control --- */

enum { HEARD_MAX = 64 };

struct heard {
	uint32_t acks, cnps, losses, timeouts;
	struct weir_cc_ack ack[HEARD_MAX];
	struct weir_cc_hop hop[HEARD_MAX][WEIR_CC_HOPS_MAX];
	int64_t cnp_ns[HEARD_MAX];
	struct weir_cc_env env;
};

struct fixed_params {
	uint64_t rate_bps, window_bytes;
	int64_t then_ns; /* 0, or from then on: */
	uint64_t then_bps;
	struct heard *heard;
};

static inline void fixed_init(void *state, const void *params, const struct weir_cc_env *env)
{
	const struct fixed_params *p = params;
	struct weir_cc_pace *s = state;

	p->heard->env = *env;
	s->rate_bps = p->rate_bps;
	s->window_bytes = p->window_bytes;
	s->wake_ns = p->then_ns;
}

static inline void fixed_ack(void *state, const void *params, const struct weir_cc_env *env,
			     const struct weir_cc_ack *a)
{
	struct heard *h = ((const struct fixed_params *)params)->heard;

	(void)state;
	(void)env;
	if (h->acks < HEARD_MAX) {
		h->ack[h->acks] = *a;
		if (a->hop_count)
			memcpy(h->hop[h->acks], a->hops, a->hop_count * sizeof(*a->hops));
	}
	h->acks++;
}

static inline void fixed_congestion(void *state, const void *params, const struct weir_cc_env *env,
				    enum weir_cc_event event, const struct weir_cc_ack *a)
{
	struct heard *h = ((const struct fixed_params *)params)->heard;

	(void)state;
	(void)env;
	(void)a;
	h->losses += event == WEIR_CC_LOSS;
	h->timeouts += event == WEIR_CC_TIMEOUT;
}

static inline void fixed_cnp(void *state, const void *params, const struct weir_cc_env *env,
			     int64_t now_ns)
{
	struct heard *h = ((const struct fixed_params *)params)->heard;

	(void)state;
	(void)env;
	if (h->cnps < HEARD_MAX)
		h->cnp_ns[h->cnps] = now_ns;
	h->cnps++;
}

static inline void fixed_timer(void *state, const void *params, const struct weir_cc_env *env,
			       int64_t now_ns)
{
	const struct fixed_params *p = params;
	struct weir_cc_pace *s = state;

	(void)env;
	CHECK_INT(now_ns, p->then_ns);
	CHECK_INT(s->wake_ns, 0);
	s->rate_bps = p->then_bps;
}

#define FIXED_OPS(needs_) \
	{ \
		.scheme.name = "fixed", .transport = WEIR_CC_RDMA, .echo = WEIR_CC_ECHO_EXACT, \
		.needs = needs_, .scheme.params_size = sizeof(struct fixed_params), \
		.state_size = sizeof(struct weir_cc_pace), .init = fixed_init, .ack = fixed_ack, \
		.congestion = fixed_congestion, .cnp = fixed_cnp, .timer = fixed_timer, \
	}

static const struct weir_cc_ops fixed_plain __attribute__((unused)) = FIXED_OPS(0);
static const struct weir_cc_ops fixed_cnps __attribute__((unused)) = FIXED_OPS(WEIR_CC_NEEDS_CNP);
static const struct weir_cc_ops fixed_int __attribute__((unused)) = FIXED_OPS(WEIR_CC_NEEDS_INT);

/* Traffic section number of a scenario that was read with a control of like needs. */
static inline void use_fixed(struct sim *s, uint32_t traffic, const struct weir_cc_ops *ops,
			     const struct fixed_params *p)
{
	struct traffic_config *t = &s->c.traffic[traffic];

	t->cc_ops = ops;
	memcpy(t->cc_params, p, sizeof(*p));
}

/* --- lines --- */

enum { SEEN_MAX = 4096 };

struct seen {
	uint32_t count;
	struct {
		int64_t start_ps;
		uint32_t connection, number, bytes, flags, class_id;
	} packet[SEEN_MAX];
};

static inline void see(void *context, int64_t start_ps, const struct weir_packet *packet,
		       const struct flow *flow)
{
	struct seen *s = context;
	const struct segment *segment = packet_segment((struct weir_packet *)packet);

	(void)flow;
	if (s->count == SEEN_MAX)
		return;
	s->packet[s->count].start_ps = start_ps;
	s->packet[s->count].connection = segment->connection;
	s->packet[s->count].number = segment->number;
	s->packet[s->count].bytes = packet->bytes;
	s->packet[s->count].class_id = packet->class_id;
	s->packet[s->count++].flags = packet->flags;
}

static inline void run_and_see(struct sim *s, const char *port, struct seen *seen)
{
	const struct tap tap = { port, see, seen };
	const struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };
	struct weir_error e = { "" };

	seen->count = 0;
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

#endif
