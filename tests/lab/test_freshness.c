/* SPDX-License-Identifier: BSD-3-Clause */
/* test_freshness.c -- do stored runs match the runs that the figure plans, whatever build made
 * them? */
#include "tests/folder.h"
#include "base/version.h"
#include "lab/analysis/planned.h"

static const char scenario_text[] =
	"# Which is it?\n[network]\ntopology = star\nhosts = 4\n"
	"[switch]\nmarking = ecn\ntune = acc(preset=paper, model=acc-paper)\n"
	"[traffic web]\npattern = many-to-one\nsize = 20KB\n"
	"[measure]\nto = 5ms\nprobe = queue sw->h0 every 10us\nprobe = scheme sw->h0 every 10us\n"
	"[case a]\nswitch.marking = red(min=10pkts, max=20pkts, p=1)\n"
	"[case b]\nswitch.marking = red(min=10pkts, max=40pkts, p=1)\n[sweep]\nseed = 1..3\n";

/* A figure's scenario in a file, and its six runs as a store would have them. */
struct fixture {
	struct folder folder;
	char file[128];
	struct figure figure;
	struct stored_runs runs;
	struct figure_freshness freshness;
};

static void fixture_open(struct fixture *d)
{
	static const char claims[] = "[figure]\ntitle = t\npaper = p\n";
	struct weir_error e = { "" };
	struct scenario s;
	struct sweep w;
	FILE *f;

	d->folder = folder_make();
	snprintf(d->file, sizeof(d->file), "%s/fig1.ini", d->folder.path);
	f = fopen(d->file, "w");
	CHECK(f != NULL);
	fputs(scenario_text, f);
	fclose(f);
	if (figure_read_text(&d->figure, "fig1.claims", claims, strlen(claims), &e) ||
	    figure_scenario(d->file, FIGURE_QUICK, &s, &w, &e) ||
	    planned_runs(&d->runs, &w, &s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < d->runs.count; i++) {
		free(d->runs.runs[i].version);
		d->runs.runs[i].version = text_copy(version_of_results().text);
	}
	sweep_free(&w);
	scenario_free(&s);
}

static void fixture_close(struct fixture *d)
{
	stored_runs_free(&d->runs);
	figure_free(&d->figure);
	folder_remove(&d->folder);
}

static void ask(struct fixture *d)
{
	struct weir_error e = { "" };

	if (freshness_read(&d->freshness, &d->figure, d->file, FIGURE_QUICK, &d->runs, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(d->freshness.wanted, 6);
}

static struct stored_setting *setting(struct stored_run *run, const char *path)
{
	for (uint32_t i = 0; i < run->setting_count; i++)
		if (strcmp(run->settings[i].path, path) == 0)
			return &run->settings[i];
	test_fail(__FILE__, __LINE__, "no %s", path);
	return NULL;
}

static void change(struct stored_setting *s, const char *value)
{
	free(s->value);
	s->value = text_copy(value);
}

/* What an earlier build, that did not know the option, would have written. */
static void forget(struct stored_run *run, const char *path)
{
	struct stored_setting *s = setting(run, path);

	free(s->path);
	free(s->value);
	*s = run->settings[--run->setting_count];
}

TEST(test_freshness_counts_builds_apart_from_scenarios)
{
	struct fixture d;

	fixture_open(&d);
	ask(&d);
	CHECK(freshness_is_complete(&d.freshness) && d.freshness.other_builds == 0);
	free(d.runs.runs[2].version);
	d.runs.runs[2].version = text_copy("0.1.0+0123456789ab");
	ask(&d);
	CHECK(freshness_is_complete(&d.freshness));
	CHECK_INT(d.freshness.other_builds, 1);
	fixture_close(&d);
}

TEST(test_freshness_counts_extra_and_missing_runs)
{
	struct fixture d;

	fixture_open(&d);
	change(setting(&d.runs.runs[1], "host.mss"), "1000B");
	change(setting(&d.runs.runs[4], "seed"), "9");
	ask(&d);
	CHECK(d.freshness.extra == 2 && d.freshness.missing == 2 &&
	      !freshness_is_complete(&d.freshness));
	stored_run_free(&d.runs.runs[--d.runs.count]);
	ask(&d);
	CHECK(d.freshness.extra == 2 && d.freshness.missing == 3);
	fixture_close(&d);
}

TEST(test_freshness_accepts_new_options_at_their_defaults)
{
	struct fixture d;
	struct stored_setting *red, *acc;

	fixture_open(&d);
	forget(&d.runs.runs[0], "host.tso");
	red = setting(&d.runs.runs[1], "switch.marking");
	change(red, "red(min=10pkts, max=20pkts, p=1)");
	acc = setting(&d.runs.runs[2], "switch.tune");
	CHECK(strlen(acc->value) > 255);
	CHECK_CONTAINS(acc->value, ", hidden=,");
	ask(&d);
	CHECK(freshness_is_complete(&d.freshness));
	/* And not where the scenario says otherwise now. */
	forget(&d.runs.runs[0], "switch.tune");
	change(red, "red(min=10pkts, max=20pkts)");
	ask(&d);
	CHECK_INT(d.freshness.extra, 2);
	fixture_close(&d);
}

TEST(test_freshness_compares_what_was_in_files_when_it_ran)
{
	struct fixture d;

	fixture_open(&d);
	change(setting(&d.runs.runs[0], "digest.switch.tune"), "0123456789abcdef");
	ask(&d);
	CHECK_INT(d.freshness.extra, 1);
	fixture_close(&d);
}

TEST(test_freshness_compares_flow_records_only_if_a_claim_reads_them)
{
	static const char claims[] =
		"[figure]\ntitle = t\npaper = p\n[panel a]\nkind = cdf\ny = fct\n";
	struct weir_error e = { "" };
	struct fixture d;

	fixture_open(&d);
	change(setting(&d.runs.runs[0], "measure.flows"), "none");
	ask(&d);
	CHECK(freshness_is_complete(&d.freshness));
	figure_free(&d.figure);
	CHECK_INT(figure_read_text(&d.figure, "fig1.claims", claims, strlen(claims), &e), 0);
	ask(&d);
	CHECK_INT(d.freshness.extra, 1);
	fixture_close(&d);
}

/* Of the 6 runs, half are of each seed: 4 times as many seeds are 24 runs. */
TEST(test_runs_with_fresh_seeds_are_compared_with_such_runs)
{
	struct weir_error e = { "" };
	struct fixture d;
	struct scenario s;
	struct sweep w;

	fixture_open(&d);
	stored_runs_free(&d.runs);
	if (figure_scenario(d.file, FIGURE_QUICK, &s, &w, &e) || figure_more_seeds(&s, &w, &e) ||
	    planned_runs(&d.runs, &w, &s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(d.runs.count, 24);
	for (uint32_t i = 0; i < d.runs.count; i++)
		CHECK(atoi(setting(&d.runs.runs[i], "seed")->value) >= 101);
	CHECK_INT(freshness_read(&d.freshness, &d.figure, d.file, FIGURE_QUICK, &d.runs, &e), 0);
	CHECK_INT(d.freshness.wanted, 24);
	CHECK_INT(freshness_is_complete(&d.freshness), 1);
	sweep_free(&w);
	scenario_free(&s);
	fixture_close(&d);
}
