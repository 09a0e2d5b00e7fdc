/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_fixture.h -- the decisions of a control under test, recorded. */
#ifndef TESTS_DECISION_FIXTURE_H
#define TESTS_DECISION_FIXTURE_H
#include "tests/rdma_fixture.h"

enum { DECISIONS_MAX = 16 };

struct decisions {
	struct weir_cc_rollout rollout;
	uint32_t count;
	struct weir_cc_decision rows[DECISIONS_MAX];
};

static inline void decisions_add(void *context, const struct weir_cc_decision *d)
{
	struct decisions *s = context;

	CHECK(s->count < DECISIONS_MAX);
	s->rows[s->count++] = *d;
}

/* From now on, without noise. */
static inline void decisions_watch(struct pair *q, struct decisions *s)
{
	memset(s, 0, sizeof(*s));
	s->rollout = (struct weir_cc_rollout){ .record = decisions_add, .context = s };
	q->ack.rollout = &s->rollout;
}
#endif
