/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_fixture.h -- a congestion control for TCP on the desk: a test plays the transport. */
#ifndef TESTS_TCP_FIXTURE_H
#define TESTS_TCP_FIXTURE_H
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/units.h"
#include <string.h>

enum { MSS = 1000 };

/* A connection as a transport would hold it, sending and acknowledging at once. */
struct sender {
	const struct weir_cc_ops *ops;
	struct weir_cc_env env;
	struct weir_cc_ack ack; /* the last one */
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
};

static inline const struct weir_cc_window *window(const struct sender *s)
{
	return (const struct weir_cc_window *)(const void *)s->state;
}

static inline void sender_reset(struct sender *s)
{
	memset(s->state, 0, sizeof(s->state));
	s->ack = (struct weir_cc_ack){ .may_grow = 1 };
	s->ops->init(s->state, s->params, &s->env);
}

static inline void sender_make(struct sender *s, const char *spec)
{
	struct weir_error e = { "" };

	if (weir_cc_parse(spec, &s->ops, s->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(s->ops->state_size <= WEIR_CC_STATE_MAX);
	s->env = (struct weir_cc_env){ .mss_bytes = MSS, .initial_window_bytes = 10 * MSS };
	sender_reset(s);
}

/* So many bytes more are acknowledged while a window of data is in flight. */
static inline void acked(struct sender *s, uint64_t bytes, uint32_t echo)
{
	s->ack.acked_bytes = bytes;
	s->ack.una_bytes += bytes;
	s->ack.next_bytes = s->ack.una_bytes + window(s)->window_bytes;
	s->ack.echo = echo;
	s->ops->ack(s->state, s->params, &s->env, &s->ack);
}

static inline void event(struct sender *s, enum weir_cc_event what)
{
	s->ops->congestion(s->state, s->params, &s->env, what, &s->ack);
}

/* A pause: the transport leaves the initial window. */
static inline void restart(struct sender *s)
{
	struct weir_cc_window *w = (struct weir_cc_window *)(void *)s->state;

	w->window_bytes = s->env.initial_window_bytes;
	if (s->ops->restart)
		s->ops->restart(s->state, s->params, &s->env);
}
#endif
