/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c -- the rows of a run that has just ended. */
#include "lab/store/results.h"
#include "lab/store/columns.h"
#include "base/version.h"
#include "lab/scenario/scenario.h"
#include "sim/measure/result.h"

enum { LINK_NAME_SIZE = 128 };

/* Passes settings to a row visitor; scenario_settings itself cannot be stopped. */
struct setting_visit {
	const struct row_visitor *visitor;
	int answer;
};

static void rows_visit_setting(void *context, const char *path, const char *value)
{
	const struct setting_row row = { path, value };
	struct setting_visit *at = context;

	if (!at->answer)
		at->answer = at->visitor->visit(at->visitor->context, &row);
}

static int rows_each_setting(const struct config *c, const struct row_visitor *v,
			     struct weir_error *e)
{
	struct setting_visit at = { v, 0 };

	return scenario_settings(c, rows_visit_setting, &at, e);
}

static void rows_visit_run(const struct finished_run *f, const struct row_visitor *v)
{
	const struct version version = version_of_results();
	const struct run_head row = { f->key,
				      f->c->title,
				      version.text,
				      f->r->wall_seconds,
				      f->r->held_up[0] ? f->r->held_up : NULL,
				      f->r->partial };

	v->visit(v->context, &row);
}

static void rows_each_metric(const struct run_result *r, const struct row_visitor *v)
{
	int answer = 0;

	for (size_t i = 0; metric_all[i].name && !answer; i++)
		answer = v->visit(
			v->context,
			&(struct metric_row){ metric_stored_name(&metric_all[i]), r->value[i] });
}

void section_metric_name(char name[SECTION_METRIC_SIZE], const char *metric, const char *section)
{
	snprintf(name, SECTION_METRIC_SIZE, "%s of %s", metric, section);
}

/* Visits "round_mean_ns of ai" for the metrics that each section can have. */
static void rows_each_section_metric(const struct finished_run *f, const struct row_visitor *v)
{
	const struct run_result *r = f->r;
	int answer = 0;

	for (uint32_t s = 0; s < r->section_count; s++)
		for (uint32_t k = 0; k < SECTION_METRICS && !answer; k++) {
			const struct section_metric *m = &section_metric_all[k];
			char name[SECTION_METRIC_SIZE];

			if (!section_has(f->c, s, m->need))
				continue;
			section_metric_name(name, metric_all[m->metric].name,
					    f->c->traffic[s].name);
			answer =
				v->visit(v->context,
					 &(struct metric_row){
						 name, r->section_value[s * SECTION_METRICS + k] });
		}
}

static void rows_each_reason(const struct run_result *r, const struct row_visitor *v)
{
	int answer = 0;

	for (uint32_t i = 0; i < r->reason_count && !answer; i++)
		answer = v->visit(v->context, &r->reasons[i]);
}

static void rows_each_traffic(const struct config *c, const struct row_visitor *v)
{
	int answer = 0;

	for (uint32_t i = 0; i < c->traffic_count && !answer; i++)
		answer = v->visit(v->context, &(struct traffic_row){ c->traffic[i].name });
}

static void rows_each_flow(const struct finished_run *f, const struct row_visitor *v)
{
	int answer = 0;

	for (uint32_t i = 0; i < f->r->flow_count && !answer; i++) {
		const struct flow *w = &f->r->flows[i];

		if ((w->flags & FLOW_IS_SPARE) && w->start_ps == WEIR_TIME_NEVER_PS)
			continue;
		const struct stored_flow row = {
			.flow = i,
			.traffic = f->c->traffic[w->traffic].name,
			.section = w->traffic,
			.class_id = w->class_id,
			.src = w->src,
			.dst = w->dst,
			.size_bytes = w->size_bytes,
			.start_ps = w->start_ps,
			.finish_ps = w->finish_ps,
			.ideal_ps = f->r->ideal_ps[i],
		};

		answer = v->visit(v->context, &row);
	}
}

static void rows_each_port(const struct run_result *r, const struct row_visitor *v)
{
	char name[LINK_NAME_SIZE];
	int answer = 0;

	for (uint32_t i = 0; i < r->port_count && !answer; i++) {
		const struct stored_port row = { link_name(&r->network, r->ports[i].link, name,
							   sizeof(name)),
						 i == r->measured_port, r->ports[i] };

		answer = v->visit(v->context, &row);
	}
}

static void rows_each_pause(const struct run_result *r, const struct row_visitor *v)
{
	char name[LINK_NAME_SIZE];
	int answer = 0;

	for (uint32_t i = 0; i < r->pause_count && !answer; i++) {
		const struct stored_pause row = {
			link_name(&r->network, r->pauses[i].link, name, sizeof(name)), r->pauses[i]
		};

		answer = v->visit(v->context, &row);
	}
}

static void rows_each_series(const struct run_result *r, const struct row_visitor *v)
{
	int answer = 0;

	for (uint32_t i = 0; i < r->series_count && !answer; i++) {
		const struct series *s = &r->series[i];
		const struct stored_series row = { s->name, s->unit, s->count, s->time_ps,
						   s->value };

		answer = v->visit(v->context, &row);
	}
}

int finished_each(const struct finished_run *f, enum table_id table, const struct row_visitor *v,
		  struct weir_error *e)
{
	switch (table) {
	case TABLE_SETTING:
		return rows_each_setting(f->c, v, e);
	case TABLE_RUN:
		rows_visit_run(f, v);
		break;
	case TABLE_METRIC:
		rows_each_metric(f->r, v);
		rows_each_section_metric(f, v);
		break;
	case TABLE_REASON:
		rows_each_reason(f->r, v);
		break;
	case TABLE_TRAFFIC:
		rows_each_traffic(f->c, v);
		break;
	case TABLE_FLOW:
		rows_each_flow(f, v);
		break;
	case TABLE_PORT:
		rows_each_port(f->r, v);
		break;
	case TABLE_PAUSES:
		rows_each_pause(f->r, v);
		break;
	case TABLE_SERIES:
		rows_each_series(f->r, v);
		break;
	case TABLE_PLAN:
	case TABLE_DIGEST:
	case TABLES:
		break; /* in stores only */
	}
	return 0;
}
