/* choose.c -- weir choose: has the rounds of a search run (lab/campaign/choose.h), and shows what was chosen, how it
 * does on seeds that did not choose it, and what it costs to ask for more. */
#define _DEFAULT_SOURCE
#include "lab/campaign/choose.h"
#include "cli/folder.h"
#include "cli/load.h"
#include "cli/sweep.h"
#include "lab/store/store.h"
#include "sim/base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESULTS ".results"

struct asked {
	struct choose_request q;
	struct sweep_request sweep;
	char folder[FOLDER_SIZE];
};

/* --- the command line --- */

static int read_number(const struct arguments *a, const char *name, const char *otherwise,
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
static int read_each(const struct arguments *a, const char *name, request_reader *read,
		     struct choose_request *q, struct weir_error *e)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->all[i].option && strcmp(a->all[i].option->name, name) == 0 &&
		    read(q, a->all[i].value, e))
			return weir_error_prefix(e, "%s: ", name);
	return 0;
}

/* "mine.ini" to "mine.choose.results": what [sweep] left in mine.results stays as it is. */
static int find_folder_of(struct asked *k, const struct arguments *a, struct weir_error *e)
{
	const char *out = arguments_option(a, "--out");
	size_t length;

	if (!out && default_folder(arguments_word(a, 0), "", k->folder, e))
		return -1;
	length = strlen(k->folder) - (out ? 0 : strlen(RESULTS));
	if (snprintf(k->folder + length, sizeof(k->folder) - length, "%s",
		     out ? out : ".choose" RESULTS) >= (int)(sizeof(k->folder) - length))
		return weir_error_set(e, "--out: the name is too long");
	return 0;
}

static int read_request(struct asked *k, const struct arguments *a, struct weir_error *e)
{
	const char *goal = arguments_option(a, "--goal");

	memset(k, 0, sizeof(*k));
	if (!goal)
		return weir_error_set(e, "choose: --goal METRIC is missing, as in --goal "
					 "fct_small_p99");
	if (choose_read_goal(&k->q, goal, e))
		return weir_error_prefix(e, "--goal: ");
	if (read_each(a, "--keep", choose_add_keep, &k->q, e) ||
	    read_each(a, "--over", choose_add_range, &k->q, e) ||
	    read_number(a, "--budget", "80", &k->q.budget, e) ||
	    read_number(a, "--seeds", "2", &k->q.seeds, e) || read_jobs(a, &k->sweep.jobs, e))
		return -1;
	if (k->q.range_count == 0)
		return weir_error_set(e,
				      "choose: --over SETTING=LOW..HIGH is missing, as in --over "
				      "switch.marking.min=5KB..500KB");
	k->sweep.out = k->folder;
	k->sweep.threads = 1;
	k->sweep.no_table = 1;
	k->sweep.quiet = !isatty(STDERR_FILENO);
	return find_folder_of(k, a, e);
}

/* One scenario: lists of one value are used, seeds are ours. */
static int settle(struct scenario *s, struct weir_error *e)
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

/* "fct_p99_ns of web" */
struct metric_text {
	char text[2 * sizeof(((struct choose_metric *)0)->name) + 8];
};

static struct metric_text metric_text(const struct choose_metric *m)
{
	struct metric_text t;

	snprintf(t.text, sizeof(t.text), "%s%s%s", m->name, m->section[0] ? " of " : "",
		 m->section);
	return t;
}

static void print_rule(const struct choose_keep *k)
{
	printf("%s %s %s%s", metric_text(&k->metric).text, k->is_most ? ">=" : "<=",
	       k->is_of_best ? exact_number(k->number).text
			     : human_quantity(k->number, k->metric.unit).text,
	       k->is_of_best ? " of best" : "");
}

static void print_head(const struct choose *c, const struct scenario *s)
{
	const struct choose_request *q = c->q;

	if (s->title[0])
		printf("%s\n\n", s->title);
	printf("Goal: %s %s", q->goal_is_most ? "most" : "least", metric_text(&q->goal).text);
	for (uint32_t i = 0; i < q->keep_count; i++) {
		fputs(i ? " and " : ", with ", stdout);
		print_rule(&q->keeps[i]);
	}
	fputs("\nLooked through: ", stdout);
	for (uint32_t i = 0; i < q->range_count; i++)
		printf("%s%s %s", i ? ", " : "", q->ranges[i].path, q->ranges[i].text);
	printf("\nRuns: %" PRIu64 " of at most %" PRIu64 ":", c->key_count, q->budget);
	for (uint32_t r = 0; r < CHOOSE_ROUNDS; r++)
		printf("%s %" PRIu32 " settings on %" PRIu64 " seed%s", r ? "," : "", c->sizes[r],
		       q->seeds << r, q->seeds << r == 1 ? "" : "s");
	printf(", %" PRIu32 " on %" PRIu32 " others\n", c->live_count, c->seeds);
}

/* Columns are as wide as the names above them. */
static void print_number(const struct choose_metric *m, double value)
{
	int name = (int)strlen(metric_text(m).text), width = name > 12 ? name : 12;

	printf("  %*s", width, isnan(value) ? "-" : human_quantity(value, m->unit).text);
}

static void print_name(const struct choose_metric *m)
{
	printf("  %12s", metric_text(m).text);
}

static void print_judged(const struct choose *c)
{
	const struct candidate *won = &c->judged[c->winner], *own = &c->judged[0];

	printf("\nOn seeds %" PRIu64 " to %" PRIu64 ", which did not choose it:\n",
	       c->first_seed + c->seeds, c->first_seed + 2 * (uint64_t)c->seeds - 1);
	printf("%-10s", "");
	print_name(&c->q->goal);
	for (uint32_t i = 0; i < c->q->keep_count; i++)
		print_name(&c->q->keeps[i].metric);
	putchar('\n');
	for (uint32_t i = 0; i < c->live_count; i++) {
		printf("%-10s", c->live[i] == c->winner ? "chosen"
				: c->live[i] == 0       ? "the file's"
							: "best kept");
		print_number(&c->q->goal, c->judged[c->live[i]].goal);
		for (uint32_t m = 0; m < c->q->keep_count; m++)
			print_number(&c->q->keeps[m].metric, c->judged[c->live[i]].keep[m]);
		putchar('\n');
	}
	if (c->winner != 0)
		printf("%.4g times the file's; %s on %" PRIu32 " of %" PRIu32 " seeds\n",
		       won->goal / own->goal, c->q->goal_is_most ? "more" : "less", c->better,
		       c->seeds);
	if (!won->is_kept)
		printf("Not kept there: by %s. Ask for less, or give a larger --budget or "
		       "--seeds.\n",
		       human_percent(won->lack).text);
}

static void print_front(const struct choose *c)
{
	uint32_t *front, count;

	if (c->q->keep_count == 0)
		return;
	front = memory_zeroed(c->count, sizeof(*front));
	count = choose_front(c, front);
	printf("\nThe front, on the %" PRIu64 " seed%s that all settings had:\n", c->q->seeds,
	       c->q->seeds == 1 ? "" : "s");
	print_name(&c->q->goal);
	print_name(&c->q->keeps[0].metric);
	puts("  setting");
	for (uint32_t i = 0; i < count; i++) {
		const struct candidate *x = &c->all[front[i]];

		print_number(&c->q->goal, x->first_goal);
		print_number(&c->q->keeps[0].metric, x->first_keep);
		printf("  %s%s\n", front[i] == c->winner ? "chosen: " : "",
		       front[i] == 0 ? "as in the file" : x->point);
	}
	free(front);
}

static void print_chosen(const struct choose *c)
{
	const char *at = c->all[c->winner].point;
	size_t length;

	puts("\nChosen:");
	if (c->winner == 0)
		puts("  what the file says; nothing tried was better");
	if (!c->all[c->winner].is_kept)
		puts("  though no setting keeps all that is to be kept; this one lacks least");
	for (at = line_part(at, &length); *at && c->winner; at = line_part(at, &length)) {
		printf("  %.*s\n", (int)length, at);
		at += strcspn(at, ";");
		at += *at == ';';
	}
}

/* The plan of the folder is every run there was: tables and reports show all of them. */
static int keep_plan(const struct choose *c, const char *folder, struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, folder, STORE_WRITE, e))
		return -1;
	failed = store_plan(store, (const char(*)[RUN_KEY_SIZE])c->keys, c->key_count, e);
	store_close(store);
	return failed;
}

static int show(const struct choose *c, const struct asked *k, const struct scenario *s)
{
	struct weir_error e;

	if (keep_plan(c, k->folder, &e))
		return complain(EXIT_WORLD, &e);
	print_head(c, s);
	print_chosen(c);
	print_judged(c);
	print_front(c);
	printf("\n%s: all runs, for 'weir table' and 'weir report'\n", k->folder);
	return EXIT_FINE;
}

/* --- rounds --- */

static int next_round(struct choose *c, const char *folder, struct weir_error *e)
{
	struct store *store;
	int more;

	if (store_open(&store, folder, STORE_READ, e))
		return -1;
	more = choose_next(c, store, e);
	store_close(store);
	return more;
}

static int run_rounds(struct choose *c, const struct asked *k, struct scenario *s)
{
	struct weir_error e = { "" };
	int more = 1;

	while (more > 0) {
		struct sweep w;
		int status;

		choose_sweep(c, &w);
		status = run_sweep(&k->sweep, s, &w);
		sweep_free(&w);
		if (status != EXIT_FINE)
			return status;
		more = next_round(c, k->folder, &e);
	}
	return more < 0 ? complain(EXIT_WORLD, &e) : show(c, k, s);
}

int command_choose(const struct arguments *a)
{
	struct asked k;
	struct scenario s;
	struct choose c = { 0 };
	struct weir_error e = { "" };
	int status;

	if (read_request(&k, a, &e) || load_scenario(a, &s, &e)) {
		choose_request_free(&k.q);
		return complain(EXIT_MISTAKE, &e);
	}
	if (settle(&s, &e) || choose_begin(&c, &k.q, &s, &e))
		status = complain(EXIT_MISTAKE, &e);
	else
		status = run_rounds(&c, &k, &s);
	choose_free(&c);
	choose_request_free(&k.q);
	scenario_free(&s);
	return status;
}
