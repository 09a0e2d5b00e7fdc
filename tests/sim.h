/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h -- runs a scenario that a test has written down, and reads what came of it. */
#ifndef TESTS_SIM_H
#define TESTS_SIM_H
#include "lab/scenario/scenario.h"
#include "sim/run/run.h"
#include "tests/test.h"
#include "weir/units.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SIM_TEXT_SIZE = 16384 };

struct sim {
	struct config c;
	struct run_result r;
};

static inline void sim_read_arguments(struct sim *s, const char *format, va_list arguments)
{
	struct scenario scenario;
	struct weir_error e = { "" };
	char text[SIM_TEXT_SIZE];
	int length = vsnprintf(text, sizeof(text), format, arguments);

	CHECK(length > 0 && length < SIM_TEXT_SIZE);
	memset(s, 0, sizeof(*s));
	if (scenario_read_text(&scenario, "test", text, (size_t)length, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	if (scenario_config(&scenario, &s->c, &e))
		test_fail(__FILE__, __LINE__, "%s in\n%s", e.text, text);
	scenario_free(&scenario);
}

/* Reads the text of a scenario, filled in as by printf, with all defaults as a user gets them. */
static inline __attribute__((format(printf, 2, 3))) void sim_read_default(struct sim *s,
									  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sim_read_arguments(s, format, arguments);
	va_end(arguments);
}

/* The same for times that are worked out by hand: without the jitter of hosts, which is not asked
 * for here. */
static inline __attribute__((format(printf, 2, 3))) void sim_read(struct sim *s, const char *format,
								  ...)
{
	va_list arguments;

	va_start(arguments, format);
	sim_read_arguments(s, format, arguments);
	va_end(arguments);
	s->c.host.jitter_ps = 0;
}

/* Packets and bytes are added up after every so many windows, each about as long as a link's
 * delay. */
enum { SIM_AUDIT_WINDOWS = 61 };

/* Runs it, anew where it was run before. Packets or bytes that do not add up fail the test. */
static inline void sim_run(struct sim *s, uint32_t threads)
{
	const struct run_control control = { .threads = threads,
					     .audit_windows = SIM_AUDIT_WINDOWS };
	struct weir_error e = { "" };

	run_result_free(&s->r);
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static inline void sim_end(struct sim *s)
{
	run_result_free(&s->r);
	config_free(&s->c);
}

static inline double sim_metric(const struct sim *s, const char *name)
{
	return run_metric(&s->r, name);
}

/* The switch port of that name, as in "right->h3". */
static inline const struct port_result *sim_port(const struct sim *s, const char *name)
{
	struct weir_error e = { "" };
	int64_t link = link_find(&s->r.network, name, &e);

	if (link < 0)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < s->r.port_count; i++)
		if (s->r.ports[i].link == link)
			return &s->r.ports[i];
	test_fail(__FILE__, __LINE__, "%s is not a switch port", name);
}

/* Every result is the same to the last bit; costs and the places of running state may differ. */
static inline void sim_check_same(const struct run_result *a, const struct run_result *b)
{
	for (uint32_t i = 0; metric_all[i].name; i++)
		if (metric_all[i].kind != METRIC_COST &&
		    memcmp(&a->value[i], &b->value[i], sizeof(a->value[i])) != 0)
			test_fail(__FILE__, __LINE__, "%s is %.17g and %.17g", metric_all[i].name,
				  a->value[i], b->value[i]);
	CHECK_INT(a->partial, b->partial);
	CHECK_INT(a->flow_count, b->flow_count);
	for (uint32_t i = 0; i < a->flow_count; i++) {
		struct flow f = a->flows[i], g = b->flows[i];

		f.tx = f.rx = g.tx = g.rx = FLOW_NONE;
		if (memcmp(&f, &g, sizeof(f)) != 0)
			test_fail(__FILE__, __LINE__, "flow %u ends at %lld and %lld ps", i,
				  (long long)f.finish_ps, (long long)g.finish_ps);
		CHECK_INT(a->ideal_ps[i], b->ideal_ps[i]);
	}
	CHECK_INT(a->port_count, b->port_count);
	CHECK_INT(a->measured_port, b->measured_port);
	for (uint32_t i = 0; i < a->port_count; i++) {
		const struct port_result *p = &a->ports[i], *q = &b->ports[i];

		CHECK_INT(p->link, q->link);
		CHECK_INT(p->tx_pkts, q->tx_pkts);
		CHECK_INT(p->tx_bytes, q->tx_bytes);
		CHECK_INT(p->marks, q->marks);
		CHECK_INT(p->drops, q->drops);
		CHECK_INT(p->queue_max_pkts, q->queue_max_pkts);
		CHECK(p->queue_mean_bytes == q->queue_mean_bytes);
		CHECK(p->queue_mean_pkts == q->queue_mean_pkts);
	}
	CHECK_INT(a->reason_count, b->reason_count);
	for (uint32_t i = 0; i < a->reason_count; i++) {
		CHECK_STR(a->reasons[i].name, b->reasons[i].name);
		CHECK_INT(a->reasons[i].count, b->reasons[i].count);
	}
}

/* How long a flow took. */
static inline int64_t sim_fct_ps(const struct sim *s, uint32_t flow)
{
	CHECK(flow < s->r.flow_count);
	CHECK(s->r.flows[flow].finish_ps >= 0);
	return s->r.flows[flow].finish_ps - s->r.flows[flow].start_ps;
}
#endif
