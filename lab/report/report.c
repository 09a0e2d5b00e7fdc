/* report.c -- a report from its store, and its charts as files. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/report.h"
#include "lab/base/output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct report_metric report_flow_metrics[] = {
	{ "flows_completed", "flows" },
	{ "fct_mean_ns", "FCT mean" },
	{ "fct_p50_ns", "FCT p50" },
	{ "fct_p99_ns", "FCT p99" },
	{ "fct_p999_ns", "FCT p99.9" },
	{ "fct_small_mean_ns", "small mean" },
	{ "fct_small_p99_ns", "small p99" },
	{ "fct_medium_mean_ns", "medium mean" },
	{ "fct_over_1mb_mean_ns", ">1MB mean" },
	{ "fct_large_mean_ns", "large mean" },
	{ "slowdown_mean", "slowdown mean" },
	{ "slowdown_p99", "slowdown p99" },
	{ NULL, NULL },
};

const struct report_metric report_network_metrics[] = {
	{ "queue_mean_pkts", "queue mean" },
	{ "queue_p99_pkts", "queue p99" },
	{ "queue_max_pkts", "queue max" },
	{ "network_queue_mean_pkts", "network queue mean" },
	{ "network_queue_max_pkts", "network queue max" },
	{ "goodput_bps", "goodput" },
	{ "utilisation", "utilisation" },
	{ "mark_fraction", "marked" },
	{ "marks", "marks" },
	{ "drops", "drops" },
	{ "timeouts", "timeouts" },
	{ "pause_fraction", "paused" },
	{ NULL, NULL },
};

int report_read(struct report *r, struct store *s, enum store_scope scope, struct weir_error *e)
{
	const char *names[2 * REPORT_METRICS_MAX];
	struct compare_request q = { .metrics = names, .scope = scope, .is_usual = 1 };
	int failed;

	for (const struct report_metric *m = report_flow_metrics; m->name; m++)
		names[q.metric_count++] = m->name;
	for (const struct report_metric *m = report_network_metrics; m->name; m++)
		names[q.metric_count++] = m->name;
	*r = (struct report){ .setting_count = 0 };
	failed = comparison_make(&r->compare, s, &q, e);
	if (failed)
		return failed;
	report_compare(r);
	if (report_charts(r, s, e)) {
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
	chart_list_free(&r->charts);
	comparison_free(&r->compare);
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
