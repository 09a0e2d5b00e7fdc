/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c -- reads a report from its store: the comparisons, the answer and its charts. */
#include "lab/report/report.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static const enum metric_group flow_groups[] = { METRIC_TRAFFIC, METRIC_COMPLETION };
static const enum metric_group network_groups[] = { METRIC_QUEUE, METRIC_WAITING, METRIC_LOSSES };
static const enum metric_group tier_groups[] = { METRIC_BY_TIER };
static const enum metric_group app_groups[] = { METRIC_APPLICATIONS, METRIC_AGENTS };

static const struct {
	const enum metric_group *groups;
	uint32_t count;
} table_groups[] = { [REPORT_FLOWS] = { flow_groups, 2 },
		     [REPORT_NETWORK] = { network_groups, 3 },
		     [REPORT_TIERS] = { tier_groups, 1 },
		     [REPORT_APPLICATIONS] = { app_groups, 2 } };

static void report_list_metric(struct report_metrics *l, const char *name)
{
	if (l->count < REPORT_METRICS_MAX)
		l->names[l->count++] = name;
}

/* Completion times are listed in the order of flow_metric_name, because metric_all lacks some. */
static void report_list_group(struct report_metrics *l, enum metric_group group, int of_all_sizes)
{
	struct flow_metric m;

	for (uint32_t i = 0; group == METRIC_COMPLETION && flow_metric_name(i); i++)
		if ((metric_find(flow_metric_name(i))->shown & METRIC_IN_REPORTS) &&
		    flow_metric_find(flow_metric_name(i), &m) &&
		    (!of_all_sizes || m.class == CLASS_ALL))
			report_list_metric(l, flow_metric_name(i));
	for (const struct metric *a = metric_all; group != METRIC_COMPLETION && a->name; a++)
		if (a->group == group && (a->shown & METRIC_IN_REPORTS))
			report_list_metric(l, a->name);
}

struct report_metrics report_metrics_of(enum report_table table)
{
	struct report_metrics l = { .count = 0 };

	if (table == REPORT_PARTS)
		report_list_group(&l, METRIC_COMPLETION, 1);
	else if (table == REPORT_FIRST)
		for (uint32_t i = 0; answer_metric(i); i++)
			report_list_metric(&l, answer_metric(i));
	else
		for (uint32_t i = 0; i < table_groups[table].count; i++)
			report_list_group(&l, table_groups[table].groups[i], 0);
	return l;
}

void report_add_sentence(struct report *r, const char *line)
{
	r->sentences =
		memory_grow(r->sentences, r->sentence_count + UINT64_C(1), sizeof(*r->sentences));
	r->sentences[r->sentence_count] = NULL;
	text_print(&r->sentences[r->sentence_count++], "%s", line);
}

static void report_receive_sentence(void *context, const char *line)
{
	report_add_sentence(context, line);
}

/* Makes another comparison of the same runs, with the metrics of a table. */
static int report_compare_more(struct comparison *c, struct store *s, struct compare_request *q,
			       enum report_table table, struct weir_error *e)
{
	const struct report_metrics metrics = report_metrics_of(table);

	q->metrics = metrics.names;
	q->metric_count = metrics.count;
	return comparison_make(c, s, q, e);
}

/* Sentences and ratios. */
static int report_answers(struct report *r, struct store *s, struct weir_error *e)
{
	struct compare_request ratios = { .scope = r->compare.scope };
	const struct line_sink ear = { report_receive_sentence, r };
	int axis = answer_axis(&r->compare);

	if (r->has_choice)
		report_choice_sentences(r);
	if (axis < 0 || r->has_choice)
		return 0;
	ratios.normalize_to = answer_baseline(&r->compare, axis);
	return answer_write(&r->compare, s, NULL, &ear, e) ||
			       report_compare_more(&r->ratios, s, &ratios, REPORT_FIRST, e)
		       ? -1
		       : 0;
}

/* Compares by traffic section, if there are several. */
static int report_read_parts(struct report *r, struct store *s, struct weir_error *e)
{
	const char *const by[] = { compare_split_names[SPLIT_TRAFFIC] };
	struct compare_request parts = { .scope = r->compare.scope, .by = by, .by_count = 1 };

	return r->compare.section_count > 1
		       ? report_compare_more(&r->parts, s, &parts, REPORT_PARTS, e)
		       : 0;
}

/* Adds a name once; tables have metrics in common. */
static void report_add_column(const char **names, uint32_t *count, const char *name)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(names[i], name) == 0)
			return;
	names[(*count)++] = name;
}

int report_read_first(struct report *r, struct store *s, enum store_scope scope,
		      struct weir_error *e)
{
	const char *names[(REPORT_PARTS + 1) * REPORT_METRICS_MAX];
	struct compare_request q = {
		.metrics = names, .scope = scope, .is_usual = 1, .same = ROWS_JOINED
	};
	int failed;

	for (int table = 0; table < REPORT_PARTS; table++) {
		const struct report_metrics l = report_metrics_of((enum report_table)table);

		for (uint32_t i = 0; i < l.count; i++)
			report_add_column(names, &q.metric_count, l.names[i]);
	}
	*r = (struct report){ .setting_count = 0 };
	failed = choice_read(&r->choice, s, e);
	if (failed < 0)
		return -2;
	r->has_choice = failed;
	if (r->has_choice)
		q.same = ROWS_APART; /* every setting has its row */
	failed = comparison_make(&r->compare, s, &q, e);
	if (failed) {
		choice_free(&r->choice);
		return failed;
	}
	report_compare(r);
	if (report_answers(r, s, e)) {
		report_free(r);
		return -2;
	}
	return 0;
}

int report_read(struct report *r, struct store *s, enum store_scope scope, struct weir_error *e)
{
	int failed = report_read_first(r, s, scope, e);

	if (failed)
		return failed;
	if (report_read_parts(r, s, e) || report_sizes(r, s, e) || report_charts(r, s, e)) {
		report_free(r);
		return -2;
	}
	return 0;
}

void report_free(struct report *r)
{
	for (uint32_t i = 0; i < r->setting_count; i++)
		free(r->settings[i].values);
	for (uint32_t i = 0; i < r->scheme_count; i++)
		free(r->schemes[i]);
	free(r->settings);
	free(r->schemes);
	free(r->cases);
	for (uint32_t i = 0; i < r->sentence_count; i++)
		free(r->sentences[i]);
	free(r->sentences);
	chart_list_free(&r->charts);
	comparison_free(&r->parts);
	comparison_free(&r->ratios);
	comparison_free(&r->compare);
	choice_free(&r->choice);
	*r = (struct report){ .setting_count = 0 };
}
