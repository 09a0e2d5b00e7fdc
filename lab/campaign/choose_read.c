/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_read.c -- the request of a search: goal, constraints, and ranges. */
#include "base/quantity.h"
#include "lab/campaign/choose.h"
#include "lab/store/results.h"
#include "sim/measure/section.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = METRICS_MAX + FLOW_METRICS };

static int unknown_metric(const char *name, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	const char *nearest;

	for (uint32_t i = 0; metric_all[i].name && count < METRICS_MAX; i++)
		names[count++] = metric_all[i].name;
	for (uint32_t i = 0; flow_metric_name(i) && count < NAMES_MAX; i++)
		names[count++] = flow_metric_name(i);
	nearest = weir_nearest_name(name, names, count);
	return weir_error_set(e, "unknown metric %s%s%s%s; 'weir list metric' names them",
			      weir_quote(name).text, nearest ? " (nearest: " : "",
			      nearest ? nearest : "", nearest ? ")" : "");
}

static const char *const units[] = { "", "_ns", "_bps", "_bytes", "_pkts" };

/* With its unit or without. */
static int is_of_run(const char *name)
{
	char whole[64];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s", name, units[i]);
		if (metric_index(whole) >= 0)
			return 1;
	}
	return 0;
}

static int no_section_metric(const char *name, struct weir_error *e)
{
	char list[512] = "";
	size_t used = 0;

	for (int i = 0; i < SECTION_METRICS && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, ", %s",
					 metric_all[section_metric_all[i].metric].name);
	return weir_error_set(e,
			      "%s is of the whole run; of a section there are fct and slowdown "
			      "metrics%s",
			      name, list);
}

/* As it is, or without the unit that its name ends with. */
static int find_metric(struct choose_metric *m, const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(m->name, sizeof(m->name), "%s%s", name, units[i]);
		m->index = metric_index(m->name);
		if (m->section[0] && m->index >= 0 && section_metric_find((uint32_t)m->index) < 0)
			m->index = -1;
		if (m->index >= 0)
			m->unit = metric_all[m->index].unit;
		if (m->index >= 0 ||
		    (flow_metric_find(m->name, &m->flow) && flow_metric_known(m->name, &m->unit)))
			return 1;
	}
	return 0;
}

/* "NAME" or "NAME of SECTION". */
static int read_metric(struct choose_metric *m, const char *text, struct weir_error *e)
{
	char name[64];

	memset(m, 0, sizeof(*m));
	if (sscanf(text, "%48s of %63s", name, m->section) < 1)
		return weir_error_set(e, "a metric is missing");
	if (find_metric(m, name))
		return 0;
	if (m->section[0] && is_of_run(name))
		return no_section_metric(name, e);
	return unknown_metric(name, e);
}

struct choose_text choose_metric_text(const struct choose_metric *m)
{
	struct choose_text t;

	snprintf(t.text, sizeof(t.text), "%s%s%s", m->name, m->section[0] ? " of " : "",
		 m->section);
	return t;
}

int choose_read_goal(struct choose_request *q, const char *text, struct weir_error *e)
{
	q->goal_is_most = text[0] == '-';
	return read_metric(&q->goal, text + q->goal_is_most, e);
}

static int keep_form(const char *text, struct weir_error *e)
{
	return weir_error_set(e,
			      "%s; write METRIC >= NUMBER of best, or METRIC <= NUMBER, as in "
			      "'goodput >= 0.98 of best'",
			      weir_quote(text).text);
}

int choose_add_keep(struct choose_request *q, const char *text, struct weir_error *e)
{
	const char *sign = strstr(text, ">="), *best;
	char metric[128], number[64];
	struct choose_keep *k = &q->keeps[q->keep_count];
	struct quantity read;

	if (q->keep_count == CHOOSE_KEEPS_MAX)
		return weir_error_set(e, "at most %d may be given", CHOOSE_KEEPS_MAX);
	k->is_most = sign != NULL;
	sign = sign ? sign : strstr(text, "<=");
	if (!sign || sscanf(sign + 2, "%63s", number) != 1)
		return keep_form(text, e);
	snprintf(metric, sizeof(metric), "%.*s", (int)(sign - text), text);
	best = strstr(sign, " of ");
	if (best && strcmp(best, " of best") != 0)
		return keep_form(text, e);
	k->is_of_best = best != NULL;
	if (read_metric(&k->metric, metric, e) || quantity_read(&read, number, e) ||
	    quantity_in(&read, number, k->is_of_best ? "" : k->metric.unit, &k->number, e))
		return -1;
	q->keep_count++;
	return 0;
}

int choose_add_range(struct choose_request *q, const char *text, struct weir_error *e)
{
	if (q->range_count == CHOOSE_RANGES_MAX)
		return weir_error_set(e, "at most %d may be given", CHOOSE_RANGES_MAX);
	if (range_read(&q->ranges[q->range_count], text, e))
		return -1;
	q->range_count++;
	return 0;
}

void choose_request_free(struct choose_request *q)
{
	for (uint32_t i = 0; i < q->range_count; i++)
		range_free(&q->ranges[i]);
	q->range_count = 0;
}
