/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_claims.c -- the claims of a summary of all papers, as tables by figure: those that are
 * not reproduced, undecided, contradicted or fitted, with their reasons; readings; and claims whose
 * runs are incomplete. */
#include "base/text.h"
#include "lab/report/summary_writer.h"
#include <stdlib.h>
#include <string.h>

static const struct finding *summary_finding(const struct summary_writer *w,
					     const struct summary_entry *y, uint32_t claim,
					     int size)
{
	const struct findings *o = summary_findings(summary_source_of(w, y, size), y, size);

	return o ? findings_find(o, y->figure.claims[claim].name) : NULL;
}

/* Has the claim the verdict in any size? */
static int summary_has_verdict(const struct summary_writer *w, const struct summary_entry *y,
			       uint32_t claim, enum verdict_kind kind)
{
	for (int size = 0; size < FIGURE_SIZES; size++) {
		const struct finding *f = summary_finding(w, y, claim, size);

		if (f && f->kind == kind)
			return 1;
	}
	return 0;
}

/* "undecided: 0.31 ±0.02, 5 seeds" */
static void summary_add_measured(struct summary_writer *w, const struct finding *f, int size)
{
	if (!f || !f->measured[0]) {
		document_add(&w->d, DOCUMENT_CELL, NULL, "%s", "");
		return;
	}
	document_add(&w->d, DOCUMENT_CELL, NULL, "<b class=\"verdict %s\">%s</b>",
		     verdict_class(f->kind), verdict_name(f->kind));
	if (f->kind != f->by_number)
		document_append(&w->d, " (by number: %s)", verdict_name(f->by_number));
	document_append(&w->d, ": %s", f->measured);
	document_label(&w->d, figure_size_names[size]);
}

static void summary_add_claim(struct summary_writer *w, const struct summary_entry *y,
			      uint32_t claim)
{
	const struct claim *c = &y->figure.claims[claim];

	document_row(&w->d, NULL);
	document_add(&w->d, DOCUMENT_HEAD, NULL, "%s", c->name);
	document_add(&w->d, DOCUMENT_CELL, NULL, "%s", c->says);
	if (c->section[0])
		document_append(&w->d, " (%s)", claim_place(c).text);
	document_add(&w->d, DOCUMENT_CELL, NULL, "%s", claim_expected(c).text);
	document_label(&w->d, "expected");
	for (int size = 0; size < FIGURE_SIZES; size++)
		summary_add_measured(w, summary_finding(w, y, claim, size), size);
}

/* The explanation of a claim's verdict, freed by the caller; "": none is needed. */
static char *summary_remark(const struct claim *c, enum verdict_kind kind)
{
	const char *first = c->contradicts ? c->contradicts : c->fitted ? c->fitted : "";
	char *text = NULL;

	if (c->note[0] || first[0])
		text_print(&text, "%s%s%s%s", first, first[0] && c->note[0] ? ". " : "",
			   c->note[0] ? claim_note_begin(c, kind) : "", c->note);
	else
		text_print(&text, kind == VERDICT_UNDECIDED ? "" : "Unexplained.");
	return text;
}

/* Adds an item for all claims with the same remark, unless an earlier claim has added it. */
static void summary_add_remark(struct summary_writer *w, const struct summary_entry *y,
			       uint32_t claim, enum verdict_kind kind)
{
	const struct figure *f = &y->figure;
	char *text = summary_remark(&f->claims[claim], kind);

	for (uint32_t i = 0; i < f->claim_count && text[0]; i++) {
		char *other = summary_remark(&f->claims[i], kind);
		int is_same = strcmp(text, other) == 0 && summary_has_verdict(w, y, i, kind);

		free(other);
		if (!is_same)
			continue;
		if (i < claim) {
			free(text);
			return;
		}
		if (i == claim)
			document_add(&w->d, DOCUMENT_ITEM, NULL, "%s", f->claims[i].name);
		else
			document_append(&w->d, ", %s", f->claims[i].name);
	}
	if (text[0])
		document_append(&w->d, ": %s", text);
	free(text);
}

/* Returns the number of claims of the figure with the verdict. */
static uint32_t summary_add_figure_claims(struct summary_writer *w, const struct summary_entry *y,
					  enum verdict_kind kind)
{
	static const char *const heads[] = { "claim", "what the paper says", "expected", "quick",
					     "full" };
	const uint32_t count = y->figure.claim_count;
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += (uint32_t)summary_has_verdict(w, y, i, kind);
	if (!found)
		return 0;
	document_add(&w->d, DOCUMENT_HEADING_3, NULL, "%s: %s", y->files->label, y->figure.title);
	document_open(&w->d, DOCUMENT_TABLE, "claims");
	document_head_row(&w->d);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		document_add(&w->d, DOCUMENT_HEAD, "text", "%s", heads[i]);
	for (uint32_t i = 0; i < count; i++)
		if (summary_has_verdict(w, y, i, kind))
			summary_add_claim(w, y, i);
	document_close(&w->d);
	document_open(&w->d, DOCUMENT_LIST, "");
	for (uint32_t i = 0; i < count; i++)
		if (summary_has_verdict(w, y, i, kind))
			summary_add_remark(w, y, i, kind);
	document_close(&w->d);
	return found;
}

static void summary_add_claims(struct summary_writer *w, const char *heading,
			       enum verdict_kind kind)
{
	uint32_t found = 0;

	document_add(&w->d, DOCUMENT_HEADING_2, NULL, "%s", heading);
	for (uint32_t i = 0; i < w->summary->count; i++)
		found += summary_add_figure_claims(w, &w->summary->all[i], kind);
	if (!found)
		document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "None.");
}

/* Claims whose runs are incomplete. */
static void summary_add_doubts(struct summary_writer *w)
{
	const struct summary *s = w->summary;
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = 0; k < s->all[i].figure.claim_count; k++)
			for (int size = 0; size < FIGURE_SIZES; size++) {
				const struct finding *f = summary_finding(w, &s->all[i], k, size);

				if (!f || !f->doubt[0])
					continue;
				if (found++ == 0) {
					document_add(&w->d, DOCUMENT_HEADING_2, NULL,
						     "Claims with unfinished flows or PFC "
						     "deadlocks");
					document_open(&w->d, DOCUMENT_LIST, "");
				}
				document_add(&w->d, DOCUMENT_ITEM, NULL, "%s: %s, %s size: %s",
					     s->all[i].files->label, f->claim,
					     figure_size_names[size], f->doubt);
			}
	if (found)
		document_close(&w->d);
}

/* --- readings --- */

/* The result of one claim by a reading; NULL: not measured, or another reading's. */
static const struct finding *summary_reading_finding(const struct summary_writer *w,
						     const struct summary_entry *y, uint32_t claim,
						     uint32_t reading, int size)
{
	const struct finding *one = y->figure.claims[claim].reading == (int)reading
					    ? summary_finding(w, y, claim, size)
					    : NULL;

	return one && one->measured[0] ? one : NULL;
}

/* "1 of 2 agree; small-mean: agrees, 0.81 ±0.05, 5 seeds; ..." */
static void summary_add_reading(struct summary_writer *w, const struct summary_entry *y,
				uint32_t reading, int size)
{
	const struct figure *f = &y->figure;
	uint32_t count = 0, agree = 0;

	document_add(&w->d, DOCUMENT_CELL, NULL, "%s", "");
	document_label(&w->d, figure_size_names[size]);
	for (uint32_t i = f->claim_count; i < f->judged_count; i++) {
		const struct finding *one = summary_reading_finding(w, y, i, reading, size);

		count += one != NULL;
		agree += one && one->kind == VERDICT_AGREES;
	}
	if (!count)
		return;
	document_append(&w->d, "%u of %u agree", agree, count);
	for (uint32_t i = f->claim_count; i < f->judged_count; i++) {
		const struct finding *one = summary_reading_finding(w, y, i, reading, size);

		if (one)
			document_append(&w->d, "; %s: <b class=\"verdict %s\">%s</b>, %s",
					f->claims[f->claims[i].original].name,
					verdict_class(one->kind), verdict_name(one->kind),
					one->measured);
	}
}

static void summary_add_figure_readings(struct summary_writer *w, const struct summary_entry *y)
{
	static const char *const heads[] = { "reading", "source", "quick", "full" };
	const struct figure *f = &y->figure;

	document_add(&w->d, DOCUMENT_HEADING_3, NULL, "%s: %s", y->files->label, f->title);
	document_open(&w->d, DOCUMENT_TABLE, "claims");
	document_head_row(&w->d);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		document_add(&w->d, DOCUMENT_HEAD, "text", "%s", heads[i]);
	for (uint32_t i = 0; i < f->reading_count; i++) {
		const struct reading *r = &f->readings[i];

		document_row(&w->d, NULL);
		document_add(&w->d, DOCUMENT_CELL, NULL, "%s", r->says);
		document_add(&w->d, DOCUMENT_CELL, NULL, "%s", r->source);
		document_label(&w->d, "source");
		if (reading_is_judged(r)) {
			for (int size = 0; size < FIGURE_SIZES; size++)
				summary_add_reading(w, y, i, size);
			continue;
		}
		document_add(&w->d, DOCUMENT_CELL, NULL, "%s",
			     r->result ? r->result : "the claims are judged by it");
		document_add(&w->d, DOCUMENT_CELL, NULL, "%s", "");
	}
	document_close(&w->d);
}

static void summary_add_readings(struct summary_writer *w)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < w->summary->count; i++) {
		if (w->summary->all[i].figure.reading_count == 0)
			continue;
		if (found++ == 0)
			document_add(&w->d, DOCUMENT_HEADING_2, NULL,
				     "Readings of what the papers leave open");
		summary_add_figure_readings(w, &w->summary->all[i]);
	}
}

void summary_add_all_claims(struct summary_writer *w)
{
	summary_add_claims(w, "Claims not reproduced here", VERDICT_NOT_REPRODUCED);
	summary_add_claims(w, "Claims that are undecided", VERDICT_UNDECIDED);
	summary_add_claims(w, "Claims that the paper contradicts itself", VERDICT_CONTRADICTS);
	summary_add_claims(w, "What settings were fitted to", VERDICT_FITTED);
	summary_add_readings(w);
	summary_add_doubts(w);
}
