/* SPDX-License-Identifier: BSD-3-Clause */
/* claims_reading.c -- [reading NAME]: another way to read what a paper leaves open.
 *
 * A reading that replaces cases, other settings or the metric is judged: each claim that it is
 * about is copied, with these replaced, to the end of the figure's claims. The copy has the name
 * CLAIM@READING and the paper's expectation; it is judged and shown like a claim and counted
 * nowhere. */
#include "lab/analysis/claims.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/scenario/scenario.h"
#include <stdlib.h>
#include <string.h>

int reading_is_judged(const struct reading *r)
{
	return r->cases.count || r->where.count || r->metric;
}

void reading_free(struct reading *r)
{
	for (uint32_t i = 0; i < r->claim_count; i++)
		free(r->claims[i]);
	free(r->claims);
	free(r->name);
	free(r->says);
	free(r->source);
	free(r->result);
	free(r->metric);
	selection_free(&r->where);
	selection_free(&r->cases);
}

/* --- reading --- */

static void reading_split_claims(struct reading *r, const char *text)
{
	while (text && *text) {
		size_t skipped = strspn(text, " \t,"), length = strcspn(text + skipped, " \t,");

		text += skipped + length;
		if (length == 0)
			continue;
		r->claims = memory_grow(r->claims, r->claim_count + 1, sizeof(*r->claims));
		r->claims[r->claim_count++] = memory_text(text - length, length);
	}
}

int reading_make(struct reading *r, struct claims_section *s, struct weir_error *e)
{
	const char *cases = claims_value(s, "cases"), *where, *result;

	r->line = s->line;
	r->name = text_copy(s->name);
	if (cases && selection_read(&r->cases, cases, e))
		return weir_error_set(e,
				      "cases: %s; allowed: a case of the claims = the case of "
				      "this reading, as in ecn=ecn-iw2, tcn=tcn-iw2",
				      weir_quote(cases).text);
	where = claims_value(s, "where");
	if (where && selection_read(&r->where, where, e))
		return weir_error_prefix(e, "where: ");
	reading_split_claims(r, claims_value(s, "claims"));
	r->says = claims_take_value(s, "says", ABSENT_IS_EMPTY);
	r->source = claims_take_value(s, "source", ABSENT_IS_EMPTY);
	r->metric = claims_take_value(s, "metric", ABSENT_IS_NULL);
	result = claims_value(s, "result");
	r->result = claims_take_value(s, "result", ABSENT_IS_NULL);
	if (result && reading_is_judged(r))
		return weir_error_set(e, "result: is computed where cases, where or metric are "
					 "given; leave it out");
	if (claims_value(s, "claims") && !reading_is_judged(r))
		return weir_error_set(e, "claims: none of cases, where and metric is given, so "
					 "nothing is judged");
	return 0;
}

int figure_case_is_of_reading(const struct figure *f, const char *name)
{
	int found = 0;

	for (uint32_t i = 0; i < f->claim_count; i++) {
		const char *of = selection_value(&f->claims[i].of, CASE_PATH);
		const char *over = selection_value(&f->claims[i].over, CASE_PATH);

		if ((of && strcmp(of, name) == 0) || (over && strcmp(over, name) == 0))
			return 0;
	}
	for (uint32_t i = 0; i < f->reading_count; i++)
		for (uint32_t k = 0; k < f->readings[i].cases.count; k++)
			found |= strcmp(f->readings[i].cases.conditions[k].value, name) == 0;
	return found;
}

/* --- claims of a reading --- */

static void selection_copy(struct selection *to, const struct selection *from)
{
	*to = (struct selection){ .text = from->text ? text_copy(from->text) : NULL,
				  .count = from->count };
	to->conditions = memory_grow(NULL, from->count + UINT64_C(1), sizeof(*to->conditions));
	for (uint32_t i = 0; i < from->count; i++)
		to->conditions[i] = (struct condition){ text_copy(from->conditions[i].path),
							text_copy(from->conditions[i].value) };
}

static char *text_copy_or_null(const char *text)
{
	return text ? text_copy(text) : NULL;
}

static void claim_copy(struct claim *to, const struct claim *from)
{
	*to = *from;
	to->name = NULL;
	to->says = text_copy(from->says);
	to->section = text_copy(from->section);
	to->note = text_copy(from->note);
	to->metric = text_copy(from->metric);
	to->best = text_copy_or_null(from->best);
	to->sentence = text_copy_or_null(from->sentence);
	to->contradicts = to->fitted = NULL; /* judged by number alone */
	selection_copy(&to->of, &from->of);
	selection_copy(&to->over, &from->over);
}

/* The text follows from the conditions: messages and digests refer to it. */
static void selection_spell(struct selection *s)
{
	text_print(&s->text, "%s", "");
	for (uint32_t i = 0; i < s->count; i++)
		text_print(&s->text, "%s%s%s=%s", s->text, i ? ", " : "", s->conditions[i].path,
			   s->conditions[i].value);
}

/* Replaces the condition on the same path, or adds one. Returns 1 if something changed. */
static int selection_set(struct selection *s, const char *path, const char *value)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (strcmp(s->conditions[i].path, path) != 0)
			continue;
		if (strcmp(s->conditions[i].value, value) == 0)
			return 0;
		text_print(&s->conditions[i].value, "%s", value);
		return 1;
	}
	s->conditions = memory_grow(s->conditions, s->count + UINT64_C(1), sizeof(*s->conditions));
	s->conditions[s->count++] = (struct condition){ text_copy(path), text_copy(value) };
	return 1;
}

static int selection_set_case(struct selection *s, const struct selection *cases)
{
	const char *named = selection_value(s, CASE_PATH);
	const char *other = named ? selection_value(cases, named) : NULL;

	return other ? selection_set(s, CASE_PATH, other) : 0;
}

/* Applies the reading to one side of a claim. Returns 1 if something changed. */
static int reading_apply_side(const struct reading *r, struct selection *s)
{
	int changed = selection_set_case(s, &r->cases);

	for (uint32_t i = 0; i < r->where.count; i++)
		changed |=
			selection_set(s, r->where.conditions[i].path, r->where.conditions[i].value);
	if (changed)
		selection_spell(s);
	return changed;
}

/* Returns 1 if something changed, -1 with a message. */
static int reading_apply(const struct reading *r, struct claim *c, struct weir_error *e)
{
	const char *unit = NULL;
	int changed = reading_apply_side(r, &c->of);

	if (c->over.count)
		changed |= reading_apply_side(r, &c->over);
	if (!r->metric || strcmp(r->metric, c->metric) == 0)
		return changed;
	if (claim_set_metric(c, r->metric, &unit, e))
		return -1;
	if (c->over.count || (unit && strcmp(unit, c->unit) == 0))
		return 1;
	return weir_error_set(e,
			      "metric: %s is in another unit than [claim %.*s]; name the "
			      "claims",
			      r->metric, (int)strcspn(c->name, "@"), c->name);
}

/* Is the reading about the claim? *named: the list of claims has it. */
static int reading_has_claim(const struct reading *r, const struct claim *c, int *named)
{
	*named = 0;
	for (uint32_t i = 0; i < r->claim_count; i++)
		*named |= strcmp(r->claims[i], c->name) == 0;
	return *named || r->claim_count == 0;
}

static int reading_check_names(const struct figure *f, const struct reading *r,
			       struct weir_error *e)
{
	const char **names = memory_grow(NULL, f->claim_count + UINT64_C(1), sizeof(*names));
	int failed = 0;

	for (uint32_t i = 0; i < f->claim_count; i++)
		names[i] = f->claims[i].name;
	for (uint32_t i = 0; i < r->claim_count && !failed; i++) {
		uint32_t k = 0;

		while (k < f->claim_count && strcmp(names[k], r->claims[i]) != 0)
			k++;
		if (k == f->claim_count)
			failed =
				weir_error_unknown(e, "claim", r->claims[i], names, f->claim_count);
	}
	free(names);
	return failed ? weir_error_prefix(e, "claims: ") : 0;
}

int reading_add_claims(struct figure *f, uint32_t reading, struct weir_error *e)
{
	const struct reading *r = &f->readings[reading];
	uint32_t before = f->judged_count;

	if (reading_check_names(f, r, e))
		return -1;
	for (uint32_t i = 0; i < f->claim_count && reading_is_judged(r); i++) {
		struct claim c;
		int named, changed;

		if (!reading_has_claim(r, &f->claims[i], &named))
			continue;
		claim_copy(&c, &f->claims[i]);
		text_print(&c.name, "%s@%s", f->claims[i].name, r->name);
		c.reading = (int)reading;
		c.original = i;
		changed = reading_apply(r, &c, e);
		if (changed <= 0) {
			claim_free(&c);
			if (changed < 0)
				return -1;
			if (named)
				return weir_error_set(e, "claims: nothing is different for %s",
						      f->claims[i].name);
			continue;
		}
		f->claims =
			memory_grow(f->claims, f->judged_count + UINT64_C(1), sizeof(*f->claims));
		f->claims[f->judged_count++] = c;
	}
	if (reading_is_judged(r) && f->judged_count == before)
		return weir_error_set(e, "no claim has these cases or settings");
	return 0;
}
