/* SPDX-License-Identifier: BSD-3-Clause */
/* agent_fixture.h -- an agent on the table: some queues, telemetry made by hand, knobs. */
#ifndef TESTS_AGENT_FIXTURE_H
#define TESTS_AGENT_FIXTURE_H
#include "tests/learn_fixture.h"
#include "weir/agent.h"

enum { FIXTURE_QUEUES_MAX = 8 };

struct agent_fixture {
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_agent_ops *ops;
	struct weir_agent_queue queues[FIXTURE_QUEUES_MAX];
	struct weir_agent_env env;
	struct weir_tune_telemetry telemetry[FIXTURE_QUEUES_MAX];
	struct weir_tune_knobs knobs[FIXTURE_QUEUES_MAX];
	void *state;
};

/* Queues on links of 25 Gb/s, one in each group in turn, slots of 100 us: 312,500 bytes. */
static inline void agent_fixture_set(struct agent_fixture *d, const char *spec, uint32_t queues)
{
	struct weir_error e = { "" };

	memset(d, 0, sizeof(*d));
	if (weir_agent_parse(spec, &d->ops, d->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < queues; i++) {
		d->queues[i] = (struct weir_agent_queue){ .rate_bps = 25000000000,
							  .mtu_bytes = 1000,
							  .group = i % WEIR_AGENT_GROUPS,
							  .port = i };
		d->telemetry[i] = (struct weir_tune_telemetry){ .interval_ns = 100000,
								.rate_bps = 25000000000,
								.mtu_bytes = 1000 };
	}
	d->env = (struct weir_agent_env){ .seed = 1,
					  .interval_ns = 100000,
					  .rtt_ns = 5000,
					  .queue_count = queues,
					  .queues = d->queues };
}

static inline void agent_fixture_begin(struct agent_fixture *d)
{
	d->state = fixture_block(d->ops->size(d->params, &d->env));
	d->ops->init(d->state, d->params, &d->env, d->knobs);
}

static inline void agent_fixture_open(struct agent_fixture *d, const char *spec, uint32_t queues)
{
	agent_fixture_set(d, spec, queues);
	agent_fixture_begin(d);
}

static inline void agent_fixture_step(struct agent_fixture *d)
{
	d->ops->step(d->state, d->params, &d->env, d->telemetry, d->knobs);
}

static inline double agent_fixture_value(const struct agent_fixture *d, const char *name,
					 uint32_t queue)
{
	for (const struct weir_agent_value *v = d->ops->values; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(d->state, d->params, queue);
	test_fail(__FILE__, __LINE__, "no value '%s'", name);
}

static inline void agent_fixture_close(struct agent_fixture *d)
{
	free(d->state);
}

/* P_max of the line that knobs are, in percent. */
static inline double knobs_percent(const struct weir_tune_knobs *k)
{
	double slope = (double)k->slope_q32 / (double)WEIR_ONE_Q32;

	return 100.0 * slope * (double)(k->max_bytes - k->min_bytes) / 1e6;
}
#endif
