/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.c -- weir testbed FILE: the scenario with real packets, beside the simulated one if asked
 * for. */
#include "cli/testbed.h"
#include "cli/options.h"
#include "base/text.h"
#include "lab/scenario/sweep.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option testbed_arguments[] = {
	{ "--figure", "PAPER/FIGURE",
	  "in place of FILE: a figure of a paper, slower as its paper.real says, judged by its "
	  "claims "
	  "in both worlds; kept in OUT/PAPER/FIGURE.real, OUT being reproduction unless --out",
	  OFFER_NOTHING },
	{ "--papers", "FOLDER", "where figures are; those of Weir unless given", OFFER_FOLDER },
	{ "--seeds", "N",
	  "with --figure: seeds 1 to N, in place of those of paper.real; verdicts want five",
	  OFFER_NOTHING },
	{ "--tries", "N",
	  "how often a run is done at most, 1 to 20: again while the machine holds it up; 3 unless "
	  "given. What was held up to the last is marked with a !",
	  OFFER_NOTHING },
	{ "--both", NULL, "also runs the simulated world of the same file, and compares them",
	  OFFER_NOTHING },
	OPTIONS_OF_SCENARIO,
	OPTION_FULL,
	{ "--out", "FOLDER",
	  "keeps the runs in this folder; FILE's name and .testbed.results unless given",
	  OFFER_FOLDER },
	{ "--quiet", NULL, "prints no table", OFFER_NOTHING },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char testbed_more[] =
	"weir testbed mine.ini                     real hosts, real packets, the switch between\n"
	"weir testbed mine.ini --both              and the simulated world beside them\n"
	"weir testbed --figure tcn/fig1            a figure of a paper, slower, in both worlds\n"
	"weir testbed --figure tcn/fig6 --seeds 5  with as many seeds as verdicts want\n"
	"weir table mine.testbed.results           as of any other runs; world = real\n"
	"\n"
	"Every host of the scenario is a network namespace with the kernel's TCP, the switch is\n"
	"'weir switch' with the scenario's [switch], and flows are real connections. Time is real\n"
	"time: one second of the scenario takes one second. It takes\n"
	"  up to 20 hosts, any topology of up to 64 switch ports, rates up to 1Gbps (50 to 500 "
	"Mb/s\n"
	"  on a small machine)\n"
	"  cc = dctcp, cubic or reno; ecn=yes with the latter two\n"
	"  patterns whose flows start at known times: not storage, training, ring\n"
	"and root or a user's own namespaces, ip (iproute2), and for dctcp, where the kernel has\n"
	"none, root and a build with clang and libbpf. Nothing is left behind, however it ends.\n"
	"docs/manual/09-real-packets.md tells the rest.\n";

struct testbed_request {
	struct scenario scenario;
	struct sweep sweep;
	struct store *store;
	uint32_t tries;
	int has_both, is_quiet;
};

static struct format_text testbed_metric_text(double value, const struct metric *m)
{
	if (isnan(value))
		return (struct format_text){ "-" };
	return m->form == METRIC_PERCENT ? format_percent(value) : format_quantity(value, m->unit);
}

/* By everything that was measured of real packets, but for what it cost. */
static void testbed_print_comparison(const struct run_result *real,
				     const struct run_result *simulated)
{
	printf("\n%-24s %14s %14s %16s\n", "both worlds", "real", "simulated", "real/simulated");
	for (int i = 0; metric_all[i].name; i++) {
		const struct metric *m = &metric_all[i];
		double a = real->value[i], b = simulated->value[i];

		if (isnan(a) || m->group == METRIC_COSTS)
			continue;
		printf("%-24s %14s %14s", m->name, testbed_metric_text(a, m).text,
		       testbed_metric_text(b, m).text);
		if (b > 0)
			printf(" %16.3f", a / b);
		putchar('\n');
	}
}

static int testbed_store_run(struct testbed_request *q, const struct config *c,
			     const struct run_result *r)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e;

	if (run_key(c, key, &e) || store_add(q->store, key, c, r, &e))
		return cli_error(EXIT_WORLD, &e);
	return EXIT_FINE;
}

int testbed_run_simulated(const struct scenario *s, const struct config *c, struct run_result *r)
{
	const struct run_control control = { .threads = 1 };
	struct weir_error e;
	int failed = run(c, &control, r, &e);

	if (failed == RUN_REFUSED)
		scenario_locate(s, &e);
	if (failed)
		return cli_error(failed == RUN_REFUSED ? EXIT_MISTAKE : EXIT_WORLD, &e);
	return EXIT_FINE;
}

/* Frames that no run should have say that something is wrong with the testbed, and not with the
 * machine's time. */
static void testbed_report_refused(const struct testbed_health *h)
{
	if (h->refused_pkts)
		fprintf(stderr, "weir: %s packets were not as they should be\n",
			format_count((double)h->refused_pkts).text);
}

static int testbed_run_once(const struct scenario *s, struct config *c, struct run_result *r,
			    struct testbed_health *h)
{
	struct weir_error e;

	switch (testbed_run(c, r, h, &e)) {
	case TESTBED_DONE:
		testbed_report_refused(h);
		return EXIT_FINE;
	case TESTBED_REFUSED:
		scenario_locate(s, &e);
		return cli_error(EXIT_MISTAKE, &e);
	case TESTBED_STOPPED:
		return cli_error(EXIT_INTERRUPTED, &e);
	default:
		return cli_error(EXIT_WORLD, &e);
	}
}

static void testbed_report_held_up(const char *why, uint32_t number, uint32_t tries)
{
	fprintf(stderr, "weir: the machine held this run up: %s; ", why);
	if (number < tries)
		fprintf(stderr, "it is repeated (%u of %u)\n", number + 1, tries);
	else
		fprintf(stderr, "%sits numbers are not to be trusted, and are marked\n",
			tries > 1 ? "the least disturbed of these runs is kept, " : "");
}

int testbed_run_real(const struct scenario *s, struct config *c, uint32_t tries,
		     struct run_result *r)
{
	double least = (double)INFINITY;

	for (uint32_t number = 1; number <= tries; number++) {
		struct testbed_health h;
		struct run_result one;
		int status = testbed_run_once(s, c, &one, &h), is_better;

		if (status != EXIT_FINE) {
			if (number > 1)
				run_result_free(r);
			return status;
		}
		is_better = !one.held_up[0] || testbed_strain(&h) < least;
		if (one.held_up[0])
			testbed_report_held_up(one.held_up, number, tries);
		if (number > 1)
			run_result_free(is_better ? r : &one);
		if (is_better) {
			least = testbed_strain(&h);
			*r = one;
		}
		if (!r->held_up[0])
			break;
	}
	return EXIT_FINE;
}

int testbed_tries(const struct arguments *a, uint32_t *tries, struct weir_error *e)
{
	static const struct weir_option count = { .name = "--tries",
						  .type = WEIR_OPT_COUNT,
						  .min = 1,
						  .max = TESTBED_TRIES_MAX,
						  .help = "" };
	const char *text = arguments_option(a, "--tries");
	uint64_t number = TESTBED_TRIES;

	if (text && weir_option_parse(&number, &count, text, e))
		return -1;
	*tries = (uint32_t)number;
	return 0;
}

/* Keeps what came of it; a status that is not EXIT_FINE stays, and nothing is left to free. */
static int testbed_store_or_free(struct testbed_request *q, int status, const struct config *c,
				 struct run_result *r)
{
	if (status != EXIT_FINE)
		return status;
	status = testbed_store_run(q, c, r);
	if (status != EXIT_FINE)
		run_result_free(r);
	return status;
}

static int testbed_run_worlds(struct testbed_request *q, struct config *c)
{
	struct run_result real, simulated;
	int status;

	if (q->has_both) {
		status = testbed_store_or_free(
			q, testbed_run_simulated(&q->scenario, c, &simulated), c, &simulated);
		if (status != EXIT_FINE)
			return status;
	}
	status = testbed_run_real(&q->scenario, c, q->tries, &real);
	line_list_add(&c->real, "world real", 0);
	status = testbed_store_or_free(q, status, c, &real);
	if (status == EXIT_FINE) {
		if (!q->is_quiet)
			results_table(stdout, c, &real, cli_line_width(stdout));
		if (q->has_both)
			testbed_print_comparison(&real, &simulated);
		fflush(stdout);
		run_result_free(&real);
	}
	if (q->has_both)
		run_result_free(&simulated);
	return status;
}

/* One after the other: there is one machine, and time passes in it as it does outside. */
static int testbed_run_each(struct testbed_request *q)
{
	int status = EXIT_FINE;

	for (uint64_t i = 0; i < q->sweep.run_count && status == EXIT_FINE; i++) {
		char label[256];
		struct config c;
		struct weir_error e;

		if (sweep_apply(&q->sweep, i, &q->scenario, &e) ||
		    scenario_config(&q->scenario, &c, &e))
			return cli_error(EXIT_MISTAKE, &e);
		if (*sweep_label(&q->sweep, i, label, sizeof(label)))
			printf("%s--- %s\n", i ? "\n" : "", label);
		status = testbed_run_worlds(q, &c);
		config_free(&c);
	}
	return status;
}

static int testbed_open_store(const struct arguments *a, struct testbed_request *q,
			      struct weir_error *e)
{
	const char *out = arguments_option(a, "--out");
	char folder[FOLDER_SIZE];

	if (!out && folder_default(q->scenario.file, ".testbed", folder, e))
		return -1;
	return store_open(&q->store, out ? out : folder, STORE_WRITE, e);
}

static int testbed_main(const struct arguments *a)
{
	struct testbed_request q = { .has_both = arguments_option(a, "--both") != NULL,
				     .is_quiet = arguments_option(a, "--quiet") != NULL };
	struct weir_error e;
	int status;

	if (arguments_option(a, "--figure"))
		return testbed_figure(a);
	if (!arguments_word(a, 0) || arguments_option(a, "--seeds")) {
		weir_error_set(&e, arguments_word(a, 0) ? "--seeds: is for --figure; a FILE lists "
							  "them in [sweep], as in --set "
							  "sweep.seed=1..5"
							: "a FILE is missing, or --figure NAME");
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (testbed_tries(a, &q.tries, &e) || options_scenario(a, &q.scenario, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (sweep_read(&q.sweep, &q.scenario, &e)) {
		scenario_free(&q.scenario);
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (testbed_open_store(a, &q, &e)) {
		status = cli_error(EXIT_WORLD, &e);
	} else {
		status = testbed_run_each(&q);
		store_close(q.store);
	}
	sweep_free(&q.sweep);
	scenario_free(&q.scenario);
	return status;
}

const struct command command_testbed = {
	.name = "testbed",
	.usage = "FILE",
	.help = "runs a scenario with real packets: hosts in namespaces, a real switch between "
		"them",
	.options = testbed_arguments,
	.words_min = 0,
	.words_max = 1,
	.run = testbed_main,
	.more = testbed_more,
	.offer = OFFER_FILE,
};
