/* SPDX-License-Identifier: BSD-3-Clause */
/* test_api.c -- results as columns (weir/lab.h): the values of exports, the statistics of tables,
 * the claims of papers. */
#define _XOPEN_SOURCE 700
#include "tests/damage.h" /* first: it says which functions there are */

#include "lab/analysis/answer.h"
#include "lab/api/frame.h"
#include "lab/report/reproduce.h"
#include "weir/lab.h"
#include <math.h>

static struct weir_results *results_open(const struct folder *f, enum weir_runs which)
{
	struct weir_results *r;
	struct weir_error e = { "" };

	if (weir_results_open(&r, f->path, which, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return r;
}

static const struct weir_column *column_find(const struct weir_frame *f, const char *name)
{
	for (uint32_t i = 0; i < f->column_count; i++)
		if (strcmp(f->columns[i].name, name) == 0)
			return &f->columns[i];
	test_fail(__FILE__, __LINE__, "there is no column %s", name);
}

static const char *column_text(const struct weir_column *c, uint64_t row)
{
	return c->codes[row] < 0 ? NULL : c->texts[c->codes[row]];
}

/* --- frames --- */

TEST(test_frame_stores_each_text_once_and_unknown_ones_as_minus_one)
{
	enum { ROWS = 5000, DISTINCT = 700 };
	struct weir_frame *f = frame_new();
	uint32_t text = frame_add_column(f, "text", "", WEIR_COLUMN_TEXT);
	uint32_t real = frame_add_column(f, "real", "ns", WEIR_COLUMN_REAL);
	uint32_t integer = frame_add_column(f, "integer", "", WEIR_COLUMN_INTEGER);
	char name[16];

	for (int i = 0; i < ROWS; i++) {
		frame_add_row(f);
		snprintf(name, sizeof(name), "t%d", i % DISTINCT);
		frame_set_text(f, text, i % 7 ? name : NULL);
		if (i % 2)
			frame_set_real(f, real, i);
		frame_set_integer(f, integer, -i);
	}
	CHECK_INT(f->row_count, ROWS);
	CHECK_INT(f->columns[text].text_count, DISTINCT - DISTINCT / 7);
	for (int i = 0; i < ROWS; i++) {
		snprintf(name, sizeof(name), "t%d", i % DISTINCT);
		CHECK_STR(column_text(&f->columns[text], (uint64_t)i), i % 7 ? name : NULL);
		CHECK(i % 2 ? f->columns[real].reals[i] == i : isnan(f->columns[real].reals[i]));
		CHECK_INT(f->columns[integer].integers[i], -i);
	}
	weir_frame_free(f);
}

/* --- rows --- */

/* The next field of a CSV file, without its quotes; sets *end to the character after it. */
static void csv_field(char *field, char **at, char *end)
{
	char *to = field, *from = *at;
	int quoted = *from == '"';

	for (from += quoted; quoted || (*from != ',' && *from != '\n'); from++) {
		if (quoted && *from == '"' && *++from != '"')
			break;
		*to++ = *from;
	}
	*to = '\0';
	*end = *from;
	*at = from + 1;
}

static void check_value(const struct weir_column *c, uint64_t row, const char *field)
{
	switch (c->type) {
	case WEIR_COLUMN_INTEGER:
		CHECK_INT(c->integers[row], strtoll(field, NULL, 10));
		break;
	case WEIR_COLUMN_REAL:
		CHECK(*field ? c->reals[row] == strtod(field, NULL) : isnan(c->reals[row]));
		break;
	case WEIR_COLUMN_TEXT:
		CHECK_STR(c->codes[row] < 0 ? "" : column_text(c, row), field);
		break;
	}
}

/* own: last columns that the file does not have. */
static void check_same_as_csv(const struct weir_frame *f, uint32_t own, char *csv)
{
	char field[4096], end = ',';

	for (uint32_t i = 0; i < f->column_count - own; i++) {
		csv_field(field, &csv, &end);
		CHECK_STR(f->columns[i].name, field);
	}
	CHECK_INT(end, '\n');
	for (uint64_t row = 0; row < f->row_count; row++)
		for (uint32_t i = 0; i < f->column_count - own; i++) {
			csv_field(field, &csv, &end);
			check_value(&f->columns[i], row, field);
		}
	CHECK_INT(*csv, '\0');
}

TEST(test_frames_have_the_columns_and_values_of_exported_files)
{
	static const char *const tables[] = { "runs",  "reasons", "flows",
					      "ports", "pauses",  "series" };
	struct folder f = folder_make(), out = folder_make();
	struct weir_error e = { "" };
	struct stored_runs runs;
	struct weir_results *r;
	struct store *s;

	damage_fill(&f);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(export_csv(out.path, s, &runs, &e), 0);
	stored_runs_free(&runs);
	store_close(s);
	r = results_open(&f, WEIR_RUNS_ALL);
	CHECK_INT(weir_results_run_count(r), 4);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct weir_frame *frame;
		char name[32], *csv;
		size_t length;

		snprintf(name, sizeof(name), "%s.csv", tables[i]);
		csv = folder_read(&out, name, &length);
		CHECK_INT(weir_results_read(r, tables[i], 0, &frame, &e), 0);
		CHECK(frame->row_count > 0);
		check_same_as_csv(frame, strcmp(tables[i], "flows") == 0, csv);
		weir_frame_free(frame);
		free(csv);
	}
	weir_results_close(r);
	folder_remove(&out);
	folder_remove(&f);
}

TEST(test_results_are_those_of_the_latest_sweep_and_of_one_run_where_asked)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_frame *all, *one;
	struct weir_results *r;
	uint64_t planned, done;

	damage_fill(&f);
	r = results_open(&f, WEIR_RUNS_LATEST);
	CHECK_INT(weir_results_run_count(r), 3);
	CHECK_INT(weir_results_left_out(r), 1);
	CHECK_INT(weir_results_read(r, "flows", 0, &all, &e), 0);
	CHECK_INT(weir_results_read(r, "flows", 2, &one, &e), 0);
	CHECK_INT(all->row_count, 3 * one->row_count);
	for (uint64_t i = 0; i < one->row_count; i++) {
		CHECK_INT(column_find(one, "run")->integers[i], 2);
		CHECK(column_find(one, "fct_ps")->reals[i] ==
		      column_find(all, "fct_ps")->reals[one->row_count + i]);
	}
	CHECK_STR(column_find(one, "fct_ps")->unit, "ps");
	weir_frame_free(one);
	CHECK_INT(weir_results_read(r, "runs", 3, &one, &e), 0);
	CHECK_INT(one->row_count, 1);
	CHECK_INT(column_find(one, "run")->integers[0], 3);
	CHECK_INT(weir_results_progress(f.path, &planned, &done, &e), 0);
	CHECK_INT(planned, 3);
	CHECK_INT(done, 3);
	weir_frame_free(one);
	weir_frame_free(all);
	weir_results_close(r);
	folder_remove(&f);
}

TEST(test_results_refuse_unknown_tables_runs_and_folders)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_frame *frame;
	struct weir_results *r;

	CHECK_INT(weir_results_open(&r, f.path, WEIR_RUNS_LATEST, &e), -1);
	CHECK_CONTAINS(e.text, "results.db");
	damage_fill(&f);
	r = results_open(&f, WEIR_RUNS_LATEST);
	CHECK_INT(weir_results_read(r, "flow", 0, &frame, &e), -1);
	CHECK_STR(e.text, "unknown table 'flow'; there are runs, reasons, flows, ports, pauses, "
			  "series (nearest: flows)");
	CHECK_INT(weir_results_read(r, "flows", 4, &frame, &e), -1);
	CHECK_STR(e.text, "run 4: there are 3 runs, numbered from 1");
	weir_results_close(r);
	folder_remove(&f);
}

TEST(test_results_refuse_rows_that_are_not_what_was_stored)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_frame *frame;
	struct weir_results *r;
	struct store *s;

	damage_fill(&f);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_exec(s, "UPDATE flow SET finish_ps = finish_ps + 1 WHERE run = 2", &e), 0);
	store_close(s);
	r = results_open(&f, WEIR_RUNS_LATEST);
	CHECK_INT(weir_results_read(r, "flows", 1, &frame, &e), 0);
	weir_frame_free(frame);
	CHECK_INT(weir_results_read(r, "flows", 0, &frame, &e), -1);
	CHECK_LIKE(e.text, "...run '...' is damaged (its flows are not what was stored)...");
	weir_results_close(r);
	folder_remove(&f);
}

/* An open folder does not keep a writer waiting; what the writer replaced is noticed. */
TEST(test_results_let_others_write_and_notice_what_they_replaced)
{
	const struct weir_table_request request = { .by = NULL };
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_frame *frame;
	struct weir_results *r;
	struct weir_table *t;
	struct store *s;

	damage_fill(&f);
	r = results_open(&f, WEIR_RUNS_LATEST);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_exec(s, "PRAGMA busy_timeout = 1", &e), 0);
	CHECK_INT(store_exec(s, "BEGIN IMMEDIATE", &e), 0);
	CHECK_INT(store_exec(s, "UPDATE run SET wall_seconds = wall_seconds", &e), 0);
	CHECK_INT(store_exec(s, "COMMIT", &e), 0);
	store_close(s);
	CHECK_INT(weir_results_read(r, "flows", 0, &frame, &e), 0);
	weir_frame_free(frame);
	damage_fill(&f); /* every run gets another id */
	CHECK_INT(weir_results_read(r, "flows", 0, &frame, &e), -1);
	CHECK_LIKE(e.text, "...: has changed since it was opened; open it again");
	CHECK_INT(weir_results_table(r, &request, &t, &e), -1);
	CHECK_LIKE(e.text, "...: has changed since it was opened; open it again");
	weir_results_close(r);
	folder_remove(&f);
}

/* --- tables --- */

static void check_cells(const struct weir_frame *f, const struct comparison *c)
{
	char name[96];

	CHECK_INT(f->row_count, c->row_count);
	for (uint32_t i = 0; i < c->row_count; i++)
		for (uint32_t k = 0; k < c->column_count; k++) {
			const struct compare_cell *cell = &c->rows[i].cells[k];
			const char *metric = c->columns[k].name;
			double mean = column_find(f, metric)->reals[i], low;

			snprintf(name, sizeof(name), "%s_low", metric);
			low = column_find(f, name)->reals[i];
			CHECK(mean == cell->mean || (isnan(mean) && isnan(cell->mean)));
			CHECK(low == cell->low || (isnan(low) && isnan(cell->low)));
			snprintf(name, sizeof(name), "%s_runs", metric);
			CHECK_INT(column_find(f, name)->integers[i], cell->count);
			snprintf(name, sizeof(name), "%s_mark", metric);
			CHECK_STR(column_text(column_find(f, name), i),
				  cell_mark(&c->rows[i], cell));
		}
}

TEST(test_table_frame_has_the_cells_and_the_text_of_the_printed_table)
{
	static const char *const metrics[] = { "fct_mean_ns", "queue_mean_pkts", "fct_p50_ns" };
	const struct weir_table_request request = { .metrics = metrics,
						    .metric_count = 3,
						    .normalize_to = "tcn" };
	const struct compare_request same = {
		.metrics = metrics, .metric_count = 3, .normalize_to = "tcn", .scope = STORE_ALL
	};
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_table *t;
	struct weir_results *r;
	struct comparison c;
	struct store *s;
	char *text;
	size_t length;
	FILE *stream;

	damage_fill(&f);
	r = results_open(&f, WEIR_RUNS_ALL);
	if (weir_results_table(r, &request, &t, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(comparison_make(&c, s, &same, &e), 0);
	check_cells(t->frame, &c);
	CHECK_STR(column_text(column_find(t->frame, "switch.marking_label"), 1), "tcn");
	CHECK_INT(column_find(t->frame, "runs")->integers[0], 2);
	CHECK(column_find(t->frame, "flows")->integers[0] > 0);
	stream = open_memstream(&text, &length);
	comparison_print(stream, &c,
			 &(struct compare_layout){ .width = 100, .all = 1, .relative = 1 });
	fclose(stream);
	CHECK_STR(t->text, text);
	CHECK_STR(t->answer, "");
	free(text);
	comparison_free(&c);
	store_close(s);
	weir_table_free(t);
	weir_results_close(r);
	folder_remove(&f);
}

/* A run whose mean FCT is given and not simulated. */
static void store_add_made(struct store *s, const char *marking, int seed, double fct_ns)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim,
		 "seed = %d\n[network]\ntopology = star\nhosts = 4\n[switch]\nmarking = %s\n"
		 "[traffic a]\npattern = many-to-one\nsize = 60KB\n",
		 seed, marking);
	for (int i = 0; i < METRICS_MAX; i++)
		sim.r.value[i] = (double)NAN;
	sim.r.value[metric_index("fct_mean_ns")] = fct_ns;
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), 0);
	sim_end(&sim);
}

TEST(test_table_has_students_interval_and_marks_ratios_that_are_not_significant)
{
	static const char *const metrics[] = { "fct_mean_ns" };
	struct weir_table_request request = { .metrics = metrics, .metric_count = 1 };
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_results *r;
	struct weir_table *t;
	struct store *s;

	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	store_add_made(s, "ecn", 1, 1000);
	store_add_made(s, "ecn", 2, 3000);
	store_add_made(s, "tcn", 1, 2000);
	store_add_made(s, "tcn", 2, 3000);
	store_close(s);
	r = results_open(&f, WEIR_RUNS_LATEST);
	CHECK_INT(weir_results_table(r, &request, &t, &e), 0);
	CHECK(column_find(t->frame, "fct_mean_ns")->reals[0] == 2000);
	CHECK_NEAR(column_find(t->frame, "fct_mean_ns_low")->reals[0], 2000 - 12.706 * 1000, 1e-6);
	CHECK_NEAR(column_find(t->frame, "fct_mean_ns_high")->reals[0], 2000 + 12.706 * 1000, 1e-6);
	CHECK_INT(column_find(t->frame, "fct_mean_ns_runs")->integers[0], 2);
	weir_table_free(t);
	request.normalize_to = "ecn";
	CHECK_INT(weir_results_table(r, &request, &t, &e), 0);
	CHECK_NEAR(column_find(t->frame, "fct_mean_ns")->reals[1], sqrt(2), 1e-9);
	CHECK_STR(column_text(column_find(t->frame, "fct_mean_ns_mark"), 1), "~");
	weir_table_free(t);
	weir_results_close(r);
	folder_remove(&f);
}

TEST(test_table_of_a_whole_sweep_has_the_answer)
{
	const struct weir_table_request request = { .by = NULL };
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct weir_results *r;
	struct weir_table *t;

	damage_fill(&f);
	r = results_open(&f, WEIR_RUNS_ALL);
	CHECK_INT(weir_results_table(r, &request, &t, &e), 0);
	CHECK_CONTAINS(t->answer, "tcn");
	weir_table_free(t);
	CHECK_INT(weir_results_table(r, &(struct weir_table_request){ .sort = "fct_meen_ns" }, &t,
				     &e),
		  -1);
	CHECK_CONTAINS(e.text, "fct_meen_ns");
	weir_results_close(r);
	folder_remove(&f);
}

/* --- papers --- */

TEST(test_papers_are_those_of_reproduce_with_their_shipped_verdicts)
{
	struct weir_error e = { "" };
	struct weir_frame *figures, *claims;
	struct figure_list l;
	struct folder out = folder_make();

	CHECK_INT(figures_find(&l, "scenarios/papers", &e), 0);
	CHECK_INT(weir_papers_read("scenarios/papers", &figures, &e), 0);
	CHECK_INT(figures->row_count, l.count);
	for (uint32_t i = 0; i < l.count; i++)
		CHECK_STR(column_text(column_find(figures, "figure"), i), l.all[i].label);
	if (weir_paper_claims("scenarios/papers", "tcn/fig5", out.path, &claims, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(claims->row_count % 2, 0);
	CHECK_STR(column_text(column_find(claims, "size"), 0), "quick");
	CHECK_STR(column_text(column_find(claims, "size"), claims->row_count - 1), "full");
	CHECK(strcmp(column_text(column_find(claims, "source"), 0), "run") != 0);
	weir_frame_free(claims);
	CHECK_INT(weir_paper_claims("scenarios/papers", "tcn", out.path, &claims, &e), -1);
	CHECK_LIKE(e.text, "'tcn' has ... figures; name one, such as tcn/...");
	CHECK_INT(weir_paper_claims("scenarios/papers", "tcn/fig555", out.path, &claims, &e), -1);
	weir_frame_free(figures);
	figures_free(&l);
	folder_remove(&out);
}
