/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict_rule.c -- the rules that turn a measurement into a verdict; counts and text of verdicts.
 *
 * - too few: fewer than VERDICT_SEEDS seeds, unless their results are identical; or the mean
 * agrees, but the confidence interval is too long for either of the next two;
 * - agrees: the mean, and at least half of the 95 % interval, lie within the accepted range;
 * - same direction: otherwise, the whole interval lies on the paper's side of "against";
 * - disagrees: otherwise.
 *
 * If a level is never reached there is no interval; then the individual seeds are judged. */
#include "lab/analysis/verdict.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mostly = 0.5;

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_AGREES] = "agrees",
		[VERDICT_SAME_DIRECTION] = "same direction",
		[VERDICT_DISAGREES] = "disagrees",
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
	if (count != 1 && kind == VERDICT_AGREES)
		return "agree";
	if (count != 1 && kind == VERDICT_DISAGREES)
		return "disagree";
	return verdict_name(kind);
}

/* --- numbers --- */

static int is_within(const struct claim *c, double x)
{
	return (x >= c->accept_low && x <= c->accept_high) || is_same_number(x, c->accept_low) ||
	       is_same_number(x, c->accept_high);
}

static int is_on_side(const struct claim *c, double x)
{
	if (isnan(c->against))
		return 0;
	return claim_is_above(c) ? x > c->against : x < c->against;
}

/* Share of the confidence interval that lies within the accepted range. */
static double verdict_share_within(const struct claim *c, const struct measured *m,
				   const double *known)
{
	double low = m->mean - m->half, high = m->mean + m->half;
	uint32_t count = 0;

	if (isfinite(m->half) && m->half > 0)
		return (fmin(high, c->accept_high) - fmax(low, c->accept_low)) / (high - low);
	if (isfinite(m->half))
		return is_within(c, m->mean);
	for (uint32_t i = 0; i < m->count; i++)
		count += (uint32_t)is_within(c, known[i]);
	return (double)count / m->count;
}

static int verdict_has_direction(const struct claim *c, const struct measured *m,
				 const double *known)
{
	int has = is_on_side(c, m->mean - (isfinite(m->half) ? m->half : 0)) &&
		  is_on_side(c, m->mean + (isfinite(m->half) ? m->half : 0));

	for (uint32_t i = 0; i < m->count && !isfinite(m->half); i++)
		has &= is_on_side(c, known[i]);
	return has;
}

static enum verdict_kind verdict_kind_of(const struct claim *c, const double *known,
					 struct verdict *v)
{
	const struct measured *m = &v->value;
	double share;

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
	share = verdict_share_within(c, m, known);
	if (is_within(c, m->mean) && (share >= mostly || is_same_number(share, mostly)))
		return VERDICT_AGREES;
	if (verdict_has_direction(c, m, known))
		return VERDICT_SAME_DIRECTION;
	if (!is_within(c, m->mean))
		return VERDICT_DISAGREES;
	snprintf(v->why, sizeof(v->why),
		 "the mean is within the tolerance, but less than half of its interval is");
	return VERDICT_TOO_FEW;
}

/* The verdict that a single number would have. */
static enum verdict_kind kind_of_number(const struct claim *c, double x)
{
	return is_within(c, x)    ? VERDICT_AGREES
	       : is_on_side(c, x) ? VERDICT_SAME_DIRECTION
				  : VERDICT_DISAGREES;
}

/* The verdict is firm if both ends of the interval give the same kind as the mean, and the accepted
 * range does not lie between them. */
static int verdict_is_firm(const struct claim *c, const struct verdict *v)
{
	double low = v->value.mean - v->value.half, high = v->value.mean + v->value.half;

	if (!isfinite(v->value.half) || kind_of_number(c, low) != v->by_number ||
	    kind_of_number(c, high) != v->by_number)
		return 0;
	return v->by_number == VERDICT_AGREES || high < c->accept_low || low > c->accept_high;
}

void verdict_rule(const struct claim *c, const double *known, struct verdict *v)
{
	v->by_number = verdict_kind_of(c, known, v);
	v->is_firm = verdict_is_firm(c, v);
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
		VERDICT_DISAGREES,      VERDICT_CONTRADICTS, VERDICT_NOT_MEASURED, VERDICT_TOO_FEW,
		VERDICT_SAME_DIRECTION, VERDICT_AGREES,      VERDICT_FITTED,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (parts->of[order[i]])
			return order[i];
	return VERDICT_OTHER_SIZE;
}

struct verdict_counts verdict_count_sentences(const struct figure *f,
					      const struct verdict *verdicts)
{
	struct verdict_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++) {
		struct verdict_counts parts = { { 0 } };
		uint32_t first = 0;

		while (!are_parts(&f->claims[first], &f->claims[i]))
			first++;
		for (uint32_t k = i; k < f->claim_count && first == i; k++)
			if (are_parts(&f->claims[i], &f->claims[k]))
				parts.of[verdicts[k].kind]++;
		if (first == i)
			counts.of[verdict_kind_of_sentence(&parts)]++;
	}
	return counts;
}

struct why_counts why_count(const struct figure *f, const struct verdict *verdicts)
{
	struct why_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++)
		counts.of[f->claims[i].why] += verdicts[i].kind == VERDICT_DISAGREES;
	return counts;
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

void findings_make(struct findings *o, const struct figure *f, const struct verdict *verdicts)
{
	*o = (struct findings){ .version = "" };
	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct verdict *v = &verdicts[i];
		int is_doubtful = v->kind < VERDICT_OTHER_SIZE && v->is_doubtful;

		findings_add(
			o,
			&(struct finding){
				.claim = text_copy(f->claims[i].name),
				.kind = v->kind,
				.by_number = v->kind < VERDICT_OTHER_SIZE ? v->by_number : v->kind,
				.measured = finding_measured_text(v),
				.doubt = text_copy(is_doubtful ? health_text(&v->health).text : ""),
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
