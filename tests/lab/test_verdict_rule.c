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
	double known[16];
	struct verdict v = { .kind = VERDICT_NOT_MEASURED };
	struct figure f;

	for (uint32_t i = 0; i < seeds; i++)
		known[i] = mean;
	v.value = (struct measured){ mean, half, seeds, 0 };
	read_figure(&f, claim);
	verdict_rule(&f.claims[0], known, &v);
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
	CHECK_INT(judge(RATIO "value = 0.5\n", 3, 0.01, 5).kind, VERDICT_DISAGREES);
}

/* 0.4..0.6 agrees. Of 0.5 +-0.2, that is 0.3..0.7, half lies within; of 0.5 +-0.21, 48 %. Of 0.58
 * +-0.12, that is 0.46..0.7, 0.14 of 0.24. */
TEST(test_half_of_the_interval_must_agree_too)
{
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.5, 0.2, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.5, 0.21, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.58, 0.12, 5).kind, VERDICT_AGREES);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.6, 0.001, 5).kind, VERDICT_AGREES);
	/* Up to 1 and beyond: then there is nothing to be said at all. */
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.5, 0.49, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.5, 0.5, 5).kind, VERDICT_TOO_FEW);
	CHECK_STR(judge(RATIO "value = 0.5\n", 0.5, 0.5, 5).why,
		  "the mean is within the tolerance, but less than half of its interval is");
	/* Of a range that is open half of the interval lies within wherever the mean does. */
	CHECK_INT(judge(RATIO "range = ..0.9\n", 0.89, 5, 5).kind, VERDICT_AGREES);
}

TEST(test_a_direction_excludes_no_difference)
{
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.9, 0.09, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 0.5\n", 0.9, 0.1, 5).kind, VERDICT_DISAGREES);
	CHECK_INT(judge(RATIO "value = 2\n", 1.2, 0.19, 5).kind, VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(RATIO "value = 2\n", 1.2, 0.21, 5).kind, VERDICT_DISAGREES);
}

TEST(test_who_says_that_two_are_alike_has_no_direction)
{
	CHECK_INT(judge(RATIO "value = 1\ntolerance = 5%\n", 0.8, 0.01, 5).kind, VERDICT_DISAGREES);
	CHECK_INT(judge(RATIO "range = 0.9..1.05\n", 0.8, 0.01, 5).kind, VERDICT_DISAGREES);
	CHECK_INT(judge(RATIO "value = 0.98\ntolerance = 5%\nagainst = none\n", 0.8, 0.01, 5).kind,
		  VERDICT_DISAGREES);
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
				D = VERDICT_DISAGREES;

	CHECK_INT(kind_of_three(A, A, A), A);
	CHECK_INT(kind_of_three(A, S, A), S);
	CHECK_INT(kind_of_three(A, S, D), D);
	CHECK_INT(kind_of_three(A, A, VERDICT_TOO_FEW), VERDICT_TOO_FEW);
	CHECK_INT(kind_of_three(A, D, VERDICT_TOO_FEW), D);
	CHECK_INT(kind_of_three(A, VERDICT_CONTRADICTS, S), VERDICT_CONTRADICTS);
	CHECK_INT(kind_of_three(A, VERDICT_NOT_MEASURED, A), VERDICT_NOT_MEASURED);
	CHECK_INT(kind_of_three(A, VERDICT_FITTED, VERDICT_OTHER_SIZE), A);
	CHECK_INT(kind_of_three(VERDICT_FITTED, VERDICT_OTHER_SIZE, VERDICT_FITTED),
		  VERDICT_FITTED);
	CHECK_INT(kind_of_three(VERDICT_OTHER_SIZE, VERDICT_OTHER_SIZE, VERDICT_OTHER_SIZE),
		  VERDICT_OTHER_SIZE);
}

/* Four claims: two are parts of one sentence, which disagrees; one agrees; one is fitted. */
TEST(test_claims_and_sentences_are_counted_apart)
{
	static const struct verdict verdicts[] = { { .kind = VERDICT_AGREES },
						   { .kind = VERDICT_AGREES },
						   { .kind = VERDICT_DISAGREES },
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
	CHECK_INT(sentences.of[VERDICT_AGREES], 1);
	CHECK_INT(sentences.of[VERDICT_DISAGREES], 1);
	figure_free(&f);
}

/* Of three that disagree one has no reason; what a claim that agrees says of it is not counted. */
TEST(test_reasons_of_claims_that_disagree_are_counted)
{
	static const struct verdict verdicts[] = { { .kind = VERDICT_DISAGREES },
						   { .kind = VERDICT_DISAGREES },
						   { .kind = VERDICT_DISAGREES },
						   { .kind = VERDICT_AGREES } };
	struct why_counts counts;
	struct figure f;

	read_figure(&f,
		    PART("a", "x") "why = fails\nnote = n\n" PART("b", "x")
			    PART("c", "y") "why = silent\nnote = n\n" PART("d", "z") "why = "
										     "fails\n"
										     "note = n\n");
	counts = why_count(&f, verdicts);
	CHECK_INT(counts.of[WHY_FAILS], 1);
	CHECK_INT(counts.of[WHY_SILENT], 1);
	CHECK_INT(counts.of[WHY_NOT_SAID], 1);
	CHECK_INT(counts.of[WHY_SIZE] + counts.of[WHY_UNEXPLAINED], 0);
	figure_free(&f);
}
