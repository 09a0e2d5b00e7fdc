/* SPDX-License-Identifier: BSD-3-Clause */
/* mark_fixture.h -- a marking scheme on the workbench: no port, the test shows it what it likes. */
#ifndef TESTS_MARK_FIXTURE_H
#define TESTS_MARK_FIXTURE_H
#include "tests/test.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

enum { MARKER_STATE_MAX = 128 };

/* One instance of a scheme, as an owner would hold it. */
struct marker {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[MARKER_STATE_MAX];
};

/* A packet of 1500 B takes 1200 ns. */
static const struct weir_mark_env marker_env = {
	.seed = 11, .rate_bps = 10000000000, .rtt_ns = 100000, .queues = 1, .mtu_bytes = 1500
};

static inline void marker_make(struct marker *m, const char *spec)
{
	struct weir_error e = { "" };

	if (weir_mark_parse(spec, &m->ops, m->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(weir_mark_state_size(m->ops, m->params) <= sizeof(m->state));
	memset(m->state, 0, sizeof(m->state));
	if (m->ops->init)
		m->ops->init(m->state, m->params, &marker_env);
}

static inline uint32_t marker_enqueue(struct marker *m, const struct weir_mark_view *v)
{
	return m->ops->enqueue(m->state, m->params, v);
}

static inline uint32_t marker_dequeue(struct marker *m, const struct weir_mark_view *v)
{
	return m->ops->dequeue(m->state, m->params, v);
}

/* What the scheme publishes under that name. */
static inline double marker_value(const struct marker *m, const char *name)
{
	for (const struct weir_mark_value *v = m->ops->values; v && v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(m->state, m->params);
	test_fail(__FILE__, __LINE__, "%s has no value %s", m->ops->scheme.name, name);
}

/* The message with which a spec is refused. */
static inline const char *marker_refusal(const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_mark_ops *ops;

	if (weir_mark_parse(spec, &ops, params, e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted", spec);
	return e->text;
}

/* Four standard deviations of a frequency over n draws. */
static inline double four_sigma(double p, int n)
{
	return 4 * sqrt(p * (1 - p) / n);
}

/* Fraction of n packets marked that come to the same view. */
static inline double marker_frequency(struct marker *m, const struct weir_mark_view *v, int n)
{
	int marks = 0;

	for (int i = 0; i < n; i++)
		marks += marker_enqueue(m, v) != WEIR_MARK_PASS;
	return (double)marks / n;
}
#endif
