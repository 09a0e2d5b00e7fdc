/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict_rule.c -- the rules that turn a measurement into a verdict; counts and text of verdicts.
 *
 * A verdict is what holds over the whole 95 % confidence interval of the mean:
 * - too few: fewer than VERDICT_SEEDS seeds, unless their results are identical;
 * - agrees: the interval lies within the accepted range;
 * - same direction: otherwise, it lies on the paper's side of "against";
 * - not reproduced here: otherwise, it lies outside the accepted range;
 * - undecided: otherwise. The interval reaches over an edge of the range.
 *
 * If all seeds give the same number the interval has no length, and that number is judged. If a
 * level is never reached in some seed there is no interval; then the span of the seeds is judged.
 */
#include "lab/analysis/verdict.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_AGREES] = "agrees",
		[VERDICT_SAME_DIRECTION] = "same direction",
		[VERDICT_UNDECIDED] = "undecided",
		[VERDICT_NOT_REPRODUCED] = "not reproduced here",
		[VERDICT_TOO_FEW] = "too few",
		[VERDICT_CONTRADICTS] = "paper contradicts itself",
		[VERDICT_FITTED] = "fitted",
		[VERDICT_OTHER_SIZE] = "not at this size",
		[VERDICT_NOT_MEASURED] = "not measured",
	};

	return names[kind];
}

const char *verdict_word(enum verdict_kind kind, uint32_t count)
{
	return count != 1 && kind == VERDICT_AGREES ? "agree" : verdict_name(kind);
}

/* --- numbers --- */

static int is_within(const struct claim *c, double x)
{
	return (x >= c->accept_low && x <= c->accept_high) || is_same_number(x, c->accept_low) ||
	       is_same_number(x, c->accept_high);
}

/* Does the interval have no number in common with the accepted range? */
static int is_outside(const struct claim *c, const struct measured *m)
{
	return (m->high < c->accept_low && !is_same_number(m->high, c->accept_low)) ||
	       (m->low > c->accept_high && !is_same_number(m->low, c->accept_high));
}

static int is_on_side(const struct claim *c, double x)
{
	if (isnan(c->against))
		return 0;
	return claim_is_above(c) ? x > c->against : x < c->against;
}

static enum verdict_kind verdict_kind_of(const struct claim *c, struct verdict *v)
{
	const struct measured *m = &v->value;

	if (m->count == 0) {
		snprintf(v->why, sizeof(v->why), "no seed is on both sides");
		return VERDICT_TOO_FEW;
	}
	if (m->count < VERDICT_SEEDS && !m->is_alike) {
		snprintf(v->why, sizeof(v->why),
			 "%u seed%s; %d are needed, or %d with equal "
			 "values",
			 m->count, m->count == 1 ? "" : "s", VERDICT_SEEDS, VERDICT_SEEDS_ALIKE);
		return VERDICT_TOO_FEW;
	}
	if (is_within(c, m->low) && is_within(c, m->high))
		return VERDICT_AGREES;
	if (is_on_side(c, m->low) && is_on_side(c, m->high))
		return VERDICT_SAME_DIRECTION;
	if (is_outside(c, m))
		return VERDICT_NOT_REPRODUCED;
	snprintf(v->why, sizeof(v->why),
		 "the interval reaches over an edge of what is expected; more seeds may decide");
	return VERDICT_UNDECIDED;
}

void verdict_rule(const struct claim *c, struct verdict *v)
{
	v->by_number = verdict_kind_of(c, v);
	v->is_firm = v->by_number == VERDICT_AGREES ||
		     (v->by_number <= VERDICT_NOT_REPRODUCED && is_outside(c, &v->value) &&
		      is_on_side(c, v->value.low) == is_on_side(c, v->value.high));
	v->kind = c->contradicts ? VERDICT_CONTRADICTS : c->fitted ? VERDICT_FITTED : v->by_number;
}

/* --- counts --- */

struct verdict_counts verdict_count(const struct figure *f, const struct verdict *verdicts)
{
	struct verdict_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++)
		counts.of[verdicts[i].kind]++;
	return counts;
}

static int are_parts(const struct claim *a, const struct claim *b)
{
	return a == b || (a->sentence && b->sentence && strcmp(a->sentence, b->sentence) == 0);
}

/* counts: the sentence's claims by kind. Returns the first kind, in the order of precedence, that
 * one of them has. */
static enum verdict_kind verdict_kind_of_sentence(const struct verdict_counts *parts)
{
	static const enum verdict_kind order[] = {
		VERDICT_NOT_REPRODUCED, VERDICT_CONTRADICTS, VERDICT_NOT_MEASURED,
		VERDICT_TOO_FEW,        VERDICT_UNDECIDED,   VERDICT_SAME_DIRECTION,
		VERDICT_AGREES,         VERDICT_FITTED,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (parts->of[order[i]])
			return order[i];
	return VERDICT_OTHER_SIZE;
}

/* Is the claim the first of its sentence? */
static int claim_begins_sentence(const struct figure *f, uint32_t claim)
{
	uint32_t first = 0;

	while (!are_parts(&f->claims[first], &f->claims[claim]))
		first++;
	return first == claim;
}

uint32_t sentence_count(const struct figure *f)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->claim_count; i++)
		count += (uint32_t)claim_begins_sentence(f, i);
	return count;
}

struct verdict_counts verdict_count_sentences(const struct figure *f,
					      const struct verdict *verdicts)
{
	struct verdict_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++) {
		struct verdict_counts parts = { { 0 } };

		if (!claim_begins_sentence(f, i))
			continue;
		for (uint32_t k = i; k < f->claim_count; k++)
			if (are_parts(&f->claims[i], &f->claims[k]))
				parts.of[verdicts[k].kind]++;
		counts.of[verdict_kind_of_sentence(&parts)]++;
	}
	return counts;
}

struct why_counts why_count(const struct figure *f, const struct verdict *verdicts)
{
	struct why_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++)
		counts.of[f->claims[i].why] += verdicts[i].kind == VERDICT_NOT_REPRODUCED;
	return counts;
}

uint32_t verdict_judged(const struct verdict_counts *sentences)
{
	uint32_t count = 0;

	for (int i = 0; i <= VERDICT_TOO_FEW; i++)
		count += sentences->of[i];
	return count;
}

enum figure_outcome figure_outcome(const struct verdict_counts *sentences)
{
	uint32_t judged = verdict_judged(sentences);

	if (judged == 0)
		return OUTCOME_OPEN;
	if (sentences->of[VERDICT_AGREES] == judged)
		return OUTCOME_REPRODUCED;
	if (sentences->of[VERDICT_AGREES] || sentences->of[VERDICT_SAME_DIRECTION])
		return OUTCOME_PARTLY;
	return sentences->of[VERDICT_NOT_REPRODUCED] ? OUTCOME_NOT : OUTCOME_UNDECIDED;
}

const char *outcome_name(enum figure_outcome outcome)
{
	static const char *const names[OUTCOMES] = {
		[OUTCOME_REPRODUCED] = "reproduced",   [OUTCOME_PARTLY] = "partly reproduced",
		[OUTCOME_NOT] = "not reproduced here", [OUTCOME_UNDECIDED] = "undecided",
		[OUTCOME_OPEN] = "not judged",
	};

	return names[outcome];
}

uint32_t verdict_total(const struct verdict_counts *counts)
{
	uint32_t total = 0;

	for (int i = 0; i < VERDICTS; i++)
		total += i == VERDICT_FITTED ? 0 : counts->of[i];
	return total;
}

/* --- text --- */

struct claim_text measured_text(const struct measured *m, const char *unit)
{
	struct claim_text t = claim_number(m->mean, unit);
	size_t used = strlen(t.text);

	if (isfinite(m->mean) && isfinite(m->half)) {
		/* An uncertainty has two significant digits. */
		double step = m->half > 0 ? pow(10, floor(log10(m->half)) - 1) : 1;

		snprintf(t.text + used, sizeof(t.text) - used, " \xc2\xb1%.60s",
			 claim_number(round(m->half / step) * step, unit).text);
	}
	return t;
}

/* --- findings --- */

static char *finding_measured_text(const struct verdict *v)
{
	char *text = NULL;

	if (v->kind >= VERDICT_OTHER_SIZE)
		return text_copy("");
	if (v->over.count)
		text_print(&text, "%s, %u seed%s (%s over %s)",
			   measured_text(&v->value, v->unit).text, v->value.count,
			   v->value.count == 1 ? "" : "s",
			   measured_text(&v->of, v->metric_unit).text,
			   measured_text(&v->over, v->metric_unit).text);
	else
		text_print(&text, "%s, %u seed%s", measured_text(&v->value, v->unit).text,
			   v->value.count, v->value.count == 1 ? "" : "s");
	return text;
}

void findings_add(struct findings *o, const struct finding *f)
{
	o->all = memory_grow(o->all, o->count + UINT64_C(1), sizeof(*o->all));
	o->all[o->count++] = *f;
}

/* Digest of what a claim measures. The expected range is left out, so that it can change without a
 * new run; the direction of a claim counts only where it selects the best point. */
static struct digest claim_metric_digest(const struct claim *c, const struct digest *cases)
{
	struct digest_sum sum = { 0, 0 };
	struct digest d;
	char *text = NULL;

	text_print(&text, "%s\n%s\n%s\n%s\n%s%s\n%s", c->metric, c->unit,
		   c->of.text ? c->of.text : "", c->over.text ? c->over.text : "",
		   c->best ? c->best : "", c->best && claim_is_above(c) ? " above" : "",
		   cases->text);
	digest_add(&sum, text, strlen(text));
	d = digest_end(&sum);
	free(text);
	return d;
}

void findings_make(struct findings *o, const struct figure *f, enum figure_size size,
		   const struct verdict *verdicts)
{
	*o = (struct findings){ .version = "" };
	for (uint32_t i = 0; i < f->judged_count; i++) {
		const struct verdict *v = &verdicts[i];
		int is_measured = v->kind < VERDICT_OTHER_SIZE;

		findings_add(o, &(struct finding){
					.claim = text_copy(f->claims[i].name),
					.kind = v->kind,
					.by_number = is_measured ? v->by_number : v->kind,
					.measured = finding_measured_text(v),
					.doubt = text_copy(is_measured && v->is_doubtful
								   ? health_text(&v->health).text
								   : ""),
					.metric = is_measured ? claim_metric_digest(
									&f->claims[i],
									&f->claims[i].cases[size])
							      : (struct digest){ "" },
					.value = v->value,
				});
	}
	findings_count(o, f);
}

void findings_free(struct findings *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		free(o->all[i].claim);
		free(o->all[i].measured);
		free(o->all[i].doubt);
	}
	free(o->all);
	*o = (struct findings){ .version = "" };
}

void findings_judge(struct findings *o, const struct figure *f, enum figure_size size)
{
	for (uint32_t i = 0; i < f->judged_count; i++) {
		const struct claim *c = &f->claims[i];
		struct digest now = claim_metric_digest(c, &c->cases[size]);
		struct finding *one = findings_find_or_add(o, c->name);
		struct verdict v = { .kind = VERDICT_NOT_MEASURED,
				     .by_number = VERDICT_NOT_MEASURED,
				     .value = one->value };

		if (size < c->size)
			v.kind = v.by_number = VERDICT_OTHER_SIZE;
		else if (strcmp(one->metric.text, now.text) == 0)
			verdict_rule(c, &v);
		one->kind = v.kind;
		one->by_number = v.by_number;
		if (one->kind < VERDICT_OTHER_SIZE)
			continue;
		text_print(&one->measured, "%s", "");
		text_print(&one->doubt, "%s", "");
	}
	findings_count(o, f);
}

void findings_convert(struct findings *o, const struct figure *f, enum figure_size size)
{
	static const struct digest none = { "" };

	for (uint32_t i = 0; i < f->judged_count; i++) {
		const struct claim *c = &f->claims[i];
		struct finding *one = findings_find_or_add(o, c->name);

		if (strcmp(one->metric.text, claim_metric_digest(c, &none).text) == 0)
			one->metric = claim_metric_digest(c, &c->cases[size]);
	}
}

struct finding *findings_find_or_add(struct findings *o, const char *claim)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (strcmp(o->all[i].claim, claim) == 0)
			return &o->all[i];
	findings_add(o, &(struct finding){ .claim = text_copy(claim),
					   .kind = VERDICT_NOT_MEASURED,
					   .by_number = VERDICT_NOT_MEASURED,
					   .measured = text_copy(""),
					   .doubt = text_copy("") });
	return &o->all[o->count - 1];
}

const struct finding *findings_find(const struct findings *o, const char *claim)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (strcmp(o->all[i].claim, claim) == 0)
			return &o->all[i];
	return NULL;
}

void findings_count(struct findings *o, const struct figure *f)
{
	struct verdict *verdicts =
		memory_zeroed(f->claim_count + UINT64_C(1), sizeof(struct verdict));

	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct finding *one = findings_find(o, f->claims[i].name);

		verdicts[i].kind = one ? one->kind : VERDICT_NOT_MEASURED;
	}
	o->claims = verdict_count(f, verdicts);
	o->sentences = verdict_count_sentences(f, verdicts);
	o->whys = why_count(f, verdicts);
	free(verdicts);
}
