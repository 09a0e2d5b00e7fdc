/* SPDX-License-Identifier: BSD-3-Clause */
/* test_verdict_rule.c -- the rules of verdicts on numbers that are worked out by hand, and how they
 * are counted. */
#include "lab/analysis/verdict.h"
#include "tests/test.h"
#include <math.h>
#include <string.h>

static void read_figure(struct figure *f, const char *claims)
{
	char text[2048];
	struct weir_error e = { "" };

	snprintf(text, sizeof(text), "[figure]\ntitle = t\npaper = p\n%s", claims);
	if (figure_read_text(f, "fig.claims", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

#define HEAD "[claim c]\nsays = s\nsection = 1\nmetric = drops\n"
#define RATIO HEAD "of = case=a\nover = case=b\n"

static struct verdict judge(const char *claim, double mean, double half, uint32_t seeds)
{
	struct verdict v = { .kind = VERDICT_NOT_MEASURED };
	struct figure f;

	v.value = (struct measured){ mean, half, mean - half, mean + half, seeds, 0 };
	read_figure(&f, claim);
	verdict_rule(&f.claims[0], &v);
	figure_free(&f);
	return v;
}

TEST(test_four_seeds_are_too_few_and_five_are_not)
{
	struct verdict v = judge(RATIO "value = 0.5\n", 0.5, 0.01, 4);

	CHECK_STR(verdict_name(v.kind), "too few");
	CHECK_STR(v.why, "4 seeds; 5 are needed, or 2 with equal values");
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.5, 0.01, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "value = 0.5\n", 3, 0.01, 4).kind, VERDICT_TOO_FEW);
	CHECK_INT(judge(RATIO "value = 0.5\n", 3, 0.01, 5).kind, VERDICT_NOT_REPRODUCED);
}

/* 0.4..0.6 agrees, and below 1 is the paper's direction. */
TEST(test_a_verdict_holds_over_the_whole_interval)
{
	static const struct {
		double mean, half;
		enum verdict_kind kind;
		int is_firm;
	} cases[] = {
		{ 0.5, 0.1, VERDICT_AGREES, 1 },           /* 0.4..0.6 */
		{ 0.5, 0.11, VERDICT_SAME_DIRECTION, 0 },  /* wider than the range */
		{ 0.6, 0.001, VERDICT_SAME_DIRECTION, 0 }, /* over an edge */
		{ 0.8, 0.19, VERDICT_SAME_DIRECTION, 1 },  /* 0.61..0.99 */
		{ 0.8, 0.21, VERDICT_UNDECIDED, 0 },       /* 0.59..1.01 */
		{ 0.5, 0.5, VERDICT_UNDECIDED, 0 },        /* 0..1 */
		{ 0.9, 0.11, VERDICT_NOT_REPRODUCED, 0 },  /* 0.79..1.01: the direction is open */
		{ 1.2, 0.1, VERDICT_NOT_REPRODUCED, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdict v = judge(RATIO "value = 0.5\n", cases[i].mean, cases[i].half, 5);

		CHECK_STR(verdict_name(v.kind), verdict_name(cases[i].kind));
		CHECK_INT(v.is_firm, cases[i].is_firm);
	}
}

/* An order: above 1; and one with a margin, below 0.9. */
TEST(test_an_order_needs_the_interval_on_its_side)
{
	CHECK_INT(judge(RATIO "range = 1..\n", 1.002, 0.017, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(RATIO "range = 1..\n", 1.06, 0.13, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(RATIO "range = 1..\n", 1.14, 0.45, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(RATIO "range = 1..\n", 0.95, 0.23, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(RATIO "range = 1..\n", 1.06, 0.06, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "range = 1..\n", 0.9, 0.09, 5).kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "range = ..0.9\n", 0.85, 0.04, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "range = ..0.9\n", 0.89, 0.04, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "range = ..0.9\n", 0.95, 0.06, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(RATIO "range = ..0.9\n", 1, 0.09, 5).kind, VERDICT_NOT_REPRODUCED);
	/* Not a ratio, so there is nothing that a direction could be against. */
	CHECK_INT(judge(HEAD "range = ..70\n", 68, 3, 5).kind, VERDICT_UNDECIDED);
	CHECK_INT(judge(HEAD "range = ..70\nagainst = 500\n", 68, 3, 5).kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_STR(judge(HEAD "range = ..70\n", 68, 3, 5).why,
		  "the interval reaches over an edge of what is expected; more seeds may decide");
}

/* Five seeds with one result have an interval without length: the number itself is judged. */
TEST(test_without_variance_the_number_is_judged)
{
	CHECK_INT(judge(RATIO "range = ..1\n", 1, 0, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "range = ..0.999\n", 1, 0, 5).kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "range = ..0.9\n", 0.95, 0, 5).kind, VERDICT_SAME_DIRECTION);
}

TEST(test_a_direction_excludes_no_difference)
{
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.9, 0.09, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.9, 0.1, 5).kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "value = 2\n", 1.2, 0.19, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 2\n", 1.2, 0.21, 5).kind, VERDICT_NOT_REPRODUCED);
}

TEST(test_who_says_that_two_are_alike_has_no_direction)
{
	CHECK_INT(judge(RATIO "value = 1\ntolerance = 5%\n", 0.8, 0.01, 5).kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "range = 0.9..1.05\n", 0.8, 0.01, 5).kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "value = 0.98\ntolerance = 5%\nagainst = none\n", 0.8, 0.01, 5).kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(RATIO "value = 0.98\ntolerance = 5%\n", 0.8, 0.01, 5).kind,
		  VERDICT_SAME_DIRECTION);
}

TEST(test_a_claim_that_the_paper_contradicts_or_that_was_fitted_has_a_verdict_of_its_own)
{
	struct verdict v = judge(RATIO "value = 0.5\ncontradicts = Table II has 0.9\n", 0.9, 0, 5);

	CHECK_STR(verdict_name(v.kind), "paper contradicts itself");
	CHECK_INT(v.by_number, VERDICT_SAME_DIRECTION);
	v = judge(RATIO "value = 0.5\nfitted = K was chosen by it\n", 0.5, 0, 5);
	CHECK_STR(verdict_name(v.kind), "fitted");
	CHECK_INT(v.by_number, VERDICT_AGREES);
}

/* --- sentences --- */

#define PART(name, sentence) \
	"[claim " name "]\nsays = s\nsection = 1\nmetric = drops\nvalue = 1\nsentence = " sentence \
	"\n"

static enum verdict_kind kind_of_three(enum verdict_kind a, enum verdict_kind b,
				       enum verdict_kind c)
{
	const struct verdict verdicts[] = { { .kind = a }, { .kind = b }, { .kind = c } };
	struct verdict_counts counts;
	struct figure f;
	int kind = 0;

	read_figure(&f, PART("a", "one") PART("b", "one") PART("c", "one"));
	counts = verdict_count_sentences(&f, verdicts);
	figure_free(&f);
	while (kind < VERDICTS && !counts.of[kind])
		kind++;
	CHECK_INT(counts.of[kind], 1);
	return (enum verdict_kind)kind;
}

TEST(test_a_sentence_is_worth_what_its_parts_are)
{
	const enum verdict_kind A = VERDICT_AGREES, S = VERDICT_SAME_DIRECTION,
				D = VERDICT_NOT_REPRODUCED;

	CHECK_INT(kind_of_three(A, A, A), A);
	CHECK_INT(kind_of_three(A, S, A), S);
	CHECK_INT(kind_of_three(A, S, D), D);
	CHECK_INT(kind_of_three(A, A, VERDICT_TOO_FEW), VERDICT_TOO_FEW);
	CHECK_INT(kind_of_three(A, D, VERDICT_TOO_FEW), D);
	CHECK_INT(kind_of_three(A, VERDICT_UNDECIDED, S), VERDICT_UNDECIDED);
	CHECK_INT(kind_of_three(VERDICT_UNDECIDED, D, S), D);
	CHECK_INT(kind_of_three(A, VERDICT_CONTRADICTS, S), VERDICT_CONTRADICTS);
	CHECK_INT(kind_of_three(A, VERDICT_NOT_MEASURED, A), VERDICT_NOT_MEASURED);
	CHECK_INT(kind_of_three(A, VERDICT_FITTED, VERDICT_OTHER_SIZE), A);
	CHECK_INT(kind_of_three(VERDICT_FITTED, VERDICT_OTHER_SIZE, VERDICT_FITTED),
		  VERDICT_FITTED);
	CHECK_INT(kind_of_three(VERDICT_OTHER_SIZE, VERDICT_OTHER_SIZE, VERDICT_OTHER_SIZE),
		  VERDICT_OTHER_SIZE);
}

/* Four claims: two are parts of one sentence, which is not reproduced; one agrees; one is fitted.
 */
TEST(test_claims_and_sentences_are_counted_apart)
{
	static const struct verdict verdicts[] = { { .kind = VERDICT_AGREES },
						   { .kind = VERDICT_AGREES },
						   { .kind = VERDICT_NOT_REPRODUCED },
						   { .kind = VERDICT_FITTED } };
	struct verdict_counts claims, sentences;
	struct figure f;

	read_figure(
		&f,
		PART("a", "x") "[claim b]\nsays = s\nsection = 1\nmetric = drops\nvalue = 1\n" PART(
			"c", "x") "[claim d]\nsays = s\nsection = 1\nmetric = drops\n"
				  "value = 1\nfitted = by it\n");
	claims = verdict_count(&f, verdicts);
	sentences = verdict_count_sentences(&f, verdicts);
	CHECK_INT(verdict_total(&claims), 3);
	CHECK_INT(claims.of[VERDICT_AGREES], 2);
	CHECK_INT(claims.of[VERDICT_FITTED], 1);
	CHECK_INT(verdict_total(&sentences), 2);
	CHECK_INT(sentence_count(&f), 3);
	CHECK_INT(sentences.of[VERDICT_AGREES], 1);
	CHECK_INT(sentences.of[VERDICT_NOT_REPRODUCED], 1);
	figure_free(&f);
}

/* Of three one has no reason; what a claim that agrees says of it is not counted. */
TEST(test_reasons_of_claims_that_are_not_reproduced_are_counted)
{
	static const struct verdict verdicts[] = { { .kind = VERDICT_NOT_REPRODUCED },
						   { .kind = VERDICT_NOT_REPRODUCED },
						   { .kind = VERDICT_NOT_REPRODUCED },
						   { .kind = VERDICT_AGREES } };
	struct why_counts counts;
	struct figure f;

	read_figure(&f,
		    PART("a", "x") "why = fails\nnote = 1\n" PART("b", "x")
			    PART("c", "y") "why = silent\nnote = 1\n" PART("d", "z") "why = "
										     "fails\n"
										     "note = 1\n");
	counts = why_count(&f, verdicts);
	CHECK_INT(counts.of[WHY_FAILS], 1);
	CHECK_INT(counts.of[WHY_SILENT], 1);
	CHECK_INT(counts.of[WHY_NOT_SAID], 1);
	CHECK_INT(counts.of[WHY_SIZE] + counts.of[WHY_UNEXPLAINED], 0);
	figure_free(&f);
}

/* --- outcomes --- */

TEST(test_the_outcome_of_a_figure_is_that_of_its_sentences)
{
	static const struct {
		struct verdict_counts sentences;
		enum figure_outcome outcome;
	} cases[] = {
		{ { { [VERDICT_AGREES] = 3 } }, OUTCOME_REPRODUCED },
		{ { { [VERDICT_AGREES] = 3, [VERDICT_OTHER_SIZE] = 1, [VERDICT_CONTRADICTS] = 1 } },
		  OUTCOME_REPRODUCED },
		{ { { [VERDICT_AGREES] = 3, [VERDICT_UNDECIDED] = 1 } }, OUTCOME_PARTLY },
		{ { { [VERDICT_SAME_DIRECTION] = 1, [VERDICT_NOT_REPRODUCED] = 1 } },
		  OUTCOME_PARTLY },
		{ { { [VERDICT_UNDECIDED] = 2, [VERDICT_NOT_REPRODUCED] = 1 } }, OUTCOME_NOT },
		{ { { [VERDICT_UNDECIDED] = 2, [VERDICT_TOO_FEW] = 1 } }, OUTCOME_UNDECIDED },
		{ { { [VERDICT_FITTED] = 2, [VERDICT_NOT_MEASURED] = 1 } }, OUTCOME_OPEN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(outcome_name(figure_outcome(&cases[i].sentences)),
			  outcome_name(cases[i].outcome));
}

/* --- stored numbers --- */

static enum verdict_kind judge_stored(const char *now)
{
	struct verdict v = { .value = { 0.5, 0.05, 0.45, 0.55, 5, 0 } };
	struct findings o;
	struct figure f;
	enum verdict_kind kind;

	read_figure(&f, RATIO "value = 0.5\n");
	verdict_rule(&f.claims[0], &v);
	findings_make(&o, &f, FIGURE_QUICK, &v);
	CHECK_INT(o.all[0].kind, VERDICT_AGREES);
	figure_free(&f);
	read_figure(&f, now);
	findings_judge(&o, &f, FIGURE_QUICK);
	kind = findings_find(&o, "c")->kind;
	CHECK_INT(o.claims.of[kind], 1);
	findings_free(&o);
	figure_free(&f);
	return kind;
}

TEST(test_stored_numbers_are_judged_by_the_claims_of_today)
{
	CHECK_INT(judge_stored(RATIO "value = 0.5\n"), VERDICT_AGREES);
	CHECK_INT(judge_stored(RATIO "value = 0.5\ntolerance = 5%\n"), VERDICT_SAME_DIRECTION);
	CHECK_INT(judge_stored(RATIO "range = 1..\n"), VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge_stored(RATIO "value = 0.5\nfitted = K\n"), VERDICT_FITTED);
	CHECK_INT(judge_stored(RATIO "value = 0.5\nsize = full\n"), VERDICT_OTHER_SIZE);
	/* Of something else than what was measured nothing is known. */
	CHECK_INT(judge_stored("[claim c]\nsays = s\nsection = 1\nmetric = marks\nof = case=a\n"
			       "over = case=b\nvalue = 0.5\n"),
		  VERDICT_NOT_MEASURED);
	CHECK_INT(judge_stored(HEAD "of = case=a\nover = case=c\nvalue = 0.5\n"),
		  VERDICT_NOT_MEASURED);
	CHECK_INT(judge_stored(HEAD "of = case=a\nvalue = 0.5\n"), VERDICT_NOT_MEASURED);
}
