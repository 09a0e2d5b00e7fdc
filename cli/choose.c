/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c -- weir choose: has the rounds of a search run (lab/campaign/choose.h), keeps the
 * outcome in the result folder, and shows it: the chosen setting, how it does on fresh seeds, and
 * what the goal costs. */
#include "lab/campaign/choose.h"
#include "cli/options.h"
#include "cli/run.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option choose_arguments[] = {
	{ "--goal", "METRIC",
	  "the metric to minimise, one of 'weir table': fct_small_p99, or of a traffic section: "
	  "'fct_p99 of storage', 'round_mean of ai'; -METRIC: to maximise",
	  OFFER_METRIC },
	{ "--keep", "RULE",
	  "a constraint, as in 'goodput >= 0.98 of best' or 'drops <= 0'; may be given several "
	  "times",
	  OFFER_METRIC },
	{ "--over", "SETTING=LOW..HIGH",
	  "where to look, as in switch.marking.min=5KB..500KB (by ratios, where there is a unit), "
	  "or "
	  "SETTING=A, B; may be given several times",
	  OFFER_SETTING },
	{ "--budget", "RUNS", "runs in all; 80 unless given", OFFER_NOTHING },
	{ "--seeds", "N", "runs of each setting at first; 2 unless given", OFFER_NOTHING },
	{ "--seed", "N", "first seed of the runs, and of what is drawn", OFFER_NOTHING },
	{ "--set", "SECTION.KEY=VALUE",
	  "replaces a setting of the file; may be given several times", OFFER_SETTING },
	OPTION_FULL,
	{ "--out", "DIR", "where results go; FILE.choose.results here unless given", OFFER_FOLDER },
	OPTION_JOBS,
	OPTION_QUIET,
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

#define RESULTS ".results"

struct choose_command {
	struct choose_request q;
	struct sweep_request sweep;
	char folder[FOLDER_SIZE];
};

/* --- the command line --- */

static int choose_read_number(const struct arguments *a, const char *name, const char *otherwise,
			      uint64_t *number, struct weir_error *e)
{
	const struct weir_option option = {
		name, WEIR_OPT_COUNT, 0, otherwise, 1, 100000, "", NULL
	};
	const char *text = arguments_option(a, name);

	return weir_option_parse(number, &option, text ? text : otherwise, e);
}

typedef int request_reader(struct choose_request *q, const char *text, struct weir_error *e);

/* Every value of an option. */
static int choose_read_each(const struct arguments *a, const char *name, request_reader *read,
			    struct choose_request *q, struct weir_error *e)
{
	const char *value;

	for (size_t at = 0; (value = arguments_next(a, name, &at));)
		if (read(q, value, e))
			return weir_error_prefix(e, "%s: ", name);
	return 0;
}

/* "mine.ini" to "mine.choose.results": what [sweep] left in mine.results stays as it is. */
static int choose_find_folder(struct choose_command *k, const struct arguments *a,
			      struct weir_error *e)
{
	const char *out = arguments_option(a, "--out");
	size_t length;

	if (!out && folder_default(arguments_word(a, 0), "", k->folder, e))
		return -1;
	length = strlen(k->folder) - (out ? 0 : strlen(RESULTS));
	if (snprintf(k->folder + length, sizeof(k->folder) - length, "%s",
		     out ? out : ".choose" RESULTS) >= (int)(sizeof(k->folder) - length))
		return weir_error_set(e, "--out: the name is too long");
	return 0;
}

static int choose_read_request(struct choose_command *k, const struct arguments *a,
			       struct weir_error *e)
{
	const char *goal = arguments_option(a, "--goal");

	memset(k, 0, sizeof(*k));
	if (!goal)
		return weir_error_set(e, "choose: --goal METRIC is missing, as in --goal "
					 "fct_small_p99");
	if (choose_read_goal(&k->q, goal, e))
		return weir_error_prefix(e, "--goal: ");
	if (choose_read_each(a, "--keep", choose_add_constraint, &k->q, e) ||
	    choose_read_each(a, "--over", choose_add_range, &k->q, e) ||
	    choose_read_number(a, "--budget", "80", &k->q.budget, e) ||
	    choose_read_number(a, "--seeds", "2", &k->q.seeds, e) ||
	    options_jobs(a, &k->sweep.jobs, e))
		return -1;
	if (k->q.range_count == 0)
		return weir_error_set(e,
				      "choose: --over SETTING=LOW..HIGH is missing, as in --over "
				      "switch.marking.min=5KB..500KB");
	k->sweep.out = k->folder;
	k->sweep.threads = 1;
	k->sweep.no_table = 1;
	k->sweep.quiet = arguments_option(a, "--quiet") != NULL;
	return choose_find_folder(k, a, e);
}

/* One scenario: lists of one value are used, seeds are ours. */
static int choose_fix_scenario(struct scenario *s, struct weir_error *e)
{
	struct sweep w;
	int failed = 0;

	if (sweep_read(&w, s, e))
		return -1;
	for (uint32_t i = 0; i < w.axis_count && !failed; i++)
		if (w.axes[i].values.count > 1 && strcmp(w.axes[i].path, "seed") != 0)
			failed = weir_error_set(e,
						"%.200s: has several values of %s; choose looks "
						"for one setting of one scenario: --set %s=VALUE",
						s->file, w.axes[i].path, w.axes[i].path);
	if (!failed)
		failed = sweep_apply(&w, 0, s, e);
	sweep_free(&w);
	return failed;
}

/* --- what came out --- */

static void choose_print_head(const struct choice *c, const struct scenario *s)
{
	if (s->title[0])
		printf("%s\n\n", s->title);
	printf("Goal: %s\nSearched: ", choice_goal_text(c).text);
	for (uint32_t i = 0; i < c->range_count; i++)
		printf("%s%s %s", i ? ", " : "", c->ranges[i].path, c->ranges[i].text);
	printf("\nRuns: %" PRIu64 " of at most %" PRIu64 ":", c->run_count, c->budget);
	for (uint32_t r = 0; r < CHOICE_ROUNDS; r++)
		printf("%s %" PRIu32 " setting%s on %" PRIu64 " seed%s", r ? "," : "", c->sizes[r],
		       c->sizes[r] == 1 ? "" : "s", c->seeds << r, c->seeds << r == 1 ? "" : "s");
	printf(", the best of them on %" PRIu32 " others\n", c->fresh_seeds);
}

/* Columns are as wide as the names above them. */
static void choose_print_number(const struct choice_metric *m, double value)
{
	int name = (int)strlen(m->name), width = name > 12 ? name : 12;

	printf("  %*s", width, choice_number_text(value, m->unit).text);
}

static void choose_print_name(const struct choice_metric *m)
{
	printf("  %12s", m->name);
}

static int choose_role_width(const struct choice *c)
{
	int width = (int)strlen("the file's");

	for (uint32_t i = 0; i < c->count; i++)
		if (c->all[i].is_judged && (int)strlen(choice_role_text(c, i).text) > width)
			width = (int)strlen(choice_role_text(c, i).text);
	return width;
}

static void choose_print_sentence(void *context, const char *line)
{
	uint32_t *count = context;
	char *text = NULL;

	text_print(&text, "%s%s", *count == 1 ? "There " : "", line);
	if ((*count)++ > 0) /* which setting it is stands above the table */
		comparison_print_line(stdout, cli_line_width(stdout), text);
	free(text);
}

static void choose_print_judged(const struct choice *c)
{
	uint32_t said = 0;
	int width = choose_role_width(c);

	printf("\n%s:\n%-*s", choice_fresh_text(c).text, width, "");
	choose_print_name(&c->goal);
	for (uint32_t i = 0; i < c->rule_count; i++)
		choose_print_name(&c->rules[i].metric);
	putchar('\n');
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->all[i].is_judged)
			continue;
		printf("%-*s", width, choice_role_text(c, i).text);
		choose_print_number(&c->goal, c->all[i].fresh.goal);
		for (uint32_t m = 0; m < c->rule_count; m++)
			choose_print_number(&c->rules[m].metric, c->all[i].fresh.rule[m]);
		putchar('\n');
	}
	choice_describe(c, &(struct line_sink){ choose_print_sentence, &said });
}

static void choose_print_front(const struct choice *c)
{
	uint32_t *front = memory_zeroed(c->count, sizeof(*front)), count = choice_front(c, front);

	if (count)
		printf("\nThe front, on the %" PRIu64 " seed%s that all settings had:\n", c->seeds,
		       c->seeds == 1 ? "" : "s");
	for (uint32_t i = 0; i < count; i++) {
		const struct choice_setting *x = &c->all[front[i]];

		if (i == 0) {
			choose_print_name(&c->goal);
			choose_print_name(&c->rules[0].metric);
			puts("  setting");
		}
		choose_print_number(&c->goal, x->first.goal);
		choose_print_number(&c->rules[0].metric, x->first.rule[0]);
		printf("  %s%s\n", front[i] == 0 ? "chosen: " : "",
		       front[i] == c->own ? "as in the file" : x->point);
	}
	free(front);
}

static void choose_print_chosen(const struct choice *c)
{
	const char *at = c->all[0].point;
	size_t length;

	puts("\nChosen:");
	if (c->own == 0)
		puts("  the file's own setting; no other that was tried is better");
	for (at = line_part(at, &length); *at; at = line_part(at, &length)) {
		if (at[length - 1] != '=') /* that is left to its default */
			printf("  %.*s\n", (int)length, at);
		at += strcspn(at, ";");
		at += *at == ';';
	}
	if (!c->all[0].is_kept)
		comparison_print_line(stdout, cli_line_width(stdout), choice_search_text(c).text);
}

/* The plan of the folder is every run there was: tables and reports show all of them, with the
 * outcome. */
static int choose_store_outcome(const struct choice *c, const char *folder, struct weir_error *e)
{
	char(*keys)[RUN_KEY_SIZE] = memory_zeroed(c->run_count, sizeof(*keys));
	struct store *store;
	int failed = store_open(&store, folder, STORE_WRITE, e);

	for (uint64_t i = 0; i < c->run_count; i++)
		memcpy(keys[i], c->runs[i].key, RUN_KEY_SIZE);
	if (!failed)
		failed = store_plan(store, (const char(*)[RUN_KEY_SIZE])keys, c->run_count, e);
	store_close(store);
	free(keys);
	return failed ? -1 : choice_write(c, folder, e);
}

static int choose_print_outcome(const struct choose *c, const struct choose_command *k,
				const struct scenario *s)
{
	struct choice outcome;
	struct weir_error e;
	int failed;

	choose_record(c, &outcome);
	failed = choose_store_outcome(&outcome, k->folder, &e);
	if (!failed) {
		choose_print_head(&outcome, s);
		choose_print_chosen(&outcome);
		choose_print_judged(&outcome);
		choose_print_front(&outcome);
		printf("\n%s: all runs, for 'weir table' and 'weir report'\n", k->folder);
	}
	choice_free(&outcome);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

/* --- rounds --- */

struct search {
	struct choose *c;
	const char *folder;
};

static int choose_watch_run(void *context, uint64_t run, const char *key, struct weir_error *e)
{
	struct search *search = context;
	struct store *store;
	int failed;

	if (store_open(&store, search->folder, STORE_FOLLOW, e))
		return -1;
	failed = choose_add_run(search->c, run, key, store, e);
	store_close(store); /* the next runs are forked off */
	return failed;
}

static void choose_warn_of_budget(const struct choose *c)
{
	uint64_t advised = choose_advised_budget(c);

	if (advised)
		fprintf(stderr,
			"weir: --budget %" PRIu64 " draws %" PRIu32 " settings for %" PRIu32
			" --over, which is few: a good one is easily missed. About ten for each "
			"are usual: --budget %" PRIu64 ", or fewer --over\n",
			c->q->budget, c->count - 1, c->q->range_count, advised);
}

/* "round 2 of 4: 6 settings on 4 seeds"; for the caller to free. */
static char *choose_round_text(const struct choose *c)
{
	char *text = NULL;

	text_print(&text, "round %" PRIu32 " of %d: %" PRIu32 " setting%s on %" PRIu32 "%s seed%s",
		   c->round + 1, CHOOSE_ROUNDS + 1, c->live_count, c->live_count == 1 ? "" : "s",
		   c->seeds, c->round == CHOOSE_ROUNDS ? " fresh" : "", c->seeds == 1 ? "" : "s");
	return text;
}

static int choose_run_rounds(struct choose *c, struct choose_command *k, struct scenario *s)
{
	struct search search = { c, k->folder };
	const struct sweep_watch watch = { &search, choose_watch_run };

	k->sweep.watch = &watch;
	choose_warn_of_budget(c);
	do {
		char *stage = choose_round_text(c);
		struct sweep w;
		int status;

		choose_begin_round(c, &w);
		k->sweep.stage = stage;
		status = run_sweep(&k->sweep, s, &w);
		sweep_free(&w);
		free(stage);
		if (status != EXIT_FINE)
			return status;
	} while (choose_end_round(c));
	return choose_print_outcome(c, k, s);
}

static int choose_main(const struct arguments *a)
{
	struct choose_command k;
	struct scenario s;
	struct choose c = { 0 };
	struct weir_error e = { "" };
	int status;

	if (choose_read_request(&k, a, &e) || options_scenario(a, &s, &e)) {
		choose_request_free(&k.q);
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (choose_fix_scenario(&s, &e) || choose_begin(&c, &k.q, &s, &e))
		status = cli_error(EXIT_MISTAKE, &e);
	else
		status = choose_run_rounds(&c, &k, &s);
	choose_free(&c);
	choose_request_free(&k.q);
	scenario_free(&s);
	return status;
}

const struct command command_choose = {
	.name = "choose",
	.usage = "FILE",
	.help = "finds a good setting for a goal, within a budget of runs, and judges it on other "
		"seeds",
	.options = choose_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = choose_main,
	.world = COMMAND_EXECUTES,
	.offer = OFFER_FILE,
};
