/* SPDX-License-Identifier: BSD-3-Clause */
/* test_claims.c -- FIG.claims: what is read, how it is shown, and every way to get it wrong. */
#include "lab/analysis/claims.h"
#include "base/quantity.h"
#include "lab/analysis/planned.h"
#include "tests/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_figure(struct figure *f, const char *text)
{
	struct weir_error e = { "" };

	if (figure_read_text(f, "fig.claims", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static const char head[] = "[figure]\ntitle = t\npaper = p\n";
static const char claim_head[] = "[figure]\ntitle = t\npaper = p\n"    /* lines 1 to 3 */
				 "[claim c]\nsays = s\nsection = 1\n"; /* 4 to 6 */

static void read_claim(struct figure *f, const char *keys)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", claim_head, keys);
	read_figure(f, text);
	CHECK_INT(f->claim_count, 1);
}

/* --- what is read --- */

TEST(test_claims_are_read_as_written)
{
	static const char text[] =
		"# the figure\n"
		"[figure]\n"
		"title = Flow completion times, web search   # once\n"
		"paper = PRED, Figure 13, section 6.3.1\n"
		"about = What ECN# and others do.\n\n"
		"[panel a]\n"
		"title = average FCT of small flows\n"
		"kind = lines\ny = fct_small_mean_ns\nx = traffic.web.load\n"
		"normalize = pred\nwhere = traffic.web.load=0.9, switch.marking=ecn(k=5pkts, "
		"at=enqueue)\n"
		"x-label = load\n"
		"  [panel b]\r\n"
		"kind = time\r\ny = queue sw->h0, throughput flow:2\nby = host.cc\n"
		"[claim small-p99]\n"
		"says = p99 = 68 % lower\n"
		"section = 6.3.1\nmetric = fct_small_p99_ns\n"
		"of = case=pred, traffic.web.load=0.9\nover = case=ecn#\n"
		"value = 0.32\ntolerance = 25%\nsize = full\n"
		"why = silent\nnote = sensitive to K: 0.4 with 20";
	struct figure f;

	read_figure(&f, text);
	CHECK_STR(f.title, "Flow completion times, web search");
	CHECK_STR(f.paper, "PRED, Figure 13, section 6.3.1");
	CHECK_STR(f.about, "What ECN# and others do.");
	CHECK_INT(f.panel_count, 2);
	CHECK_STR(f.panels[0].name, "a");
	CHECK_INT(f.panels[0].line, 7);
	CHECK_INT(f.panels[0].kind, PANEL_LINES);
	CHECK_STR(f.panels[0].y[0], "fct_small_mean_ns");
	CHECK_STR(f.panels[0].x, "traffic.web.load");
	CHECK_STR(f.panels[0].by, "case");
	CHECK_STR(f.panels[0].normalize, "pred");
	CHECK_INT(f.panels[0].where.count, 2);
	CHECK_STR(f.panels[0].where.conditions[1].path, "switch.marking");
	CHECK_STR(f.panels[0].where.conditions[1].value, "ecn(k=5pkts, at=enqueue)");
	CHECK_STR(f.panels[0].x_label, "load");
	CHECK_STR(f.panels[0].y_label, NULL);
	CHECK_INT(f.panels[1].kind, PANEL_TIME);
	CHECK_INT(f.panels[1].y_count, 2);
	CHECK_STR(f.panels[1].y[1], "throughput flow:2");
	CHECK_STR(f.panels[1].by, "host.cc");
	CHECK_STR(f.panels[1].title, "");
	CHECK_INT(f.claim_count, 1);
	CHECK_STR(f.claims[0].name, "small-p99");
	CHECK_STR(f.claims[0].says, "p99 = 68 % lower");
	CHECK_STR(f.claims[0].over.conditions[0].value, "ecn#");
	CHECK_STR(f.claims[0].unit, "");
	CHECK_NEAR(f.claims[0].accept_low, 0.24, 1e-12);
	CHECK_NEAR(f.claims[0].accept_high, 0.40, 1e-12);
	CHECK_NEAR(f.claims[0].against, 1, 0);
	CHECK_INT(f.claims[0].size, FIGURE_FULL);
	CHECK_INT(f.claims[0].why, WHY_SILENT);
	CHECK_STR(f.claims[0].note, "sensitive to K: 0.4 with 20");
	figure_free(&f);
}

TEST(test_claim_value_is_in_the_unit_of_its_metric)
{
	static const struct {
		const char *keys, *unit;
		double low;
	} cases[] = {
		{ "metric = fct_p99_ns\nvalue = 1.4ms\n", "ns", 1.4e6 },
		{ "metric = queue_mean_pkts\nvalue = 23pkts\n", "pkts", 23 },
		{ "metric = queue_mean_pkts\nvalue = 23\n", "pkts", 23 },
		{ "metric = goodput_bps\nvalue = 9.4Gbps\n", "bps", 9.4e9 },
		{ "metric = queue_mean_bytes\nvalue = 1KiB\n", "bytes", 1024 },
		{ "metric = sim_seconds\nvalue = 20ms\n", "s", 0.02 },
		{ "metric = utilisation\nvalue = 93%\n", "", 0.93 },
		{ "metric = slowdown_small_p999\nvalue = 1.5e1\n", "", 15 },
		{ "metric = series \"queue sw->h0\" mean\nvalue = 5pkts\n", "pkts", 5 },
		{ "metric = series \"throughput flow:1\" reaches 1Gbps after 1ms\nvalue = 2us\n",
		  "ns", 2000 },
		{ "metric = series \"capacity sw->h0\" mean\nvalue = 2Mbps\n", "bps", 2e6 },
		{ "metric = fct_p99_ns\nover = case=a\nvalue = 2\n", "", 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct figure f;

		read_claim(&f, cases[i].keys);
		CHECK_STR(f.claims[0].unit, cases[i].unit);
		CHECK_NEAR(f.claims[0].low, cases[i].low, 1e-9 * cases[i].low);
		CHECK(f.claims[0].high == f.claims[0].low);
		figure_free(&f);
	}
}

TEST(test_claim_range_may_be_open_and_has_no_tolerance_of_its_own)
{
	struct figure f;

	read_claim(&f, "metric = fct_p99_ns\nrange = 1ms..2ms\n");
	CHECK_NEAR(f.claims[0].accept_low, 1e6, 0);
	CHECK_NEAR(f.claims[0].accept_high, 2e6, 0);
	CHECK(isnan(f.claims[0].against));
	figure_free(&f);
	read_claim(&f, "metric = drops\nover = case=a\nrange = ..0.9\ntolerance = 10%\n");
	CHECK(isinf(f.claims[0].accept_low) && f.claims[0].accept_low < 0);
	CHECK_NEAR(f.claims[0].high, 0.9, 1e-12);
	CHECK_NEAR(f.claims[0].accept_high, 0.99, 1e-12);
	CHECK_NEAR(f.claims[0].against, 1, 0);
	figure_free(&f);
	/* About the same: on neither side of 1. */
	read_claim(&f, "metric = drops\nover = case=a\nrange = 0.9..1.1\n");
	CHECK(isnan(f.claims[0].against));
	figure_free(&f);
}

TEST(test_claim_keys_of_sentences_and_of_what_is_not_judged_are_read)
{
	struct figure f;

	read_claim(&f, "metric = drops\nover = case=a\nvalue = 0.5\nbest = traffic.web.load\n"
		       "sentence = small-1.2\ncontradicts = Table II: 0.9\n");
	CHECK_STR(f.claims[0].best, "traffic.web.load");
	CHECK_STR(f.claims[0].sentence, "small-1.2");
	CHECK_STR(f.claims[0].contradicts, "Table II: 0.9");
	CHECK_STR(f.claims[0].fitted, NULL);
	CHECK_STR(claim_direction(&f.claims[0]).text, "less than 1");
	figure_free(&f);
	read_claim(&f, "metric = fct_small_within 1ms\nvalue = 97%\nagainst = 0.5\n");
	CHECK_INT(f.claims[0].is_share, 1);
	CHECK_INT(f.claims[0].share.class, CLASS_SMALL);
	CHECK_NEAR(f.claims[0].share.level, 1e6, 0);
	CHECK_STR(f.claims[0].unit, "");
	CHECK_STR(claim_direction(&f.claims[0]).text, "more than 0.5");
	figure_free(&f);
	read_claim(&f, "metric = slowdown_p975\nover = case=a\nvalue = 0.97\nagainst = none\n");
	CHECK_INT(f.claims[0].share.what, SHARE_QUANTILE);
	CHECK_NEAR(f.claims[0].share.level, 0.975, 1e-12);
	CHECK_STR(claim_direction(&f.claims[0]).text, "");
	figure_free(&f);
	read_claim(&f, "metric = fct_p97_ns\nvalue = 3ms\n");
	CHECK_NEAR(f.claims[0].share.level, 0.97, 1e-12);
	CHECK_STR(f.claims[0].unit, "ns");
	figure_free(&f);
	read_claim(&f, "metric = fct_p99_ns\nvalue = 3ms\n"); /* the table's own */
	CHECK_INT(f.claims[0].is_share, 0);
	figure_free(&f);
}

TEST(test_claim_expectation_is_shown_with_what_agrees)
{
	static const struct {
		const char *keys, *text;
	} cases[] = {
		{ "metric = drops\nover = case=a\nvalue = 0.32\ntolerance = 25%\n",
		  "0.32 (0.24..0.4)" },
		{ "metric = fct_p99_ns\nvalue = 1.4ms\n", "1.4 ms (1.12 ms..1.68 ms)" },
		{ "metric = drops\nover = case=a\nrange = 0.88..0.96\n", "0.88..0.96" },
		{ "metric = drops\nover = case=a\nrange = 1.1..\n", "at least 1.1" },
		{ "metric = queue_p99_pkts\nrange = ..20\ntolerance = 0.1\n",
		  "at most 20 pkts (at most 22 pkts)" },
		{ "metric = drops\nvalue = 0\ntolerance = 0\n", "0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct figure f;

		read_claim(&f, cases[i].keys);
		CHECK_STR(claim_expected(&f.claims[0]).text, cases[i].text);
		figure_free(&f);
	}
}

/* --- mistakes --- */

static void check_refused(const char *text, const char *message)
{
	struct weir_error e = { "" };
	struct figure f;

	CHECK_INT(figure_read_text(&f, "fig.claims", text, strlen(text), &e), -1);
	CHECK_STR(e.text, message);
}

TEST(test_claims_file_mistakes_have_their_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "fig.claims:0: [figure] is missing" },
		{ "title = t\n", "fig.claims:1: 'title' stands before the first section; [figure] "
				 "comes first" },
		{ "[figur]\n", "fig.claims:1: unknown section 'figur'; there are figure, panel, "
			       "claim, reading (nearest: figure)" },
		{ "[figure]\ntitel = t\n",
		  "fig.claims:2: [figure]: unknown key 'titel'; there are "
		  "title, paper, about, because, time, full-time (nearest: title)" },
		{ "[figure]\ntitle = t\n", "fig.claims:1: [figure]: paper is missing" },
		{ "[figure]\ntitle = t\ntitle = u\n",
		  "fig.claims:3: title: given twice, first in line 2" },
		{ "[figure]\ntitle =\n", "fig.claims:2: title has no value" },
		{ "[figure\n", "fig.claims:1: '[figure'; a section is written [claim NAME]" },
		{ "[figure]\nnonsense\n", "fig.claims:2: 'nonsense' is neither key = value nor "
					  "[section] nor # comment" },
		{ "[figure]\ntitle = \x07\n",
		  "fig.claims:2: byte 0x07 in claims; it is plain text" },
		{ "[figure 13]\n", "fig.claims:1: [figure 13]: [figure] has no name" },
		{ "[panel]\n", "fig.claims:1: [panel]: name is missing; allowed are up to 63 "
			       "letters, digits, -, _ and ., as in [panel a]" },
		{ "[figure]\ntitle = t\npaper = p\n[figure]\n",
		  "fig.claims:4: [figure] is given twice" },
		{ "[panel a]\nkind = cdf\ny = fct\n[panel a]\n",
		  "fig.claims:4: [panel a]: given twice, first in line 1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_refused(cases[i].text, cases[i].message);
}

TEST(test_claims_file_is_plain_text)
{
	static const char text[] = "[figure]\ntitle = a\0b\n";
	struct weir_error e = { "" };
	struct figure f;

	CHECK_INT(figure_read_text(&f, "fig.claims", text, sizeof(text) - 1, &e), -1);
	CHECK_STR(e.text, "fig.claims:2: byte 0x00 in claims; it is plain text");
}

TEST(test_panel_mistakes_have_their_line)
{
	static const struct {
		const char *keys, *message;
	} cases[] = {
		{ "kind = line\ny = drops\n", "5: [panel a]: kind: unknown kind 'line'; there are "
					      "lines, bars, cdf, time, sizes (nearest: lines)" },
		{ "kind = bars\n", "4: [panel a]: y is missing" },
		{ "kind = bars\ny = fct_p9_ns\n",
		  "6: [panel a]: y: unknown metric 'fct_p9_ns'; 'weir list metric' and 'weir help "
		  "table' name them (nearest: fct_p99_ns)" },
		{ "kind = cdf\ny = fct_p99_ns\n", "6: [panel a]: y: unknown quantity of a cdf "
						  "'fct_p99_ns'; there are fct, slowdown "
						  "(nearest: fct)" },
		{ "kind = lines\ny = drops\n", "4: [panel a]: x is missing; lines are drawn over a "
					       "setting, as in x = traffic.web.load" },
		{ "kind = bars\ny = drops\nx = seed\n",
		  "7: [panel a]: x: only lines are drawn over a setting" },
		{ "kind = cdf\ny = fct\nnormalize = a\n",
		  "7: [panel a]: normalize: only lines and bars are drawn relative to another" },
		{ "kind = time\ny = queue sw->h0,\n",
		  "6: [panel a]: y: the name of a series is missing, as in queue sw->h0" },
		{ "kind = bars\ny = drops\naxes = al\n",
		  "4: [panel a]: axes: no other panel of its kind has axes = al; panels with one "
		  "word have equal axes, 'own' is for one alone" },
		{ "kind = bars\ny = drops\nwhere = case\n",
		  "7: [panel a]: where: 'case'; runs are selected by "
		  "SETTING=VALUE, as in case=pred, traffic.web.load=0.9" },
		{ "kind = bars\ny = drops\nwhere = case=a,\n",
		  "7: [panel a]: where: a part is empty; runs are selected by SETTING=VALUE, as in "
		  "case=pred, traffic.web.load=0.9" },
		{ "kind = bars\ny = drops\nwhere = seed=1\n",
		  "7: [panel a]: where: seed is what is averaged over; it selects nothing" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512], message[512];

		snprintf(text, sizeof(text), "%s[panel a]\n%s", head, cases[i].keys);
		snprintf(message, sizeof(message), "fig.claims:%s", cases[i].message);
		check_refused(text, message);
	}
}

TEST(test_claim_mistakes_have_their_line)
{
	static const struct {
		const char *keys, *message;
	} cases[] = {
		{ "value = 1\n", "4: [claim c]: metric is missing" },
		{ "metric = drops\n", "4: [claim c]: neither value nor range is given" },
		{ "metric = drops\nvalue = 1\nrange = 1..2\n",
		  "9: [claim c]: range: there is a value too; a claim has one of them" },
		{ "metric = dorps\nvalue = 1\n",
		  "7: [claim c]: metric: unknown metric 'dorps'; 'weir list metric' and 'weir help "
		  "table' name them (nearest: drops)" },
		{ "metric = fct_p99_ns\nvalue = 1.4\n",
		  "8: [claim c]: value: '1.4' is a plain "
		  "number; it must be a time (ns, us, ms, s)" },
		{ "metric = fct_p99_ns\nvalue = 4pkts\n",
		  "8: [claim c]: value: '4pkts' is a number of "
		  "packets (pkts); it must be a time (ns, us, ms, s)" },
		{ "metric = fct_p99_ns\nvalue = 1.4msec\n",
		  "8: [claim c]: value: '1.4msec' ends in 'msec', which "
		  "is no unit (%, ps, ns, us, ms, s, pkts, B, KB, MB, GB, "
		  "KiB, MiB, GiB, bps, Kbps, Mbps, Gbps, Tbps; nearest: ms)" },
		{ "metric = fct_p99_ns\nover = case=b\nvalue = 1ms\n",
		  "9: [claim c]: value: '1ms' is a time "
		  "(ns, us, ms, s); it must be a plain number" },
		{ "metric = drops\nvalue = few\n", "8: [claim c]: value: 'few' is no number, "
						   "with a unit where it has one, as in 1.4ms" },
		{ "metric = drops\nvalue = inf\n", "8: [claim c]: value: 'inf' is no number, "
						   "with a unit where it has one, as in 1.4ms" },
		{ "metric = drops\nrange = 3\n",
		  "8: [claim c]: range: '3' is no range, as in 10ms..20ms, 1.1.. or ..0.9" },
		{ "metric = drops\nrange = 3..1\n",
		  "8: [claim c]: range: '3..1' does not end above its start" },
		{ "metric = fct_p99_ns\nrange = 1..2ms\n",
		  "8: [claim c]: range: '1..2ms': both ends need a unit, and of the same kind" },
		{ "metric = drops\nvalue = 3\ntolerance = 25\n",
		  "9: [claim c]: tolerance: '25'; allowed: 0% to 100%" },
		{ "metric = drops\nvalue = 3\nagainst = 3\n",
		  "9: [claim c]: against: '3'; what is expected lies on neither side of it" },
		{ "metric = drops\nrange = 3..5\nagainst = 4\n",
		  "9: [claim c]: against: '4'; what is expected lies on neither side of it" },
		{ "metric = drops\nvalue = 3\nbest = traffic.web.load\n",
		  "9: [claim c]: best: what is expected has no direction; over or against says "
		  "what "
		  "is better" },
		{ "metric = drops\nvalue = 3\nsentence = small flows\n",
		  "9: [claim c]: sentence: 'small flows'; allowed are up to 63 letters, digits, -, "
		  "_ "
		  "and .: claims with the same word are parts of one sentence" },
		{ "metric = drops\nvalue = 3\ncontradicts = Table II\nfitted = K\n",
		  "10: [claim c]: fitted: there is contradicts too; a claim has one of them" },
		{ "metric = drops\nvalue = 3\nnote = K decides\n",
		  "9: [claim c]: note: why is missing; allowed: silent, fails, size, unexplained" },
		{ "metric = drops\nvalue = 3\nwhy = fails\n",
		  "9: [claim c]: why: a note is missing that says what was tried" },
		{ "metric = drops\nvalue = 3\nwhy = fail\nnote = 1\n",
		  "9: [claim c]: why: unknown reason 'fail'; there are silent, fails, size, "
		  "unexplained (nearest: fails)" },
		{ "metric = drops\nvalue = 3\nfitted = K\nwhy = fails\nnote = n\n",
		  "10: [claim c]: why: there is fitted too; a claim has one of them" },
		{ "metric = fct_small_within\nvalue = 0.97\n",
		  "7: [claim c]: metric: 'fct_small_within': within what? as in fct_small_within "
		  "1ms" },
		{ "metric = fct_small_within 3pkts\nvalue = 0.97\n",
		  "7: [claim c]: metric: fct_small_within: '3pkts' is a number of packets (pkts); "
		  "it "
		  "must be a time (ns, us, ms, s)" },
		{ "metric = drops\nvalue = 3\nsize = large\n",
		  "9: [claim c]: size: unknown size 'large'; there are quick, full" },
		{ "metric = drops\nof = case=a, case=b\nvalue = 3\n",
		  "8: [claim c]: of: 'case' is given twice" },
		{ "metric = series queue mean\nvalue = 3\n",
		  "7: [claim c]: metric: 'queue mean': the name of a series "
		  "stands in quotes, as in series \"queue sw->h0\" mean 10ms..20ms" },
		{ "metric = series \"queue sw->h0\" median\nvalue = 3\n",
		  "7: [claim c]: metric: unknown number of a series 'median'; there are mean, min, "
		  "max, p50, p95, p99, std, sum, last, reaches, falls-to (nearest: mean)" },
		{ "metric = series \"queue sw->h0\" mean 1..2\nvalue = 3\n",
		  "7: [claim c]: metric: '1..2' is a plain "
		  "number; it must be a time (ns, us, ms, s)" },
		{ "metric = series \"queue sw->h0\" reaches 5 at 1ms\nvalue = 3\n",
		  "7: [claim c]: metric: '5 at 1ms': reaches needs a "
		  "level and a time, as in reaches 4.9Gbps after 60ms" },
		{ "metric = series \"queue sw->h0\" reaches 5us after 1ms\nvalue = 3\n",
		  "7: [claim c]: metric: '5us' is a time (ns, us, ms, s); it must be a number of "
		  "packets (pkts)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512], message[512];

		snprintf(text, sizeof(text), "%s%s", claim_head, cases[i].keys);
		snprintf(message, sizeof(message), "fig.claims:%s", cases[i].message);
		check_refused(text, message);
	}
}

TEST(test_claims_file_that_is_not_there_is_said)
{
	struct weir_error e = { "" };
	struct figure f;

	CHECK_INT(figure_read(&f, "/none/such.claims", &e), -1);
	CHECK_STR(e.text, "/none/such.claims: cannot be read: No such file or directory");
}

/* --- which runs? --- */

TEST(test_selection_compares_numbers_units_and_schemes)
{
	static const char stored[] = "ecn(k=65pkts, scope=queue, at=enqueue)";

	CHECK(setting_is("0.9", "0.90") && setting_is("0.9", "90%") && !setting_is("0.9", "0.91"));
	CHECK(setting_is("100KB", "0.1MB") && !setting_is("100KB", "100KiB"));
	CHECK(setting_is("10", "10.0") && !setting_is("10pkts", "10us") &&
	      !setting_is("10pkts", "10"));
	CHECK(setting_is("leaf-spine", "leaf-spine") && !setting_is("leaf-spine", "leaf"));
	CHECK(setting_is(stored, stored) && setting_is(stored, "ecn"));
	CHECK(setting_is(stored, "ecn(k=65pkts)") &&
	      setting_is(stored, "ecn(at=enqueue, k=65pkts)"));
	CHECK(!setting_is(stored, "ec") && !setting_is(stored, "ecn-sharp"));
	CHECK(!setting_is(stored, "ecn(k=6pkts)") && !setting_is(stored, "ecn(x=65pkts)"));
	CHECK(setting_is("pred(base=ecn(k=1pkts, at=enqueue), n=2)", "pred(n=2)"));
	CHECK(!setting_is("pred(base=ecn(k=1pkts, at=enqueue), n=2)", "pred(at=enqueue)"));
	CHECK(!setting_is("ecn", "ecn(k=65pkts)"));
}

static const char scenario_text[] =
	"# Which is it?\n[network]\ntopology = star\nhosts = 4\n"
	"[switch]\nmarking = ecn\n[traffic web]\npattern = many-to-one\nsize = 20KB\n"
	"[measure]\nto = 5ms\nprobe = queue sw->h0 every 10us\nprobe = scheme sw->h0 every 10us\n"
	"[sweep]\nswitch.marking = ecn(k=20pkts), ecn(k=65pkts), tcn\nswitch.buffer = 100pkts, "
	"200pkts\nseed = 1..3\n";

static void plan(struct stored_runs *runs)
{
	struct weir_error e = { "" };
	struct scenario s;
	struct sweep w;

	if (scenario_read_text(&s, "test", scenario_text, strlen(scenario_text), &e) ||
	    sweep_read(&w, &s, &e) || planned_runs(runs, &w, &s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_runs_of_a_sweep_have_their_settings_before_they_run)
{
	struct stored_runs runs;

	plan(&runs);
	CHECK_INT(runs.count, 18);
	CHECK_STR(stored_setting(&runs.runs[17], "switch.buffer"), "200pkts");
	CHECK_STR(stored_setting(&runs.runs[17], "seed"), "3");
	CHECK(setting_is(stored_setting(&runs.runs[17], "switch.marking"), "tcn"));
	stored_runs_free(&runs);
}

TEST(test_figure_is_checked_against_the_runs_of_its_scenario)
{
	static const struct {
		const char *text, *message; /* NULL: it is right */
	} cases[] = {
		{ "[claim c]\nmetric = drops\nof = switch.marking=tcn, switch.buffer=100pkts\n",
		  NULL },
		{ "[claim c]\nmetric = drops\nof = switch.marking=tcn\n",
		  "4: [claim c]: of: the runs that it selects "
		  "differ in switch.buffer; name its value" },
		{ "[claim c]\nmetric = drops\nof = switch.marking=ecn, switch.buffer=100pkts\n",
		  "4: [claim c]: of: the runs that it selects "
		  "differ in switch.marking; name its value" },
		{ "[claim c]\nmetric = drops\n", "4: [claim c]: of: the runs that it selects "
						 "differ in switch.buffer; name its value" },
		{ "[claim c]\nmetric = drops\nof = switch.markin=tcn\n",
		  "4: [claim c]: of: no run of the scenario has a "
		  "setting 'switch.markin' (nearest: switch.marking)" },
		{ "[claim c]\nmetric = drops\nof = switch.buffer=300pkts\n",
		  "4: [claim c]: of: no run of the scenario has switch.buffer "
		  "= '300pkts'; there are 100pkts, 200pkts (nearest: 100pkts)" },
		{ "[claim c]\nsize = full\nmetric = drops\nof = switch.buffer=300pkts\n", NULL },
		{ "[claim c]\nmetric = drops\nof = switch.marking=tcn, switch.buffer=100pkts\n"
		  "over = switch.marking=red, switch.buffer=100pkts\n",
		  "4: [claim c]: over: no run of the scenario has switch.marking "
		  "= 'red'; there are ecn(k=20pkts, scope=queue, at=enqueue), "
		  "ecn(k=65pkts, scope=queue, at=enqueue), tcn(threshold=" },
		{ "[claim c]\nmetric = series \"queue sw->h0\" mean 1ms..5ms\n"
		  "of = switch.marking=tcn, switch.buffer=100pkts\n",
		  NULL },
		{ "[claim c]\nmetric = series \"average sw->h0\" mean\n"
		  "of = switch.marking=tcn, switch.buffer=100pkts\n",
		  NULL },
		{ "[claim c]\nmetric = series \"queue sw->h1\" mean 1ms..5ms\n"
		  "of = switch.marking=tcn, switch.buffer=100pkts\n",
		  "4: [claim c]: of: unknown series 'queue sw->h1'; "
		  "there are queue sw->h0 (nearest: queue sw->h0)" },
		{ "[claim c]\nmetric = series \"queue sw->h0\" mean 1ms..6ms\n"
		  "of = switch.marking=tcn, switch.buffer=100pkts\n",
		  "4: [claim c]: of: it looks beyond the end of measuring, measure.to = 5ms" },
		{ "[panel a]\nkind = lines\ny = drops\nx = switch.buffer\nby = switch.marking\n"
		  "normalize = tcn\nwhere = switch.buffer=200pkts\n",
		  NULL },
		{ "[panel a]\nkind = lines\ny = drops\nx = switch.bufer\n",
		  "4: [panel a]: x: no run of the scenario has a "
		  "setting 'switch.bufer' (nearest: switch.buffer)" },
		{ "[panel a]\nkind = bars\ny = drops\nby = host.xyz\n",
		  "4: [panel a]: by: no run of the scenario has a setting 'host.xyz'" },
		{ "[panel a]\nkind = bars\ny = drops\nby = switch.buffer\nnormalize = 1pkts\n",
		  "4: [panel a]: normalize: no run of the scenario has "
		  "switch.buffer = '1pkts'; there are 100pkts, 200pkts" },
		{ "[panel a]\nkind = time\ny = queue sw->h0, window flow:1\n",
		  "4: [panel a]: y: unknown series 'window flow:1'; there are queue sw->h0" },
		{ "[panel a]\nkind = bars\ny = drops\nwhere = case=b\n",
		  "4: [panel a]: where: no run of the scenario has a setting 'case'" },
	};
	struct stored_runs runs;

	plan(&runs);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int is_claim = strncmp(cases[i].text, "[claim", 6) == 0;
		char text[1024], message[600];
		struct weir_error e = { "" };
		struct figure f;

		snprintf(text, sizeof(text), "%s%s%s", head, cases[i].text,
			 is_claim ? "says = s\nsection = 1\nvalue = 3\n" : "");
		read_figure(&f, text);
		snprintf(message, sizeof(message), "fig.claims:%s",
			 cases[i].message ? cases[i].message : "");
		if (figure_check(&f, &runs, FIGURE_QUICK, &e) != (cases[i].message ? -1 : 0))
			test_fail(__FILE__, __LINE__, "%s: %s", cases[i].text, e.text);
		if (cases[i].message && strncmp(e.text, message, strlen(message)) != 0)
			CHECK_STR(e.text, message);
		figure_free(&f);
	}
	stored_runs_free(&runs);
}

TEST(test_figure_reads_flows_only_where_runs_do_not_know_the_number)
{
	static const struct {
		const char *text;
		int reads;
	} cases[] = {
		{ "[claim c]\nmetric = drops\nsays = x\nsection = 1\nvalue = 1\n", 0 },
		{ "[claim c]\nmetric = fct_small_p99_ns\nsays = x\nsection = 1\nvalue = 1ms\n", 0 },
		{ "[claim c]\nmetric = fct_medium_p999_ns\nsays = x\nsection = 1\nvalue = 1ms\n",
		  1 },
		{ "[claim c]\nmetric = slowdown_within 3\nsays = x\nsection = 1\nvalue = 0.5\n",
		  1 },
		{ "[claim c]\nmetric = series \"queue sw->h0\" mean\nsays = x\nsection = 1\nvalue "
		  "= 3pkts\n",
		  0 },
		{ "[panel a]\nkind = bars\ny = goodput_bps\n", 0 },
		{ "[panel a]\nkind = bars\ny = slowdown_p95\n", 1 },
		{ "[panel a]\nkind = cdf\ny = fct\n", 1 },
		{ "[panel a]\nkind = sizes\ny = slowdown_p99\n", 1 },
		{ "[panel a]\nkind = time\ny = queue sw->h0\n", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct figure f;
		struct weir_error e = { "" };
		char text[400];

		snprintf(text, sizeof(text), "[figure]\ntitle = t\npaper = p\n%s", cases[i].text);
		if (figure_read_text(&f, "x.claims", text, strlen(text), &e))
			test_fail(__FILE__, __LINE__, "case %d: %s", (int)i, e.text);
		CHECK_INT(figure_reads_flows(&f) * 100 + (int)i, cases[i].reads * 100 + (int)i);
		figure_free(&f);
	}
}

TEST(test_a_note_needs_a_number_of_its_own)
{
	static const char *const good[] = { "see other: 1.05 to 1.17 in 6 settings.",
					    "it is (0.9 with K = 20)", "-3 to 4" };
	static const char *const bad[] = { "see small-p99-0.9 of acc/fig14.", "sensitive to K." };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char keys[256];
		struct figure f;

		snprintf(keys, sizeof(keys), "metric = drops\nvalue = 3\nwhy = fails\nnote = %s\n",
			 good[i]);
		read_claim(&f, keys);
		CHECK_STR(f.claims[0].note, good[i]);
		figure_free(&f);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[512], message[256];

		snprintf(text, sizeof(text),
			 "%smetric = drops\nvalue = 3\nwhy = fails\nnote = %s\n", claim_head,
			 bad[i]);
		snprintf(message, sizeof(message),
			 "fig.claims:10: [claim c]: note: '%s' has no number of its own; a note "
			 "names an experiment and what it gave",
			 bad[i]);
		check_refused(text, message);
	}
}

/* --- readings --- */

static const char two_claims[] =
	"[claim small]\nsays = s\nsection = 1\nmetric = fct_small_mean_ns\n"
	"of = case=a, traffic.web.load=0.9\nover = case=b, traffic.web.load=0.9\nvalue = 0.8\n"
	"[claim queue]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\nof = case=c\n"
	"value = 20pkts\n";

static void read_reading(struct figure *f, const char *keys)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s[reading r]\nsays = s\nsource = x\n%s%s", head, keys,
		 two_claims);
	read_figure(f, text);
	CHECK_INT(f->claim_count, 2);
	CHECK_INT(f->reading_count, 1);
}

TEST(test_a_reading_repeats_claims_with_other_runs)
{
	struct figure f;

	read_reading(&f, "cases = a=a-iw2, b=b-iw2\n");
	CHECK_INT(f.judged_count, 3); /* the other claim is of neither case */
	CHECK_STR(f.claims[2].name, "small@r");
	CHECK_STR(f.claims[2].of.text, "case=a-iw2, traffic.web.load=0.9");
	CHECK_STR(f.claims[2].over.text, "case=b-iw2, traffic.web.load=0.9");
	CHECK_INT(f.claims[2].original, 0);
	CHECK_INT(f.claims[2].reading, 0);
	CHECK_INT(f.claims[0].reading, NO_READING);
	CHECK_STR(f.claims[0].of.text, "case=a, traffic.web.load=0.9");
	figure_free(&f);
	read_reading(&f, "where = traffic.web.load=0.5\nclaims = small\n");
	CHECK_INT(f.judged_count, 3);
	CHECK_STR(f.claims[2].over.text, "case=b, traffic.web.load=0.5");
	figure_free(&f);
	read_reading(&f, "where = host.cc=reno\n"); /* added where it was not there */
	CHECK_INT(f.judged_count, 4);
	CHECK_STR(f.claims[3].of.text, "case=c, host.cc=reno");
	CHECK_INT(f.claims[3].over.count, 0);
	figure_free(&f);
	read_reading(&f, "metric = slowdown_mean\nclaims = small\n");
	CHECK_INT(f.judged_count, 3);
	CHECK_STR(f.claims[2].metric, "slowdown_mean");
	CHECK_STR(f.claims[0].metric, "fct_small_mean_ns");
	figure_free(&f);
	read_reading(&f, "result = 0.9 in 3 seeds\n");
	CHECK_INT(f.judged_count, 2);
	CHECK_STR(f.readings[0].result, "0.9 in 3 seeds");
	figure_free(&f);
}

TEST(test_reading_mistakes_have_their_line)
{
	static const struct {
		const char *keys, *message;
	} cases[] = {
		{ "", "4: [reading r]: source is missing" },
		{ "source = x\ncases = a: b\n",
		  "7: [reading r]: cases: 'a: b'; allowed: a case of the claims = the case of this "
		  "reading, as in ecn=ecn-iw2, tcn=tcn-iw2" },
		{ "source = x\ncases = d=e\n",
		  "4: [reading r]: no claim has these cases or settings" },
		{ "source = x\ncases = a=e\nclaims = smal\n",
		  "4: [reading r]: claims: unknown claim 'smal'; there are small, queue (nearest: "
		  "small)" },
		{ "source = x\ncases = a=e\nclaims = queue\n",
		  "4: [reading r]: claims: nothing is different for queue" },
		{ "source = x\nclaims = queue\n",
		  "7: [reading r]: claims: none of cases, where and metric is given, so nothing is "
		  "judged" },
		{ "source = x\ncases = a=e\nresult = 3\n",
		  "8: [reading r]: result: is computed where cases, where or metric are given; "
		  "leave it out" },
		{ "source = x\nmetric = slowdown_mean\n",
		  "4: [reading r]: metric: slowdown_mean is in another unit than [claim queue]; "
		  "name the claims" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2048], message[256];

		snprintf(text, sizeof(text), "%s[reading r]\nsays = s\n%s%s", head, cases[i].keys,
			 two_claims);
		snprintf(message, sizeof(message), "fig.claims:%s", cases[i].message);
		check_refused(text, message);
	}
}
