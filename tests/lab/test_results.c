/* SPDX-License-Identifier: BSD-3-Clause */
/* test_results.c -- numbers as text, and JSON and CSV that other programs can read. */
#define _XOPEN_SOURCE 700
#include "cli/signals.h"
#include "base/output.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include "lab/scenario/scenario.h"
#include "tests/folder.h"
#include "tests/test.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <float.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(test_human_numbers_have_a_unit_that_suits_their_size)
{
	CHECK_STR(format_time(0).text, "0 ns");
	CHECK_STR(format_time(999.94).text, "999.9 ns");
	CHECK_STR(format_time(999.96).text, "1 us");
	CHECK_STR(format_time(42500).text, "42.5 us");
	CHECK_STR(format_time(3e9).text, "3 s");
	CHECK_STR(format_time(4000e9).text, "4000 s");
	CHECK_STR(format_rate(9637300000.0).text, "9.637 Gb/s");
	CHECK_STR(format_rate(500e3).text, "500 Kb/s");
	CHECK_STR(format_bytes(95700).text, "95.7 KB");
	CHECK_STR(format_percent(0.3556).text, "35.56 %");
	CHECK_STR(format_percent(1).text, "100 %");
	CHECK_STR(format_count(0).text, "0");
	CHECK_STR(format_count(999).text, "999");
	CHECK_STR(format_count(1000).text, "1,000");
	CHECK_STR(format_count(1234567).text, "1,234,567");
	CHECK_STR(format_count(12.3456).text, "12.35");
	CHECK_STR(format_count(123456.7).text, "123,457");
	CHECK_STR(format_count((double)NAN).text, "-");
	CHECK_STR(format_time((double)NAN).text, "-");
	CHECK_STR(format_quantity(0.25, "s").text, "250 ms");
	CHECK_STR(format_quantity(7, "pkts").text, "7");
}

TEST(test_flow_has_a_state_that_nobody_mistakes)
{
	CHECK_STR(flow_state(1000, 0, 5), "completed");
	CHECK_STR(flow_state(1000, 0, -1), "unfinished");
	CHECK_STR(flow_state(FLOW_UNLIMITED, 0, -1), "unlimited");
	CHECK_STR(flow_state(1000, WEIR_TIME_NEVER_PS, -1), "never-started");
}

TEST(test_exact_numbers_read_back_as_the_same_number)
{
	struct weir_rng r = weir_rng_make(1, 0, WEIR_RNG_TEST);

	CHECK_STR(format_exact(0.1).text, "0.1");
	CHECK_STR(format_exact(1e6).text, "1000000");
	CHECK_STR(format_exact(9640494400.0).text, "9640494400");
	CHECK_STR(format_exact(1e300).text, "1e+300");
	CHECK_STR(format_exact(-2.5).text, "-2.5");
	for (int i = 0; i < 100000; i++) {
		double value = ldexp(weir_rng_unit(&r), (int)weir_rng_below(&r, 200) - 100);

		CHECK(strtod(format_exact(value).text, NULL) == value);
	}
}

/* The same by trying every number of digits. */
static struct format_text shortest(double value)
{
	struct format_text h;

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(h.text, sizeof(h.text), "%.*g", digits, value);
		if (strtod(h.text, NULL) == value)
			break;
	}
	if (fabs(value) < 1e15 && value == floor(value))
		snprintf(h.text, sizeof(h.text), "%.0f", value);
	return h;
}

TEST(test_exact_numbers_are_the_shortest_of_all_that_read_back)
{
	static const double odd[] = {
		0.0,        -0.0, 1e15, 1e15 + 2,           5e-324,    DBL_MIN,
		DBL_MAX,    1e22, 1e23, 9007199254740993.0, 0.1 + 0.2, (double)INFINITY,
		(double)NAN
	};
	struct weir_rng r = weir_rng_make(2, 0, WEIR_RNG_TEST);
	double value;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		CHECK_STR(format_exact(odd[i]).text, shortest(odd[i]).text);
	for (int i = -1074; i < 1024;
	     i++) /* half as far from the number below as from the one above */
		CHECK_STR(format_exact(ldexp(1, i)).text, shortest(ldexp(1, i)).text);
	for (int i = 0; i < 50000; i++) {
		uint64_t bits = (uint64_t)weir_rng_u32(&r) << 32 | weir_rng_u32(&r);

		memcpy(&value, &bits, sizeof(value)); /* every number, also the smallest */
		CHECK_STR(format_exact(value).text, shortest(value).text);
		value = (double)(bits >> 40) /
			(double)(1 + (bits & 0xffffff)); /* as slowdowns are */
		CHECK_STR(format_exact(value).text, shortest(value).text);
		value = ldexp((double)(bits >> 11 | UINT64_C(1) << 52),
			      i % 66 - 66); /* 0.0001 to 1e15 */
		CHECK_STR(format_exact(value).text, shortest(value).text);
		CHECK_STR(format_exact(-value).text, shortest(-value).text);
		value = (double)(bits >> 50) / 1000; /* with few digits */
		CHECK_STR(format_exact(value).text, shortest(value).text);
	}
}

/* --- a reader of JSON that knows right from wrong, and nothing else --- */

static const char *json_value(const char *s);

static const char *json_blank(const char *s)
{
	return s + strspn(s, " \n");
}

static const char *json_string(const char *s)
{
	CHECK(*s == '"');
	for (s++; *s != '"'; s++) {
		CHECK((unsigned char)*s >= ' ');
		if (*s == '\\') {
			s++;
			CHECK(*s && strchr("\"\\u", *s));
			if (*s == 'u') {
				CHECK(strspn(s + 1, "0123456789abcdef") >= 4);
				s += 4;
			}
		}
	}
	return s + 1;
}

static const char *json_members(const char *s, char close)
{
	int first = 1;

	for (s = json_blank(s + 1); *s != close; s = json_blank(s)) {
		if (!first) {
			CHECK(*s == ',');
			s = json_blank(s + 1);
		}
		first = 0;
		if (close == '}') {
			s = json_blank(json_string(s));
			CHECK(*s == ':');
			s = json_blank(s + 1);
		}
		s = json_value(s);
	}
	return s + 1;
}

static const char *json_value(const char *s)
{
	static const char *const words[] = { "true", "false", "null" };
	char *end;

	if (*s == '{')
		return json_members(s, '}');
	if (*s == '[')
		return json_members(s, ']');
	if (*s == '"')
		return json_string(s);
	for (size_t i = 0; i < 3; i++)
		if (strncmp(s, words[i], strlen(words[i])) == 0)
			return s + strlen(words[i]);
	CHECK(*s == '-' || (*s >= '0' && *s <= '9'));
	strtod(s, &end);
	return end;
}

static void check_json(const char *text)
{
	CHECK_STR(json_blank(json_value(text)), "");
}

/* --- a run --- */

struct finished {
	struct scenario scenario;
	struct config config;
	struct run_result result;
};

static const char odd_title[] = "# A \"title\", with \\ and \xc3\xa9 and \xff and \xed\xa0\x80\n";

static void finish_text(struct finished *f, const char *text)
{
	const struct run_control control = { .threads = 1 };
	struct weir_error e;

	if (scenario_read_text(&f->scenario, "f.ini", text, strlen(text), &e) ||
	    scenario_config(&f->scenario, &f->config, &e) ||
	    run(&f->config, &control, &f->result, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void finish_run(struct finished *f, const char *title)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "%s[network]\ntopology = star\nhosts = 4\n"
		 "[traffic a]\npattern = many-to-one\nsize = 20KB\n"
		 "[traffic b]\npattern = list\nflow = 0 1 unlimited 0us\n[measure]\nto = 1ms\n",
		 title);
	finish_text(f, text);
}

static void finished_free(struct finished *f)
{
	run_result_free(&f->result);
	config_free(&f->config);
	scenario_free(&f->scenario);
}

TEST(test_json_is_well_formed_whatever_the_title)
{
	struct finished f;
	struct weir_error e;
	char *text;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	finish_run(&f, odd_title);
	f.result.value[0] = (double)NAN;
	f.result.value[1] = (double)INFINITY;
	CHECK_INT(results_json(stream, &f.config, &f.result, &e), 0);
	fclose(stream);
	check_json(text);
	CHECK_CONTAINS(text, "\"title\": \"A \\\"title\\\", with \\\\ and \xc3\xa9 and \\ufffd and "
			     "\\ufffd\\ufffd\\ufffd\"");
	CHECK_CONTAINS(text, "\"flows_started\": null");
	CHECK_CONTAINS(text, "\"flows_completed\": null");
	CHECK_CONTAINS(text, "\"traffic.b.flow\": \"0 1 unlimited 0us\"");
	free(text);
	finished_free(&f);
}

/* How many rows of flows there are, and how many of these never started. */
struct flow_rows {
	uint32_t count, never;
};

static int count_row(void *context, const void *row)
{
	const struct stored_flow *f = row;
	struct flow_rows *rows = context;

	rows->count++;
	rows->never += f->start_ps == WEIR_TIME_NEVER_PS;
	return 0;
}

static struct flow_rows count_rows(const struct finished *f)
{
	struct flow_rows rows = { 0, 0 };
	const struct finished_run run = { "0", &f->config, &f->result };
	const struct row_visitor v = { count_row, &rows };
	struct weir_error e;

	CHECK_INT(finished_each(&run, TABLE_FLOW, &v, &e), 0);
	return rows;
}

/* More I/Os are drawn than there is time for. Expected: those that did not begin are nobody's
 * flows. Buggy: all were rows, most of them "never-started". What a scenario asks for itself and
 * does not get stays. */
TEST(test_flows_of_storage_that_never_start_are_not_kept)
{
	struct flow_rows rows;
	struct finished f;

	finish_text(&f, "# Q\n[network]\ntopology = star\nhosts = 5\n"
			"[traffic io]\npattern = storage\nmix = oltp\ndepth = 2\n"
			"[measure]\nto = 1ms\n");
	rows = count_rows(&f);
	CHECK(rows.count > 20 && rows.never == 0);
	CHECK(rows.count >= f.result.value[metric_index("flows_started")]);
	CHECK(rows.count < f.result.flow_count);
	finished_free(&f);
	finish_text(&f, "# Q\n[network]\ntopology = star\nhosts = 5\n"
			"[traffic a]\npattern = list\nflow = 0 1 100MB 0us\n"
			"flow = 1 2 20KB sent:0\n[measure]\nto = 1ms\ndrain = 0s\n");
	rows = count_rows(&f);
	CHECK(rows.count == 2 && rows.never == 1);
	finished_free(&f);
}

static int contains(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

TEST(test_table_shows_what_is_known_and_every_metric)
{
	struct finished f;
	char *text;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	finish_run(&f, "# Title\n");
	results_table(stream, &f.config, &f.result, 100);
	fclose(stream);
	CHECK(strncmp(text, "Title\nstar, 4 hosts; marking ecn;", 33) == 0);
	CHECK(contains(text, "Queue at sw->h"));
	CHECK(contains(text, "slowdown"));
	CHECK(!contains(text, "PARTIAL"));
	CHECK(!contains(text, "nan"));
	free(text);
	f.result.partial = 1;
	for (uint32_t i = 0; i < f.result.flow_count; i++)
		f.result.flows[i].finish_ps = -1;
	stream = open_memstream(&text, &length);
	results_table(stream, &f.config, &f.result, 100);
	fclose(stream);
	CHECK(strncmp(text, "PARTIAL", 7) == 0);
	CHECK(!contains(text, "Flow completion")); /* nothing is known of it */
	free(text);
	finished_free(&f);
}

/* Every number of the wide table is in the narrow one, whose lines have 40 columns at most. */
TEST(test_table_of_a_narrow_screen_has_the_same_numbers)
{
	struct finished f;
	char *text[2];
	size_t length[2];

	finish_run(&f, "# A title that is longer than forty columns are\n");
	for (int i = 0; i < 2; i++) {
		FILE *stream = open_memstream(&text[i], &length[i]);

		results_table(stream, &f.config, &f.result, i ? 40 : 100);
		fclose(stream);
	}
	for (const char *line = text[1]; *line; line += strspn(line, "\n")) {
		CHECK(strcspn(line, "\n") <= 40);
		line += strcspn(line, "\n");
	}
	for (char *word = strtok(text[0], " \n"); word; word = strtok(NULL, " \n"))
		if (word[0] >= '0' && word[0] <= '9' && !contains(text[1], word))
			test_fail(__FILE__, __LINE__, "%s is not in the narrow table", word);
	free(text[0]);
	free(text[1]);
	finished_free(&f);
}

TEST(test_every_metric_has_a_place_in_a_group_of_the_table)
{
	struct finished f;
	char *text, *others;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	finish_run(&f, "# Title\n");
	results_table(stream, &f.config, &f.result, 100);
	fclose(stream);
	others = strstr(text, "Other\n"); /* here go those that no group names */
	if (others)
		test_fail(__FILE__, __LINE__, "%s", others);
	free(text);
	finished_free(&f);
}

TEST(test_every_metric_says_what_it_is_in_the_unit_of_its_name)
{
	static const struct {
		const char *end, *unit;
	} units[] = { { "_ns", "ns" },       { "_bps", "bps" },   { "_pkts", "pkts" },
		      { "_bytes", "bytes" }, { "_seconds", "s" }, { "", "" } };

	for (const struct metric *m = metric_all; m->name; m++) {
		size_t length = strlen(m->name), i = 0;

		while (length < strlen(units[i].end) ||
		       strcmp(m->name + length - strlen(units[i].end), units[i].end) != 0)
			i++;
		CHECK_STR(m->unit, units[i].unit);
		CHECK(m->help && *m->help);
	}
}

/* --- CSV --- */

/* Fields of a line, by RFC 4180; *s is left behind it. */
static int csv_fields(const char **s)
{
	int fields = 1, quoted = 0;

	for (; **s && (quoted || **s != '\n'); (*s)++) {
		if (**s == '"')
			quoted = !quoted;
		else if (**s == ',' && !quoted)
			fields++;
	}
	CHECK(!quoted && **s == '\n');
	(*s)++;
	return fields;
}

/* Every line has as many fields as the first; returns the number of lines after it. */
static int csv_rows(const char *text)
{
	int columns = csv_fields(&text), rows = 0;

	CHECK(columns >= 4);
	for (; *text; rows++)
		CHECK_INT(csv_fields(&text), columns);
	return rows;
}

static char *file_text(const char *folder, const char *name)
{
	char path[512], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	CHECK(f != NULL);
	CHECK(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	return text;
}

TEST(test_csv_has_a_row_for_every_run_flow_and_port)
{
	static const struct {
		const char *name;
		int rows;
	} files[] = {
		{ "runs.csv", 1 },   { "flows.csv", 4 },   { "ports.csv", 4 },
		{ "pauses.csv", 0 }, { "reasons.csv", 1 }, { "series.csv", 0 },
	};
	char folder[] = "/tmp/weir-test-XXXXXX", path[64];
	struct finished f;
	struct weir_error e;

	CHECK(mkdtemp(folder) != NULL);
	finish_run(&f, odd_title);
	CHECK_INT(results_csv_probe(folder, &e), 0);
	CHECK_INT(rmdir(folder), 0); /* the probe left nothing, and the folder is made anew */
	CHECK_INT(results_csv(folder, &f.config, &f.result, &e), 0);
	for (int i = 0; i < 6; i++) {
		char *text = file_text(folder, files[i].name);

		CHECK_INT(csv_rows(text), files[i].rows);
		if (i == 1) {
			CHECK_CONTAINS(text, "\n1,0,a,0,1,0,20000,0,");
			/* unlimited: no size, no end */
			CHECK_CONTAINS(text, ",b,0,0,1,,0,,,,,data,unlimited\n");
		}
		free(text);
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		CHECK_INT(unlink(path), 0);
	}
	CHECK_INT(rmdir(folder), 0); /* and nothing else was in it */
	finished_free(&f);
}

/* --- pauses --- */

/* The example of test_lossless.c, where the times are worked out: h0's NIC is paused from 4566.4
 * ns to 6243.2, that of h1 from 3728.0 to 5404.8 and from 5456.0 to the end at 6250. */
static const char paused_text[] =
	"[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
	"[switch]\nmarking = none\nbuffer-per = switch\nlossless = 0\nbuffer = 153144B\n"
	"pfc-headroom = 50000B\npfc-reserved = 0B\nxon-offset = 0B\npfc-alpha = 1\n"
	"[host]\njitter = 0ns\ncc = line-rate\n[rdma]\nheader = 48B\nmtu = 1000B\n"
	"[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = unlimited\n"
	"[measure]\nto = 6250ns\n";

/* 6243.2 - 4566.4 and 5404.8 - 3728.0 + 6250 - 5456.0. */
static const char paused_csv[] = "run,link,class,count,paused_ps\n"
				 "1,h0->sw,0,1,1676800\n"
				 "1,h1->sw,0,2,2470800\n";

TEST(test_csv_of_a_run_has_a_row_for_every_paused_class_of_a_link)
{
	struct folder folder = folder_make();
	struct finished f;
	struct weir_error e;
	char *text;

	finish_text(&f, paused_text);
	CHECK_INT(results_csv(folder.path, &f.config, &f.result, &e), 0);
	text = file_text(folder.path, "pauses.csv");
	CHECK_STR(text, paused_csv);
	free(text);
	finished_free(&f);
	folder_remove(&folder);
}

/* The run with pauses, and one without. */
static struct store *store_two(const struct folder *folder)
{
	struct finished f[2];
	struct store *store;
	struct weir_error e;

	finish_text(&f[0], paused_text);
	finish_run(&f[1], "# Nobody waits\n");
	CHECK_INT(store_open(&store, folder->path, STORE_WRITE, &e), 0);
	CHECK_INT(store_add(store, "1", &f[0].config, &f[0].result, &e), 0);
	CHECK_INT(store_add(store, "2", &f[1].config, &f[1].result, &e), 0);
	finished_free(&f[0]);
	finished_free(&f[1]);
	return store;
}

TEST(test_export_has_every_paused_class_of_a_link)
{
	struct folder folder = folder_make();
	struct store *store = store_two(&folder);
	struct stored_runs runs;
	struct weir_error e;
	char *text;
	size_t length;
	FILE *stream;

	CHECK_INT(store_runs(store, STORE_ALL, &runs, &e), 0);
	CHECK_INT(export_csv(folder.path, store, &runs, &e), 0);
	text = file_text(folder.path, "pauses.csv");
	CHECK_STR(text, paused_csv); /* and nothing of the second run */
	free(text);
	stream = open_memstream(&text, &length);
	CHECK_INT(export_json(stream, store, &runs, &e), 0);
	fclose(stream);
	check_json(text);
	CHECK_CONTAINS(
		text,
		"\"pauses\": [\n"
		"{\"link\": \"h0->sw\", \"class\": 0, \"count\": 1, \"paused_ps\": 1676800},\n"
		"{\"link\": \"h1->sw\", \"class\": 0, \"count\": 2, \"paused_ps\": 2470800}\n"
		"],");
	CHECK_CONTAINS(text, "\"pauses\": [\n],");
	free(text);
	stored_runs_free(&runs);
	store_close(store);
	folder_remove(&folder);
}

/* --- files --- */

TEST(test_output_appears_whole_or_not_at_all)
{
	char folder[] = "/tmp/weir-test-XXXXXX", path[64];
	struct output o;
	struct weir_error e;
	char *text;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/file", folder);
	CHECK_INT(output_open(&o, path, &e), 0);
	fputs("one", o.stream);
	CHECK_INT(access(path, F_OK), -1);
	output_abandon(&o);
	CHECK_INT(output_probe(path, &e), 0);
	CHECK_INT(rmdir(folder), 0); /* empty: neither left anything */
	CHECK_INT(mkdir(folder, 0700), 0);
	CHECK_INT(output_open(&o, path, &e), 0);
	fputs("two", o.stream);
	CHECK_INT(output_finish(&o, &e), 0);
	CHECK_INT(access(path, F_OK), -1);
	CHECK_INT(output_publish(&o, &e), 0);
	text = file_text(folder, "file");
	CHECK_STR(text, "two");
	free(text);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(rmdir(folder), 0);
}

/* --- Ctrl-C --- */

TEST(test_interrupt_asks_once_and_kills_the_second_time)
{
	int status, ready[2];
	char byte;
	pid_t child;

	CHECK_INT(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		struct interrupt i;

		interrupt_start(&i);
		CHECK(write(ready[1], "a", 1) == 1);
		while (!atomic_load(&i.stop))
			sched_yield();
		CHECK(write(ready[1], "b", 1) == 1);
		for (;;)
			pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	CHECK_INT(kill(child, SIGINT), 0);
	CHECK(read(ready[0], &byte, 1) == 1);
	CHECK_INT(byte, 'b'); /* asked to stop, and still there */
	CHECK_INT(kill(child, SIGINT), 0);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
