/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed_figure.c -- weir testbed --figure NAME: a figure of a paper with real packets, whose
 * claims are checked in both worlds, real and simulated.
 *
 * PAPERS/PAPER/paper.real has a section [figure NAME] for each supported figure, with the time
 * dilation factor (slower = 10), settings that reduce it (set = traffic.web.flows=300) and a
 * note. Settings apply to both worlds, and results are converted back to the scenario's time
 * (testbed_dilation.c), so that claims are checked as they are. Runs of both worlds are stored
 * in OUT/PAPER/FIGURE.real and are not repeated. */
#define _POSIX_C_SOURCE 200809L
#include "cli/reproduce.h"
#include "cli/testbed.h"
#include "base/ini.h"
#include "base/text.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char default_out[] = "reproduction";

/* --- paper.real --- */

struct real_plan {
	const char *figure; /* figure that is looked up */
	int is_it, found;   /* in its section; its section was found */
	double slower;
	char *note;
	struct line_list sets;
};

static int real_plan_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct real_plan *p = user;

	if (strcmp(kind, "figure") != 0 || !*name)
		return weir_error_set(at->e, "unknown section %s; there is [figure NAME]",
				      weir_quote(kind).text);
	p->is_it = strcmp(name, p->figure) == 0;
	p->found |= p->is_it;
	return 0;
}

static int real_plan_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	static const char *const keys[] = { "slower", "set", "note" };
	struct real_plan *p = user;
	char *end;

	if (strcmp(key, "set") == 0) {
		if (p->is_it)
			line_list_add(&p->sets, value, at->line);
		return 0;
	}
	if (strcmp(key, "note") == 0) {
		if (p->is_it)
			text_print(&p->note, "%s", value);
		return 0;
	}
	if (strcmp(key, "slower") != 0)
		return weir_error_unknown(at->e, "key", key, keys, 3);
	if (p->is_it)
		p->slower = strtod(value, &end);
	if (p->is_it && (*end || !(p->slower >= 1 && p->slower <= 10000)))
		return weir_error_set(at->e,
				      "slower: %s; expected a time dilation factor, 1 to "
				      "10000",
				      weir_quote(value).text);
	return 0;
}

static void real_plan_free(struct real_plan *p)
{
	line_list_free(&p->sets);
	free(p->note);
}

/* On -1 nothing is left to free. */
static int real_plan_read(struct real_plan *p, const struct figure_files *f, struct weir_error *e)
{
	static const struct ini_form form = { .what = "what of a paper can be real",
					      .example = "[figure fig1]",
					      .section = real_plan_section,
					      .pair = real_plan_pair };
	const char *slash = strrchr(f->scenario, '/');
	struct ini_text text = { .length = 0 };
	char *file = NULL, *content;
	int failed;

	*p = (struct real_plan){ .figure = f->name, .slower = 1 };
	text_print(&file, "%.*spaper.real", slash ? (int)(slash - f->scenario) + 1 : 0,
		   f->scenario);
	content = ini_load(&form, file, &text.length, e);
	text.file = file;
	text.text = content;
	failed = !content || ini_read(&form, p, &text, e);
	if (!failed && !p->found)
		failed = weir_error_set(e,
					"%.300s: has no [figure %.64s]: nobody has said how it is "
					"done with real packets",
					file, f->name);
	free(content);
	free(file);
	if (failed)
		real_plan_free(p);
	return failed ? -1 : 0;
}

/* --- runs --- */

enum { SIMULATED, REAL, WORLDS };

struct figure_request {
	const struct figure_files *files;
	uint64_t seeds; /* 0: the figure's */
	uint32_t tries; /* attempts per disturbed run */
	struct real_plan plan;
	struct figure figure;
	struct scenario scenario;
	struct sweep sweep;
	char *folder;
	struct store *store;
	char (*keys[WORLDS])[RUN_KEY_SIZE];
};

/* Stores the run with the scenario's settings; a real run also has its world and dilation. */
static int figure_config(struct figure_request *q, uint64_t run, int world, struct config *c,
			 struct weir_error *e)
{
	char line[64];

	if (sweep_apply(&q->sweep, run, &q->scenario, e) || scenario_config(&q->scenario, c, e))
		return -1;
	if (world == REAL) {
		line_list_add(&c->real, "world real", 0);
		snprintf(line, sizeof(line), "slower %g", q->plan.slower);
		line_list_add(&c->real, line, 0);
	}
	if (!run_key(c, q->keys[world][run], e))
		return 0;
	config_free(c);
	return -1;
}

static int figure_run_slow(struct figure_request *q, const struct config *c, struct run_result *r)
{
	struct config slow;
	struct weir_error e;
	int status;

	if (dilation_apply(c, q->plan.slower, &slow, &e))
		return cli_error(EXIT_MISTAKE, &e);
	status = testbed_run_real(&q->scenario, &slow, q->tries, r);
	config_free(&slow);
	if (status == EXIT_FINE)
		dilation_undo(r, q->plan.slower);
	return status;
}

static int figure_run_one(struct figure_request *q, uint64_t run, int world)
{
	char label[256];
	struct run_result r;
	struct weir_error e;
	struct config c;
	int status, there;

	if (figure_config(q, run, world, &c, &e))
		return cli_error(EXIT_MISTAKE, &e);
	there = store_has(q->store, q->keys[world][run], &e);
	if (there) {
		config_free(&c);
		return there < 0 ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
	}
	if (world == REAL) {
		printf("%s: %s\n", q->files->label,
		       sweep_label(&q->sweep, run, label, sizeof(label)));
		fflush(stdout);
	}
	status = world == REAL ? figure_run_slow(q, &c, &r)
			       : testbed_run_simulated(&q->scenario, &c, &r);
	if (status == EXIT_FINE) {
		if (store_add(q->store, q->keys[world][run], &c, &r, &e))
			status = cli_error(EXIT_WORLD, &e);
		run_result_free(&r);
	}
	config_free(&c);
	return status;
}

static int figure_run_worlds(struct figure_request *q)
{
	int status = EXIT_FINE;

	for (int world = 0; world < WORLDS; world++) {
		q->keys[world] = memory_zeroed(q->sweep.run_count, sizeof(*q->keys[world]));
		for (uint64_t i = 0; i < q->sweep.run_count && status == EXIT_FINE; i++)
			status = figure_run_one(q, i, world);
	}
	return status;
}

/* --- verdicts --- */

/* Makes one world's runs the plan of the store, and computes their verdicts. */
static int figure_judge_world(struct figure_request *q, int world, struct verdict *verdicts,
			      struct weir_error *e)
{
	return store_plan(q->store, q->keys[world], q->sweep.run_count, e) ||
			       figure_judge(q->store, &q->figure, FIGURE_QUICK, verdicts, e)
		       ? -1
		       : 0;
}

/* Claims are not grouped by sentence, because other claims of a sentence may be unsupported. */
static void figure_count_verdict(struct verdict_sums *sums, const struct verdict *v)
{
	sums->claims.of[v->kind]++;
	sums->sentences = sums->claims;
}

/* Prints whether the mean is within the tolerance where seeds are too few for a verdict. */
static struct claim_text figure_verdict_words(const struct claim *c, const struct verdict *v)
{
	int agrees = v->value.mean >= c->accept_low && v->value.mean <= c->accept_high;
	struct claim_text t;

	snprintf(t.text, sizeof(t.text), "%s%s%s", verdict_name(v->kind),
		 v->kind != VERDICT_TOO_FEW ? ""
		 : agrees                   ? ", mean within tolerance"
					    : ", mean outside tolerance",
		 v->is_doubtful ? " !" : "");
	return t;
}

static uint32_t figure_count_seeds(const struct sweep *w)
{
	for (uint32_t i = 0; i < w->axis_count; i++)
		if (strcmp(w->axes[i].path, "seed") == 0)
			return w->axes[i].values.count;
	return 1;
}

/* Prints a Markdown table. Claims without runs are only counted. */
static void figure_print_verdicts(const struct figure_request *q,
				  struct verdict *const verdicts[WORLDS])
{
	struct verdict_sums sums[WORLDS] = { { { { 0 } }, { { 0 } } }, { { { 0 } }, { { 0 } } } };
	struct health health = { .runs = 0 };
	uint32_t silent = 0;

	printf("| claim | paper | simulated | | real | |\n|---|---|---|---|---|---|\n");
	for (uint32_t i = 0; i < q->figure.claim_count; i++) {
		const struct verdict *a = &verdicts[SIMULATED][i], *b = &verdicts[REAL][i];
		const struct claim *c = &q->figure.claims[i];

		if (a->kind >= VERDICT_OTHER_SIZE && b->kind >= VERDICT_OTHER_SIZE) {
			silent++;
			continue;
		}
		figure_count_verdict(&sums[SIMULATED], a);
		figure_count_verdict(&sums[REAL], b);
		if (b->is_doubtful)
			health = b->health;
		printf("| %s | %s | %s | %s | %s | %s |\n", c->says, claim_expected(c).text,
		       measured_text(&a->value, a->unit).text, figure_verdict_words(c, a).text,
		       measured_text(&b->value, b->unit).text, figure_verdict_words(c, b).text);
	}
	printf("\ntime dilation %g; seeds: %u", q->plan.slower, figure_count_seeds(&q->sweep));
	if (q->plan.note)
		printf("; %s", q->plan.note);
	if (silent)
		printf("; %u claims need other runs", silent);
	printf("\n");
	if (health.runs)
		printf("! %s\n", health_text(&health).text);
	reproduce_print_counts("simulated", &sums[SIMULATED]);
	reproduce_print_counts("real", &sums[REAL]);
}

static int figure_print(struct figure_request *q)
{
	struct verdict *verdicts[WORLDS];
	struct weir_error e;
	int failed = 0;

	for (int world = 0; world < WORLDS; world++) {
		verdicts[world] =
			memory_zeroed(q->figure.judged_count + UINT64_C(1), sizeof(**verdicts));
		failed = failed || figure_judge_world(q, world, verdicts[world], &e);
	}
	if (!failed)
		figure_print_verdicts(q, verdicts);
	for (int world = 0; world < WORLDS; world++)
		free(verdicts[world]);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

/* --- entry --- */

static int figure_read_scenario(struct figure_request *q, struct weir_error *e)
{
	char seeds[32];
	int failed = 0;

	if (scenario_read(&q->scenario, q->files->scenario, e))
		return -1;
	for (uint32_t i = 0; i < q->plan.sets.count && !failed; i++)
		failed = scenario_set(&q->scenario, q->plan.sets.lines[i].text, e);
	snprintf(seeds, sizeof(seeds), "sweep.seed=1..%" PRIu64, q->seeds);
	if (!failed && q->seeds)
		failed = scenario_set(&q->scenario, seeds, e);
	if (!failed && !sweep_read(&q->sweep, &q->scenario, e))
		return 0;
	scenario_free(&q->scenario);
	return -1;
}

static int figure_open_store(struct figure_request *q, const char *out, struct weir_error *e)
{
	if (figure_prepare(q->files, out, e))
		return -1;
	text_print(&q->folder, "%s/%s.real", out, q->files->label);
	return store_open(&q->store, q->folder, STORE_WRITE, e);
}

static int figure_run(struct figure_request *q, const char *out)
{
	struct weir_error e;
	int status;

	if (figure_open_store(q, out, &e)) {
		status = cli_error(EXIT_WORLD, &e);
	} else {
		status = figure_run_worlds(q);
		if (status == EXIT_FINE)
			status = figure_print(q);
		store_close(q->store);
	}
	free(q->folder);
	for (int world = 0; world < WORLDS; world++)
		free(q->keys[world]);
	return status;
}

/* Limits of --seeds and --tries. */
struct real_counts {
	uint64_t seeds; /* 0: the figure's */
	uint32_t tries;
};

static int figure_run_files(const struct figure_files *f, const char *out,
			    const struct real_counts *n)
{
	struct figure_request q = { .files = f, .seeds = n->seeds, .tries = n->tries };
	struct weir_error e;
	int status;

	if (real_plan_read(&q.plan, f, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (figure_read(&q.figure, f->claims, &e)) {
		real_plan_free(&q.plan);
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (figure_read_scenario(&q, &e)) {
		status = cli_error(EXIT_MISTAKE, &e);
	} else {
		status = figure_run(&q, out);
		sweep_free(&q.sweep);
		scenario_free(&q.scenario);
	}
	figure_free(&q.figure);
	real_plan_free(&q.plan);
	return status;
}

/* Refuses options that change settings, so that verdicts are of the paper's settings. */
static int figure_read_options(const struct arguments *a, struct real_counts *n,
			       struct weir_error *e)
{
	static const struct weir_option count = {
		.name = "--seeds", .type = WEIR_OPT_COUNT, .min = 1, .max = 1000, .help = ""
	};
	static const char *const others[] = { "--both", "--set",  "--marking", "--scheduler",
					      "--cc",   "--seed", "--full" };
	const char *text = arguments_option(a, "--seeds");

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (arguments_option(a, others[i]))
			return weir_error_set(e,
					      "%s: not with --figure, whose settings are those of "
					      "its paper.real",
					      others[i]);
	n->seeds = 0;
	return testbed_tries(a, &n->tries, e) ||
			       (text && weir_option_parse(&n->seeds, &count, text, e))
		       ? -1
		       : 0;
}

int testbed_figure(const struct arguments *a)
{
	const char *out = arguments_option(a, "--out");
	struct real_counts counts;
	struct figure_range range;
	struct figure_list l;
	struct weir_error e;
	int status = EXIT_FINE;

	if (figure_read_options(a, &counts, &e) ||
	    figures_find(&l, arguments_option(a, "--papers"), &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (figures_choose(&l, arguments_option(a, "--figure"), &range, &e))
		status = cli_error(EXIT_MISTAKE, &e);
	for (uint32_t i = 0; status == EXIT_FINE && i < range.count; i++)
		status =
			figure_run_files(&l.all[range.first + i], out ? out : default_out, &counts);
	figures_free(&l);
	return status;
}
