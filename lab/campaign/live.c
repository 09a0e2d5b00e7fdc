/* SPDX-License-Identifier: BSD-3-Clause */
/* live.c -- the pages of weir view and the JSON of its live page; see view.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/view.h"
#include "base/text.h"
#include "base/version.h"
#include "lab/campaign/running.h"
#include "lab/report/report.h"
#include "base/memory.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ATTEMPTS = 4, /* attempts to read a store that changes meanwhile */
	COUNTER_OFFSET =
		24 /* change counter in the SQLite header, incremented by every transaction */,
	COUNTER_SIZE = 4,
	COLUMNS = 600, /* points of a finished run's series */
};

struct store_stamp store_stamp(const char *folder)
{
	struct store_stamp stamp = { "" };
	unsigned char counter[COUNTER_SIZE] = { 0 };
	char *path = NULL;
	struct stat st;
	FILE *f;

	text_print(&path, "%s/results.db", folder);
	f = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? fopen(path, "rb")
									  : NULL;
	free(path);
	if (!f)
		return stamp;
	if (fseek(f, COUNTER_OFFSET, SEEK_SET) != 0 ||
	    fread(counter, 1, sizeof(counter), f) != sizeof(counter))
		memset(counter, 0, sizeof(counter));
	fclose(f);
	snprintf(stamp.text, sizeof(stamp.text), "%jx-%jx-%02x%02x%02x%02x", (uintmax_t)st.st_ino,
		 (uintmax_t)st.st_size, counter[0], counter[1], counter[2], counter[3]);
	return stamp;
}

/* --- series --- */

/* What write prints, as a JSON string. */
static void live_write_string(FILE *f, void (*write)(FILE *f, const void *of), const void *of)
{
	char *html = NULL;
	size_t length = 0;
	FILE *text = open_memstream(&html, &length);

	if (!text)
		memory_refused(0);
	write(text, of);
	fclose(text);
	html_write_json_string(f, html);
	free(html);
}

static void live_write_chart(FILE *f, const void *chart)
{
	chart_write_variant(f, chart);
}

static void live_write_charts(FILE *f, const struct chart_list *list)
{
	fputc('[', f);
	for (uint32_t i = 0; i < list->count; i++) {
		fputs(i ? ",{\"title\":" : "{\"title\":", f);
		html_write_json_string(f, list->all[i].title);
		fputs(",\"html\":", f);
		live_write_string(f, live_write_chart, &list->all[i]);
		fputc('}', f);
	}
	fputc(']', f);
}

/* --- state.json --- */

/* Writes the series of the first running run that has any. */
static void live_write_series(FILE *f, const char *folder, const struct running_campaign *c)
{
	struct running_series *all = memory_zeroed(RUNNING_SERIES_MAX, sizeof(*all));
	struct chart_list list = { .count = 0 };
	uint32_t count = 0, run = 0;

	for (; run < c->run_count && count == 0; run++)
		count = running_read_series(folder, c->pid, c->runs[run].task, all);
	for (uint32_t i = 0; i < count; i++) {
		struct chart *chart = chart_add(&list, all[i].name, "");
		struct chart_line *l = chart_line_add(chart, c->runs[run - 1].label);

		for (uint32_t k = 0; k < all[i].count; k++)
			chart_point_add(l, all[i].time_ns[k], all[i].value[k]);
		chart->kind = report_series_kind(all[i].name);
		report_finish_series(chart, all[i].unit);
	}
	fputs(",\"seriesOf\":", f);
	html_write_json_string(f, count ? c->runs[run - 1].label : "");
	fputs(",\"series\":", f);
	live_write_charts(f, &list);
	chart_list_free(&list);
	free(all);
}

static void live_write_running(FILE *f, const struct running_campaign *c)
{
	double left_s = running_seconds_left(c->seconds, running_share(c));

	fprintf(f,
		"{\"total\":%" PRIu64 ",\"done\":%" PRIu64 ",\"failed\":%" PRIu64
		",\"seconds\":%.1f,",
		c->total, running_done(c), c->failed, c->seconds);
	if (isfinite(left_s))
		fprintf(f, "\"left\":%.1f,", left_s);
	fputs("\"runs\":[", f);
	for (uint32_t i = 0; i < c->run_count; i++) {
		fprintf(f, "%s{\"share\":%.3f,\"label\":", i ? "," : "", c->runs[i].share);
		html_write_json_string(f, c->runs[i].label);
		fputc('}', f);
	}
	fputs("]}", f);
}

void live_state(FILE *f, const struct live_subject *s, const struct store_stamp *stamp,
		const struct store_stamp *read)
{
	struct running_campaign *c = memory_zeroed(1, sizeof(*c));

	fprintf(f, "{\"stamp\":\"%s\",\"runs\":\"%s\",\"running\":", stamp->text, read->text);
	if (running_read(s->folder, c)) {
		live_write_running(f, c);
		live_write_series(f, s->folder, c);
	} else {
		fputs("null,\"seriesOf\":\"\",\"series\":[]", f);
	}
	fputs("}\n", f);
	free(c);
}

/* --- runs.json --- */

/* The most recently stored run. */
static const struct stored_run *live_newest_run(const struct stored_runs *runs)
{
	const struct stored_run *found = &runs->runs[0];

	for (uint32_t i = 1; i < runs->count; i++)
		if (runs->runs[i].id > found->id)
			found = &runs->runs[i];
	return found;
}

/* "ecn, 20KB, seed 3"; freed by the caller. */
static char *live_label(const struct report *r, const struct stored_run *run)
{
	const char *seed = stored_setting(run, "seed"), *scheme = "", *x = "";
	char *label = NULL;

	for (uint32_t i = 0; i < r->case_count; i++)
		for (uint32_t k = 0; k < r->cases[i].row->run_count; k++)
			if (&r->compare.runs.runs[r->cases[i].row->runs[k]] == run) {
				scheme = r->schemes[r->cases[i].scheme];
				x = r->cases[i].x_text;
			}
	text_print(&label, "%s, %s%sseed %s", scheme, x, x[0] ? ", " : "", seed ? seed : "-");
	return label;
}

static void live_write_table(FILE *f, const void *report)
{
	const struct report *r = report;
	struct document d = { .count = 0 };

	report_add_caveats(&d, &r->compare);
	report_table_choice(&d, r);
	report_table_first(&d, r);
	document_write_html(&d, f);
	document_free(&d);
}

/* A consistent snapshot of the store. */
struct live_store {
	struct report report;
	uint64_t planned, done;
	struct chart_list charts;
	char *charted; /* the run that the charts show */
};

static void live_store_free(struct live_store *l)
{
	free(l->charted);
	chart_list_free(&l->charts);
	report_free(&l->report);
}

static int live_add_series(void *context, const struct stored_series *s)
{
	struct live_store *live = context;
	struct chart *c;
	struct chart_line *l;

	if (s->count < 2)
		return 0;
	if (live->charts.count == RUNNING_SERIES_MAX)
		return 1;
	c = chart_add(&live->charts, s->name, "");
	l = chart_line_add(c, live->charted);
	report_series(l, s);
	chart_line_reduce(l, COLUMNS, 0);
	c->kind = report_series_kind(s->name);
	report_finish_series(c, s->unit);
	return 0;
}

static int live_read_store(struct live_store *l, const char *folder, struct weir_error *e)
{
	struct store *s;
	int failed;

	memset(l, 0, sizeof(*l));
	if (store_open(&s, folder, STORE_FOLLOW, e))
		return -1;
	failed = store_progress(s, &l->planned, &l->done, e);
	if (!failed)
		failed = report_read_first(&l->report, s, STORE_PLANNED, e);
	if (!failed) {
		const struct stored_run *run = live_newest_run(&l->report.compare.runs);

		l->charted = live_label(&l->report, run);
		failed = store_each_series(s, run->id, live_add_series, l, e);
		if (failed)
			live_store_free(l);
	}
	store_close(s);
	return failed ? -1 : 0;
}

static void live_write_store(FILE *f, const struct live_store *l)
{
	const struct report *r = &l->report;

	fputs(",\"title\":", f);
	html_write_json_string(f, r->compare.runs.runs[0].title);
	fprintf(f, ",\"planned\":%" PRIu64 ",\"done\":%" PRIu64 ",\"runs\":%u,\"sentences\":[",
		l->planned, l->done, r->compare.runs.count);
	for (uint32_t i = 0; i < r->sentence_count; i++) {
		if (i)
			fputc(',', f);
		html_write_json_string(f, r->sentences[i]);
	}
	fputs("],\"table\":", f);
	live_write_string(f, live_write_table, r);
	fputs(",\"chartsOf\":", f);
	html_write_json_string(f, l->charted);
	fputs(",\"charts\":", f);
	live_write_charts(f, &l->charts);
}

void live_runs(FILE *f, const struct live_subject *s, const struct store_stamp *stamp)
{
	struct store_stamp before = *stamp, now;
	struct weir_error e = { "" };
	struct live_store l;
	int failed = 0;

	/* A store that changes while it is read may look damaged; then it is read again. */
	for (int i = 0; i < ATTEMPTS; i++) {
		failed = live_read_store(&l, s->folder, &e);
		now = store_stamp(s->folder);
		if (!failed || strcmp(before.text, now.text) == 0)
			break;
		before = now;
	}
	fprintf(f, "{\"stamp\":\"%s\"", stamp->text);
	if (failed) {
		fputs(",\"error\":", f);
		html_write_json_string(f, e.text);
	} else {
		live_write_store(f, &l);
		live_store_free(&l);
	}
	fputs("}\n", f);
}

/* --- pages --- */

static void live_write_failure(FILE *f, const struct weir_error *e)
{
	struct document d = { .count = 0 };

	document_add(&d, DOCUMENT_PARAGRAPH, NULL, "<a href=\"/\">Back to the runs</a>");
	document_add(&d, DOCUMENT_HEADING_1, NULL, "Nothing to show yet");
	document_add(&d, DOCUMENT_PARAGRAPH, "warning", "%s", e->text);
	document_write_page(
		&d, f,
		&(struct document_page){ .title = "nothing to show yet", .version = WEIR_VERSION });
	document_free(&d);
}

void live_report(FILE *f, const struct live_subject *s)
{
	struct weir_error e = { "" };
	struct report r;
	struct store *store;
	int failed = -1;

	for (int i = 0; i < ATTEMPTS && failed; i++) {
		if (store_open(&store, s->folder, STORE_FOLLOW, &e))
			break;
		failed = report_read(&r, store, STORE_PLANNED, &e);
		store_close(store);
	}
	if (failed) {
		live_write_failure(f, &e);
		return;
	}
	report_html(f, &r);
	report_free(&r);
}

/* Into memory, because writing may fail halfway. */
static int live_write_figure(FILE *f, const struct live_subject *s, struct figure *figure,
			     struct weir_error *e)
{
	struct figure_report fr = { .figure = figure,
				    .label = s->figure->label,
				    .scenario = s->figure->scenario,
				    .size = s->size,
				    .place = FIGURE_SERVED };
	struct figure_state state;
	struct store *store = NULL;
	int failed;

	if (figure_state_read(&state, figure,
			      &(struct figure_results){ .folder = s->folder,
							.size = s->size,
							.judges = JUDGES_ALWAYS },
			      e))
		return -1;
	fr.verdicts = state.verdicts;
	failed = store_open(&store, s->folder, STORE_READ, e) ||
		 figure_report_html(&fr, f, store, e);
	store_close(store);
	figure_state_free(&state);
	return failed;
}

void live_figure(FILE *f, const struct live_subject *s)
{
	struct weir_error e = { "" };
	struct figure figure;
	char *html = NULL;
	size_t length = 0;
	FILE *text;
	int failed;

	if (figure_read(&figure, s->figure->claims, &e)) {
		live_write_failure(f, &e);
		return;
	}
	text = open_memstream(&html, &length);
	if (!text)
		memory_refused(0);
	failed = live_write_figure(text, s, &figure, &e);
	fclose(text);
	if (failed)
		live_write_failure(f, &e);
	else
		fwrite(html, 1, length, f);
	free(html);
	figure_free(&figure);
}

void live_page(FILE *f, const struct live_subject *s)
{
	struct document d = { .count = 0 };

	document_add(&d, DOCUMENT_PARAGRAPH, "#where",
		     "<code>%s</code> <a href=\"/report\">Full report</a>", s->folder);
	if (s->figure)
		document_append(&d, " <a href=\"/figure\">Figure %s</a>", s->figure->label);
	document_add(&d, DOCUMENT_HEADING_1, "#title", "%s", s->folder);
	document_add(
		&d, DOCUMENT_MARKUP, NULL,
		"<noscript><p class=\"warning\">This page follows the runs by JavaScript, which "
		"is switched off here; <a href=\"/report\">the report</a> has its tables "
		"without.</p></noscript>\n"
		"<section id=\"progress\">\n<p id=\"state\" role=\"status\">Looking …</p>\n"
		"<progress id=\"bar\" max=\"1\" hidden></progress>\n<ul id=\"running\"></ul>\n"
		"</section>\n"
		"<section id=\"answer\">\n<p class=\"note\" id=\"sofar\"></p>\n"
		"<div id=\"sentences\"></div>\n<div class=\"first alone\" id=\"table\"></div>\n"
		"</section>\n"
		"<section id=\"series\" hidden>\n<h2>Over time</h2>\n"
		"<p class=\"note\" id=\"of\"></p>\n<div class=\"panels\" id=\"charts\"></div>\n"
		"</section>\n");
	document_write_page(&d, f,
			    &(struct document_page){
				    .title = s->folder, .version = WEIR_VERSION, .is_live = 1 });
	document_free(&d);
}
