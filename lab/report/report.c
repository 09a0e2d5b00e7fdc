/* report.c -- a report from its store, and its charts as files. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/report.h"
#include "lab/base/output.h"
#include "sim/base/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct report_metric report_flow_metrics[] = {
	{ "flows_completed", "flows", ALWAYS },
	{ "fct_mean_ns", "FCT mean", ALWAYS },
	{ "fct_p50_ns", "FCT p50", ALWAYS },
	{ "fct_p95_ns", "FCT p95", ALWAYS },
	{ "fct_p99_ns", "FCT p99", ALWAYS },
	{ "fct_p999_ns", "FCT p99.9", ALWAYS },
	{ "fct_small_mean_ns", "small mean", ALWAYS },
	{ "fct_small_p99_ns", "small p99", ALWAYS },
	{ "fct_medium_mean_ns", "medium mean", ALWAYS },
	{ "fct_over_1mb_mean_ns", ">1MB mean", ALWAYS },
	{ "fct_large_mean_ns", "large mean", ALWAYS },
	{ "slowdown_mean", "slowdown mean", ALWAYS },
	{ "slowdown_p95", "slowdown p95", ALWAYS },
	{ "slowdown_p99", "slowdown p99", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

const struct report_metric report_network_metrics[] = {
	{ "queue_mean_pkts", "queue mean", ALWAYS },
	{ "queue_p99_pkts", "queue p99", ALWAYS },
	{ "queue_max_pkts", "queue max", ALWAYS },
	{ "network_queue_mean_pkts", "network queue mean", ALWAYS },
	{ "network_queue_max_pkts", "network queue max", ALWAYS },
	{ "goodput_bps", "goodput", ALWAYS },
	{ "utilisation", "utilisation", ALWAYS },
	{ "mark_fraction", "marked", ALWAYS },
	{ "marks", "marks", ALWAYS },
	{ "drops", "drops", ALWAYS },
	{ "timeouts", "timeouts", ALWAYS },
	{ "pause_fraction", "paused", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

const struct report_metric report_tier_metrics[] = {
	{ "network_queue_p99_pkts", "queue p99, all ports", ALWAYS },
	{ "network_wait_mean_ns", "wait at a port", ALWAYS },
	{ "utilisation_from_hosts", "busy: from hosts", ALWAYS },
	{ "utilisation_up", "busy: up", ALWAYS },
	{ "utilisation_down", "busy: down", ALWAYS },
	{ "utilisation_to_hosts", "busy: to hosts", ALWAYS },
	{ "marks_up", "marks: up", ALWAYS },
	{ "marks_down", "marks: down", ALWAYS },
	{ "marks_to_hosts", "marks: to hosts", ALWAYS },
	{ "pause_fraction_from_hosts", "paused: hosts", ALWAYS },
	{ "pause_fraction_up", "paused: up", ALWAYS },
	{ "pause_fraction_down", "paused: down", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

const struct report_metric report_app_metrics[] = {
	{ "iops", "I/Os a second", ALWAYS },
	{ "read_iops", "reads a second", ALWAYS },
	{ "io_read_p50_ns", "read p50", ALWAYS },
	{ "io_read_p99_ns", "read p99", ALWAYS },
	{ "write_iops", "writes a second", ALWAYS },
	{ "io_write_p50_ns", "write p50", ALWAYS },
	{ "io_write_p99_ns", "write p99", ALWAYS },
	{ "round_mean_ns", "round, mean", ALWAYS },
	{ "round_p50_ns", "round p50", ALWAYS },
	{ "round_p99_ns", "round p99", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

const struct report_metric report_first_metrics[] = {
	{ "fct_small_p99_ns", "small flows, p99", ALWAYS },
	{ "fct_p99_ns", "all flows, p99", STANDS_IN },
	{ "fct_mean_ns", "all flows, mean", STANDS_IN },
	{ "fct_large_mean_ns", "large flows, mean", ALWAYS },
	{ "slowdown_p99", "slowdown p99", ALWAYS },
	{ "queue_mean_pkts", "queue, mean", ALWAYS },
	{ "network_queue_mean_pkts", "queue, mean of ports", ALWAYS },
	{ "drops", "drops", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

const struct report_metric report_part_metrics[] = {
	{ "fct_p50_ns", "FCT p50", ALWAYS },
	{ "fct_p95_ns", "FCT p95", ALWAYS },
	{ "fct_p99_ns", "FCT p99", ALWAYS },
	{ "slowdown_p50", "slowdown p50", ALWAYS },
	{ "slowdown_p95", "slowdown p95", ALWAYS },
	{ "slowdown_p99", "slowdown p99", ALWAYS },
	{ NULL, NULL, ALWAYS },
};

void report_add_sentence(struct report *r, const char *line)
{
	r->sentences =
		memory_grow(r->sentences, r->sentence_count + UINT64_C(1), sizeof(*r->sentences));
	r->sentences[r->sentence_count] = NULL;
	text_print(&r->sentences[r->sentence_count++], "%s", line);
}

static void keep_sentence(void *context, const char *line)
{
	report_add_sentence(context, line);
}

/* Another comparison of the same runs, with these metrics. */
static int compare_more(struct comparison *c, struct store *s, struct compare_request *q,
			const struct report_metric *metrics, struct weir_error *e)
{
	const char *names[REPORT_METRICS_MAX];

	q->metrics = names;
	q->metric_count = 0;
	for (; metrics->name; metrics++)
		names[q->metric_count++] = metrics->name;
	return comparison_make(c, s, q, e);
}

int report_answers(struct report *r, struct store *s, struct weir_error *e)
{
	struct compare_request ratios = { .scope = r->compare.scope };
	const struct answer_ear ear = { keep_sentence, r };
	int axis = answer_axis(&r->compare);

	if (r->has_choice)
		report_choice_sentences(r);
	if (axis < 0 || r->has_choice)
		return 0;
	ratios.normalize_to = answer_baseline(&r->compare, axis);
	return answer_say(&r->compare, s, NULL, &ear, e) ||
			       compare_more(&r->ratios, s, &ratios, report_first_metrics, e)
		       ? -1
		       : 0;
}

/* By traffic section, where there are several. */
static int read_parts(struct report *r, struct store *s, struct weir_error *e)
{
	const char *const by[] = { compare_split_names[SPLIT_TRAFFIC] };
	struct compare_request parts = { .scope = r->compare.scope, .by = by, .by_count = 1 };

	return r->compare.section_count > 1
		       ? compare_more(&r->parts, s, &parts, report_part_metrics, e)
		       : 0;
}

int report_read_first(struct report *r, struct store *s, enum store_scope scope,
		      struct weir_error *e)
{
	static const struct report_metric *const all[] = {
		report_flow_metrics, report_network_metrics, report_tier_metrics, report_app_metrics
	};
	const char *names[4 * REPORT_METRICS_MAX];
	struct compare_request q = {
		.metrics = names, .scope = scope, .is_usual = 1, .same = ROWS_JOINED
	};
	int failed;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (const struct report_metric *m = all[i]; m->name; m++)
			names[q.metric_count++] = m->name;
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
	if (read_parts(r, s, e) || report_sizes(r, s, e) || report_charts(r, s, e)) {
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

static int write_svg(const char *path, const struct chart *c, struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	chart_svg(o.stream, c);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int report_svg(const char *folder, const struct report *r, struct weir_error *e)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		return weir_error_set(e, "%s: cannot be made: %s", folder, strerror(errno));
	for (uint32_t i = 0; i < r->charts.count; i++) {
		char *path = NULL;
		int status;

		text_print(&path, "%s/%s.svg", folder, r->charts.all[i].id);
		status = write_svg(path, &r->charts.all[i], e);
		free(path);
		if (status)
			return -1;
	}
	return 0;
}
