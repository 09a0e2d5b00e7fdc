/* SPDX-License-Identifier: BSD-3-Clause */
/* test_report_choice.c -- a report of the runs of a search: what was asked, what was chosen, and
 * which row is which. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/report.h"
#include "tests/folder.h"
#include "tests/markup.h"
#include "tests/sim.h"

#define SCENARIO \
	"# Which threshold?\nseed = %u\n" \
	"[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 2us\n" \
	"[switch]\nqueues = 2\nscheduler = dwrr\nmarking = ecn(k=%s)\n" \
	"marking.bulk = red(min=%s, max=300KB)\nbuffer = 200pkts\n" \
	"[traffic req]\npattern = incast\nsenders = 4\nreceiver = 0\nsize = 20KB\nperiod = " \
	"500us\n" \
	"[traffic bulk]\npattern = many-to-one\nsenders = 2\nsize = 200KB\nclass = 1\n" \
	"[measure]\nto = 1ms\n"

enum { SETTINGS = 3, SEEDS = 2 };

/* In the order of the outcome, which is neither that of the runs nor that of their numbers. */
static const char *const ks[SETTINGS] = { "50KB", "20KB", "90KB" }, *const mins[SETTINGS] = {
	"30KB", "60KB", "9KB"
};
static const uint32_t stored_as[SETTINGS] = { 2, 0, 1 };

static void add(struct store *s, uint32_t setting, uint32_t seed, char key[RUN_KEY_SIZE])
{
	struct weir_error e;
	struct sim run;

	sim_read(&run, SCENARIO, seed, ks[setting], mins[setting]);
	sim_run(&run, 1);
	if (run_key(&run.c, key, &e) || store_add(s, key, &run.c, &run.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_end(&run);
}

/* The file's own setting is the second; the first was chosen, though it is stored last. */
static struct choice outcome(void)
{
	struct choice c = { .goal = { "fct_small_p99_ns of req", "ns" },
			    .rule_count = 1,
			    .range_count = 2,
			    .budget = 40,
			    .first_seed = 1,
			    .seeds = 1,
			    .sizes = { 3, 2, 1 },
			    .fresh_seeds = 1,
			    .wins = 1,
			    .count = SETTINGS,
			    .own = 1 };

	c.ranges[0] =
		(struct choice_range){ text_copy("switch.marking.k"), text_copy("9KB..99KB") };
	c.ranges[1] = (struct choice_range){ text_copy("switch.marking.bulk.min"),
					     text_copy("9KB..99KB") };
	c.rules[0] = (struct choice_rule){ { "goodput_bps of bulk", "bps" }, 1, 1, 0.9, 8e9, 9e9 };
	c.all = memory_zeroed(SETTINGS, sizeof(*c.all));
	for (uint32_t i = 0; i < SETTINGS; i++) {
		struct choice_setting *x = &c.all[i];

		text_print(&x->point, "switch.marking.k=%s; switch.marking.bulk.min=%s", ks[i],
			   mins[i]);
		x->seeds = 1;
		x->all = x->first = x->fresh =
			(struct choice_numbers){ 40000 + 1000 * i, { 9.5e9 } };
		x->is_kept = x->is_fresh_kept = 1;
		x->is_judged = i < 2;
		x->is_front = i == 0;
	}
	c.run_count = SETTINGS * SEEDS;
	c.runs = memory_zeroed(c.run_count, sizeof(*c.runs));
	return c;
}

/* Runs, their plan and the outcome. */
static struct store *make(const struct folder *f, struct choice *c)
{
	char keys[SETTINGS * SEEDS][RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct store *s;

	*c = outcome();
	if (store_open(&s, f->path, STORE_WRITE, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < SETTINGS * SEEDS; i++) {
		c->runs[i].setting = stored_as[i / SEEDS];
		add(s, c->runs[i].setting, 1 + i % SEEDS, c->runs[i].key);
		memcpy(keys[i], c->runs[i].key, RUN_KEY_SIZE);
	}
	if (store_plan(s, (const char(*)[RUN_KEY_SIZE])keys, SETTINGS * SEEDS, &e) ||
	    choice_write(c, f->path, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void read_report(struct report *r, struct store *s)
{
	struct weir_error e = { "" };

	if (report_read(r, s, STORE_PLANNED, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static char *html_of(const struct report *r)
{
	char *buffer = NULL;
	size_t size;
	FILE *f = open_memstream(&buffer, &size);

	report_html(f, r);
	fclose(f);
	CHECK(check_markup(buffer, MARKUP_HTML) > 100);
	return buffer;
}

TEST(test_a_report_of_a_search_says_what_was_asked_and_what_was_chosen)
{
	struct folder f = folder_make();
	struct choice c;
	struct store *s = make(&f, &c);
	struct report r;
	char *html;

	read_report(&r, s);
	CHECK(r.has_choice);
	CHECK_STR(r.sentences[0],
		  "Goal: least fct_small_p99_ns of req, with goodput_bps of bulk >= 0.9 of best.");
	CHECK_STR(r.sentences[1], "Chosen: k=50KB, bulk.min=30KB.");
	CHECK_STR(r.sentences[2],
		  "On seed 2, not used in the search: the chosen setting has fct_small_p99_ns of "
		  "req 40 us, 0.9756 times the 41 us of the file's own; it is less on 1 of 1 "
		  "seeds.");
	html = html_of(&r);
	CHECK(strstr(html, "<tr class=\"chosen\"><th>chosen</th><td>50KB</td><td>30KB</td>"
			   "<td>40 us</td><td>9.5 Gb/s</td><td>met</td>"));
	CHECK(strstr(html, "<th>the file&#39;s</th><td>20KB</td><td>60KB</td><td>41 us</td>") ||
	      strstr(html, "<th>the file's</th><td>20KB</td><td>60KB</td><td>41 us</td>"));
	CHECK(strstr(html, "The front, on the 1 seed that all settings had"));
	CHECK(strstr(html, "the limit on these seeds is 9 Gb/s"));
	free(html);
	report_free(&r);
	store_close(s);
	choice_free(&c);
	folder_remove(&f);
}

/* Rows are named by their settings and are in the order of the outcome, in every table. */
TEST(test_rows_of_a_search_are_in_its_order_and_name_sections)
{
	struct folder f = folder_make();
	struct choice c;
	struct store *s = make(&f, &c);
	struct report r;

	read_report(&r, s);
	CHECK_INT(r.case_count, SETTINGS);
	CHECK(r.axis == NULL);
	CHECK_STR(r.schemes[r.cases[0].scheme], "chosen: k=50KB, bulk.min=30KB");
	CHECK_STR(r.schemes[r.cases[1].scheme], "the file's: k=20KB, bulk.min=60KB");
	CHECK_STR(r.schemes[r.cases[2].scheme], "k=90KB, bulk.min=9KB");
	report_free(&r);
	store_close(s);
	choice_free(&c);
	folder_remove(&f);
}

/* The outcome is of other runs then; rows of an ordinary sweep say which section a value belongs
 * to, too. */
TEST(test_another_sweep_in_the_folder_is_not_reported_as_the_search)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct choice c;
	struct store *s = make(&f, &c);
	struct report r;

	store_plan(s, (const char(*)[RUN_KEY_SIZE])c.runs[0].key, 1, &e);
	read_report(&r, s);
	CHECK(!r.has_choice);
	report_free(&r);
	store_plan(s, NULL, 0, &e);
	read_report(&r, s);
	CHECK_LIKE(r.schemes[0], "...=ecn(k=..., bulk=red(min=...");
	report_free(&r);
	store_close(s);
	choice_free(&c);
	folder_remove(&f);
}

TEST(test_a_damaged_outcome_is_an_error_that_names_its_line)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct choice c;
	struct store *s = make(&f, &c);
	char *path = NULL;
	struct report r;
	FILE *file;

	text_print(&path, "%s/choice.ini", f.path);
	file = fopen(path, "w");
	fputs("[choice]\ngoal = x\nown = many\n", file);
	fclose(file);
	CHECK_INT(report_read(&r, s, STORE_PLANNED, &e), -2);
	CHECK_LIKE(e.text, ".../choice.ini:3: is damaged...");
	free(path);
	store_close(s);
	choice_free(&c);
	folder_remove(&f);
}
