/* SPDX-License-Identifier: BSD-3-Clause */
/* test_report.c -- from a store to a report: what it says, what it shows, and that it stands
 * alone. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/report.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include "tests/folder.h"
#include "tests/markup.h"
#include "tests/sim.h"
#include <math.h>

#define SCENARIO \
	"# %s\n" \
	"seed = %d\n" \
	"[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 2us\n" \
	"[switch]\nmarking = %s\nbuffer = 200pkts\n" \
	"[host]\ncc = dctcp\n" \
	"[traffic req]\npattern = incast\nsenders = 4\nreceiver = 0\nsize = %s\nperiod = 500us\n" \
	"[measure]\nto = 2ms\nprobe = queue sw->h0\nprobe = throughput flow:0 every 50us\n" \
	"probe = throughput flow:1 every 50us\nprobe = window flow:1 every 50us\n"

struct wanted {
	const char *title, *marking, *size;
	int seed;
};

static void add(struct store *s, struct sim *run)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e;

	if (run_key(&run->c, key, &e) || store_add(s, key, &run->c, &run->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_end(run);
}

static void add_run(struct store *s, const struct wanted *w)
{
	struct sim run;

	sim_read(&run, SCENARIO, w->title, w->seed, w->marking, w->size);
	sim_run(&run, 1);
	add(s, &run);
}

static struct store *open_store(const struct folder *f)
{
	struct store *s;
	struct weir_error e;

	if (store_open(&s, f->path, STORE_WRITE, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void read_report(struct report *r, struct store *s)
{
	struct weir_error e;

	if (report_read(r, s, STORE_PLANNED, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The whole file, well formed; the caller frees it. */
static char *html_of(const struct report *r)
{
	char *buffer = NULL;
	size_t size;
	FILE *f = open_memstream(&buffer, &size);

	CHECK(f != NULL);
	report_html(f, r);
	fclose(f);
	CHECK(check_markup(buffer, MARKUP_HTML) > 100);
	return buffer;
}

/* Two schemes, two sizes, two seeds. */
static void fill(struct store *s)
{
	static const char *const markings[] = { "ecn(k=20pkts)", "ecn(k=60pkts)" };
	static const char *const sizes[] = { "20KB", "200KB" };

	for (int m = 0; m < 2; m++)
		for (int z = 0; z < 2; z++)
			for (int seed = 1; seed <= 2; seed++)
				add_run(s, &(struct wanted){ "Does <i>it</i> & that hold?",
							     markings[m], sizes[z], seed });
}

static const struct chart *find(const struct report *r, const char *title, const char *variant)
{
	for (uint32_t i = 0; i < r->charts.count; i++)
		if (strcmp(r->charts.all[i].title, title) == 0 &&
		    strcmp(r->charts.all[i].variant, variant) == 0)
			return &r->charts.all[i];
	test_fail(__FILE__, __LINE__, "no chart '%s', '%s'", title, variant);
}

TEST(test_report_has_every_section_and_needs_nothing_else)
{
	static const char *const parts[] = {
		"<h1>Does &lt;i&gt;it&lt;/i&gt; &amp; that hold?</h1>",
		"<h2>What was run</h2>",
		"8 runs: 2 schemes, 2 values of <code>traffic.req.size</code>, 2 seeds",
		"<h2>Summary</h2>",
		"<h2>Flow completion times</h2>",
		"<h2>Distributions and tails</h2>",
		"<h2>Queue length over time</h2>",
		"<h2>Throughput over time</h2>",
		"<h2>Windows over time</h2>",
		"<h2>Scheme variables over time</h2>",
		"<th>ecn(k=20pkts)</th>",
		"<th>ecn(k=60pkts)</th>",
		"<svg class=\"plot\" role=\"img\" aria-label=\"queue sw-&gt;h0\"",
		"default-src 'none'"
	};
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	char *html;

	fill(s);
	read_report(&r, s);
	html = html_of(&r);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		CHECK_CONTAINS(html, parts[i]);
	/* No address, and styles load nothing. */
	CHECK(strstr(html, "http://") == NULL && strstr(html, "https://") == NULL);
	CHECK(strstr(html, "@import") == NULL && strstr(html, "sourceMappingURL") == NULL);
	CHECK(strstr(html, "<i>it</i>") == NULL);
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_draws_schemes_against_the_swept_number)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	const struct chart *c;
	struct report r;
	double sum = 0;

	fill(s);
	read_report(&r, s);
	CHECK_STR(r.axis->path, "traffic.req.size");
	c = find(&r, "Flow completion time, mean", "");
	CHECK_INT(c->kind, CHART_MEANS);
	CHECK_STR(c->x_label, "traffic.req.size (KB)");
	CHECK_STR(c->y_label, "mean FCT (ms)");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[1].name, "ecn(k=60pkts)");
	CHECK_INT(c->lines[1].count, 2);
	CHECK_NEAR(c->lines[1].points[1].x, 200, 1e-9);
	/* The mean of both seeds, from the runs themselves. */
	for (uint32_t i = 0; i < r.compare.runs.count; i++) {
		const struct stored_run *run = &r.compare.runs.runs[i];

		if (strcmp(stored_setting(run, "traffic.req.size"), "200KB") == 0 &&
		    strncmp(stored_setting(run, "switch.marking"), "ecn(k=60", 8) == 0)
			sum += run->value[metric_index("fct_mean_ns")];
	}
	CHECK_NEAR(c->lines[1].points[1].y, sum / 2 / 1e6, 1e-9);
	c = find(&r, "queue sw->h0", "traffic.req.size = 200KB");
	CHECK_INT(c->kind, CHART_STEPS);
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->y_label, "queue (pkts)");
	CHECK_STR(c->x_label, "time (ms)");
	c = find(&r, "Throughput per flow", "ecn(k=20pkts), traffic.req.size = 20KB");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[1].name, "flow:1");
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_distributions_are_those_of_the_flows)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	const struct chart *c;
	struct report r;
	struct sim run;
	const int64_t us = INT64_C(1000) * WEIR_PS_PER_NS;

	sim_read(&run, SCENARIO, "t", 1, "none", "20KB");
	sim_run(&run, 1);
	/* Four flows that end after 10, 30, 30 and 70 us, one that never does, others out of the
	 * interval. */
	CHECK(run.r.flow_count > 6);
	for (uint32_t i = 0; i < run.r.flow_count; i++) {
		const int64_t fct_us[] = { 10, 30, 30, 70, -1 };
		struct flow *f = &run.r.flows[i];

		f->start_ps = i < 5 ? (1000 + i) * us : 5000 * us;
		f->finish_ps = i >= 5          ? 6000 * us
			       : fct_us[i] < 0 ? -1
					       : f->start_ps + fct_us[i] * us;
		run.r.ideal_ps[i] = 10 * us;
	}
	add(s, &run);
	read_report(&r, s);
	CHECK(r.axis == NULL);
	c = find(&r, "Flow completion time, distribution", "");
	CHECK(c->log_x);
	CHECK_STR(c->lines[0].name, "none");
	CHECK_INT(c->lines[0].count, 3);
	CHECK_NEAR(c->lines[0].points[0].x, 10, 1e-9);
	CHECK_NEAR(c->lines[0].points[0].y, 0.25, 1e-12);
	CHECK_NEAR(c->lines[0].points[1].x, 30, 1e-9);
	CHECK_NEAR(c->lines[0].points[1].y, 0.75, 1e-12);
	CHECK_NEAR(c->lines[0].points[2].x, 70, 1e-9);
	CHECK_NEAR(c->lines[0].points[2].y, 1, 0);
	c = find(&r, "Slowdown, distribution", "");
	CHECK_NEAR(c->lines[0].points[1].x, 3, 1e-9);
	CHECK_INT(find(&r, "Flow completion time, mean", "")->kind, CHART_BARS);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

#define TWO_SECTIONS \
	"# Who wins?\nseed = %d\n[network]\ntopology = star\nhosts = 5\n[switch]\nmarking = %s\n" \
	"[traffic web]\npattern = incast\nsenders = 4\nsize = 20KB\nperiod = 500us\n" \
	"[traffic store]\npattern = many-to-one\nsenders = 2\nsize = 1MB\n[measure]\nto = 200ms\n"

/* 60 flows of each section, 1 to 60 KB, that take factor us for each KB; store takes ten times as
 * long. */
static void add_made_with(struct store *s, const char *marking, int seed, double factor,
			  double goodput_bps)
{
	const int64_t us = INT64_C(1000) * WEIR_PS_PER_NS;
	enum { EACH = 60 };
	struct sim run;

	sim_read(&run, TWO_SECTIONS, seed, marking);
	for (int i = 0; i < METRICS_MAX; i++)
		run.r.value[i] = (double)NAN;
	run.r.flow_count = 2 * EACH;
	run.r.flows = memory_grow(NULL, 2 * EACH, sizeof(*run.r.flows));
	run.r.ideal_ps = memory_grow(NULL, 2 * EACH, sizeof(*run.r.ideal_ps));
	for (int i = 0; i < 2 * EACH; i++) {
		int section = i / EACH, size = i % EACH + 1;

		run.r.ideal_ps[i] = size * us;
		run.r.flows[i] = (struct flow){
			.start_ps = us,
			.finish_ps =
				us + (int64_t)(size * factor * (section ? 10 : 1) * (double)us),
			.size_bytes = (uint64_t)size * 1000,
			.src = 1,
			.traffic = (uint16_t)section,
		};
	}
	run.r.value[metric_index("flows_completed")] = 2 * EACH;
	run.r.value[metric_index("flows_unfinished")] = 0;
	run.r.value[metric_index("goodput_bps")] = goodput_bps;
	run.r.value[metric_index("fct_mean_ns")] = 1e5 * factor;
	add(s, &run);
}

static void add_made(struct store *s, const char *marking, int seed, double factor)
{
	add_made_with(s, marking, seed, factor, (double)NAN);
}

TEST(test_report_colours_what_is_better_and_not_what_is_less)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	char *html;

	for (int seed = 1; seed <= 3; seed++) {
		add_made_with(s, "ecn", seed, 4, 80e9 + 1e6 * seed);
		add_made_with(s, "tcn", seed, 2, 20e9);
	}
	read_report(&r, s);
	CHECK_CONTAINS(r.sentences[0], "It pays in goodput: 20 Gb/s (ecn: 80 Gb/s).");
	html = html_of(&r);
	CHECK_CONTAINS(html, "<small class=\"better\">× 0.50"); /* of the FCT */
	CHECK_CONTAINS(html, "<small class=\"worse\">× 0.25");  /* of the goodput */
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_begins_with_who_wins_for_each_section)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	const char *answer, *summary;
	struct report r;
	char *html;

	for (int seed = 1; seed <= 3; seed++) {
		add_made(s, "ecn", seed, 4);
		add_made(s, "tcn", seed, 2 + 0.1 * seed);
	}
	read_report(&r, s);
	CHECK_INT(r.sentence_count, 2);
	CHECK_CONTAINS(r.sentences[0],
		       "web: tcn wins by mean FCT: 67.1 us, 0.55 (0.49..0.62) of that of ecn.");
	html = html_of(&r);
	answer = strstr(html, "<p class=\"answer\">web: tcn wins");
	summary = strstr(html, "<h2>Summary</h2>");
	CHECK(answer && summary && answer < summary);
	CHECK_CONTAINS(html, "<h2>By traffic section</h2>");
	CHECK_CONTAINS(html, "in one pool here");
	CHECK_CONTAINS(find(&r, "Slowdown, distribution", "store")->y_label, "share");
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_by_flow_size_is_of_one_section_and_all_seeds)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	const struct chart *c;
	struct report r;

	for (int seed = 1; seed <= 4; seed++) {
		add_made(s, "ecn", seed, 4);
		add_made(s, "tcn", seed, 2);
	}
	read_report(&r, s);
	/* 24 flows of each tenth, of four seeds: enough for p95 and not for p99. */
	c = find(&r, "Slowdown by flow size, 95th percentile", "store");
	CHECK(c->log_x && c->log_y && c->part == PART_FIRST);
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[0].name, "ecn");
	CHECK_INT(c->lines[0].count, 10);
	CHECK_NEAR(c->lines[0].points[0].x, 3, 1e-9); /* of 1..6 KB */
	CHECK_NEAR(c->lines[0].points[0].y, 40, 1e-6);
	c = find(&r, "Slowdown by flow size, 95th percentile", "web");
	CHECK_NEAR(c->lines[1].points[9].y, 2, 1e-6);
	c = find(&r, "Slowdown, tail", "web");
	CHECK(c->log_y);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_shows_first_what_has_points_enough_and_of_those_the_last)
{
	static const struct {
		uint64_t points[3];
		const char *shown;
	} cases[] = {
		{ { 10, 10, 2 }, "data-chart=\"by-size-b\">" },
		{ { 10, 9, 6 }, "data-chart=\"by-size-c\">" },
		{ { 1, 0, 0 }, "data-chart=\"by-size-a\">" },
	};
	static const char *const variants[] = { "a", "b", "c" };

	for (int i = 0; i < 3; i++) {
		struct chart_list list = { 0 };
		char *html = NULL;
		size_t length = 0;
		FILE *f = open_memstream(&html, &length);

		for (int k = 0; k < 3; k++) {
			struct chart_line *l =
				chart_line_add(chart_add(&list, "By size", variants[k]), "ecn");

			for (uint64_t x = 0; x < cases[i].points[k]; x++)
				chart_point_add(l, (double)x, 1);
		}
		chart_write_html(f, &list, 0);
		fclose(f);
		CHECK_CONTAINS(html, cases[i].shown);
		free(html);
		chart_list_free(&list);
	}
}

TEST(test_report_shows_a_peak_of_one_sample_in_a_long_series)
{
	enum { SAMPLES = 300000 };
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	struct sim run;
	struct series *q;
	char *html;

	sim_read(&run, SCENARIO, "t", 1, "none", "20KB");
	sim_run(&run, 1);
	q = &run.r.series[0];
	CHECK_STR(q->name, "queue sw->h0");
	q->time_ps = memory_grow(q->time_ps, SAMPLES, sizeof(*q->time_ps));
	q->value = memory_grow(q->value, SAMPLES, sizeof(*q->value));
	q->count = q->capacity = SAMPLES;
	for (int i = 0; i < SAMPLES; i++) {
		q->time_ps[i] = (int64_t)i * WEIR_PS_PER_NS;
		q->value[i] = i == 111111 ? 98765 : i % 10;
	}
	add(s, &run);
	read_report(&r, s);
	CHECK(find(&r, "queue sw->h0", "")->lines[0].count < 10000);
	html = html_of(&r);
	CHECK_CONTAINS(html, "V98765H");
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_of_very_many_series_stays_small_and_keeps_their_peaks)
{
	enum { SERIES = 210, SAMPLES = 5000, MILLION = 1000 * 1000 };
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	uint64_t points = 0, peaks = 0;
	struct report r;
	struct sim run;

	sim_read(&run, SCENARIO, "t", 1, "none", "20KB");
	sim_run(&run, 1);
	run.r.series =
		memory_grow(run.r.series, run.r.series_count + SERIES, sizeof(*run.r.series));
	for (int i = 0; i < SERIES; i++) {
		struct series *v = &run.r.series[run.r.series_count++];

		*v = (struct series){ .unit = "", .count = SAMPLES, .capacity = SAMPLES };
		snprintf(v->name, sizeof(v->name), "v%d sw->h0", i);
		v->time_ps = memory_grow(NULL, SAMPLES, sizeof(*v->time_ps));
		v->value = memory_grow(NULL, SAMPLES, sizeof(*v->value));
		for (int k = 0; k < SAMPLES; k++) {
			v->time_ps[k] = (int64_t)k * WEIR_PS_PER_NS;
			v->value[k] = k == 17 * i + 3 ? 777 : k % 5;
		}
	}
	add(s, &run);
	read_report(&r, s);
	for (uint32_t i = 0; i < r.charts.count; i++)
		for (uint32_t k = 0; k < r.charts.all[i].line_count; k++) {
			const struct chart_line *l = &r.charts.all[i].lines[k];

			points += l->count;
			for (uint64_t n = 0; n < l->count; n++)
				peaks += l->points[n].y == 777;
		}
	CHECK(points <= MILLION);
	CHECK(points > MILLION / 2);
	CHECK_INT(peaks, SERIES);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_of_an_empty_store_is_refused)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	struct weir_error e = { "" };

	CHECK_INT(report_read(&r, s, STORE_PLANNED, &e), -1);
	CHECK_CONTAINS(e.text, "no runs");
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_of_one_run_without_ends_says_what_is_missing)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	struct sim run;
	char *html;

	sim_read(&run, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 2us\n"
		       "[traffic bulk]\npattern = many-to-one\nsenders = 2\nsize = unlimited\n"
		       "[measure]\nto = 1ms\n");
	sim_run(&run, 1);
	add(s, &run);
	read_report(&r, s);
	html = html_of(&r);
	CHECK_CONTAINS(html, "No flow ended");
	CHECK_CONTAINS(html, "No queue was recorded");
	CHECK(strstr(html, "<td>–</td>") == NULL); /* columns without a number are left out */
	CHECK_INT(r.charts.count, 0);
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

/* A drain of nothing: the last flows have no time to end. */
TEST(test_report_marks_numbers_of_runs_whose_flows_did_not_end)
{
	struct folder folder = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	struct sim run;
	char *html;

	sim_read(&run, SCENARIO "drain = 1us\n", "Do they end?", 1, "ecn", "300KB");
	sim_run(&run, 1);
	CHECK(sim_metric(&run, "flows_unfinished") > 0 && sim_metric(&run, "flows_completed") > 0);
	add(s, &run);
	add_run(s, &(struct wanted){ "Do they end?", "ecn", "20KB", 1 });
	read_report(&r, s);
	html = html_of(&r);
	CHECK_CONTAINS(html, "<p class=\"warning\">Not all is well: in 1 of 2 runs ");
	CHECK_CONTAINS(html, "<th>flows ended</th>");
	CHECK_CONTAINS(html, "<td class=\"doubtful\" title=\"in 1 of 1 runs ");
	CHECK_CONTAINS(html, "! In 1 of 2 runs flows did not end");
	CHECK_CONTAINS(find(&r, "Flow completion time, mean", "")->note, "flows did not end");
	free(html);
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
}

TEST(test_report_writes_every_chart_as_svg)
{
	struct folder folder = folder_make(), out = folder_make();
	struct store *s = open_store(&folder);
	struct report r;
	struct weir_error e;
	size_t length;

	fill(s);
	read_report(&r, s);
	CHECK(r.charts.count > 10);
	CHECK_INT(report_svg(out.path, &r, &e), 0);
	for (uint32_t i = 0; i < r.charts.count; i++) {
		char name[128], *svg;

		snprintf(name, sizeof(name), "%s.svg", r.charts.all[i].id);
		svg = folder_read(&out, name, &length);
		CHECK(check_markup(svg, MARKUP_XML) > 10);
		free(svg);
	}
	CHECK_INT(report_svg("/dev/null", &r, &e), -1);
	CHECK_CONTAINS(e.text, "/dev/null");
	report_free(&r);
	store_close(s);
	folder_remove(&folder);
	folder_remove(&out);
}
