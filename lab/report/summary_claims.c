/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_claims.c -- of a summary: the claims that are not as the paper says, with what was
 * measured and what is known of the reason, a table for each figure. */
#define _DEFAULT_SOURCE
#include "lab/report/summary_tables.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

static const struct finding *find(const struct document *d, const struct summary_entry *y,
				  uint32_t claim, int size)
{
	const struct findings *o = summary_shown(d, y, size);

	return o ? findings_find(o, y->figure.claims[claim].name) : NULL;
}

/* In any size. */
static int has_verdict(const struct document *d, const struct summary_entry *y, uint32_t claim,
		       enum verdict_kind kind)
{
	for (int size = 0; size < FIGURE_SIZES; size++) {
		const struct finding *f = find(d, y, claim, size);

		if (f && f->kind == kind)
			return 1;
	}
	return 0;
}

/* --- a table --- */

/* head: of its column, for screens that are too narrow for columns; NULL: it needs none. */
static void cell_begin(const struct document *d, const char *head)
{
	if (d->form != FORM_HTML)
		fputs("| ", d->f);
	else if (head)
		fprintf(d->f, "<td data-head=\"%s\">", head);
	else
		fputs("<td>", d->f);
}

static void cell_end(const struct document *d)
{
	fputs(d->form == FORM_HTML ? "</td>" : " ", d->f);
}

/* "disagrees: 0.31 ±0.02, 5 seeds" */
static void measured_cell(const struct document *d, const struct finding *f, int size)
{
	cell_begin(d, f && f->measured[0] ? figure_size_names[size] : NULL);
	if (f && f->measured[0]) {
		if (d->form == FORM_HTML)
			verdict_html(d->f, f->kind, verdict_name(f->kind));
		else
			fprintf(d->f, "**%s**", verdict_name(f->kind));
		if (f->kind != f->by_number)
			fprintf(d->f, " (by number: %s)", verdict_name(f->by_number));
		fputs(": ", d->f);
		document_text(d, f->measured);
	}
	cell_end(d);
}

static void claim_row(const struct document *d, const struct summary_entry *y, uint32_t claim)
{
	const struct claim *c = &y->figure.claims[claim];

	document_row(d);
	document_cell_name(d, c->name, NULL);
	cell_begin(d, NULL);
	document_text(d, c->says);
	if (c->section[0]) {
		fputs(" (", d->f);
		document_text(d, claim_place(c).text);
		fputc(')', d->f);
	}
	cell_end(d);
	cell_begin(d, "expected");
	document_text(d, claim_expected(c).text);
	cell_end(d);
	for (int size = 0; size < FIGURE_SIZES; size++)
		measured_cell(d, find(d, y, claim, size), size);
	document_row_end(d);
}

/* --- notes --- */

/* What is said of it; for the caller to free. */
static char *remark(const struct claim *c)
{
	const char *first = c->contradicts ? c->contradicts : c->fitted ? c->fitted : "";
	char *text = NULL;

	if (c->note[0] || first[0])
		text_print(&text, "%s%s%s%s", first, first[0] && c->note[0] ? ". " : "",
			   c->note[0] ? why_begin(c->why) : "", c->note);
	else
		text_print(&text, "No explanation was found yet.");
	return text;
}

static int are_alike(const struct claim *a, const struct claim *b)
{
	char *x = remark(a), *y = remark(b);
	int alike = strcmp(x, y) == 0;

	free(x);
	free(y);
	return alike;
}

/* One note of all claims that it is said of. */
static void item(const struct document *d, const struct summary_entry *y, uint32_t claim,
		 enum verdict_kind kind)
{
	const struct figure *f = &y->figure;
	char *text;

	for (uint32_t i = 0; i < claim; i++)
		if (has_verdict(d, y, i, kind) && are_alike(&f->claims[i], &f->claims[claim]))
			return;
	fputs(d->form == FORM_HTML ? "<li>" : "- ", d->f);
	for (uint32_t i = claim; i < f->claim_count; i++)
		if (i == claim ||
		    (has_verdict(d, y, i, kind) && are_alike(&f->claims[i], &f->claims[claim]))) {
			fputs(i == claim ? "" : ", ", d->f);
			document_text(d, f->claims[i].name);
		}
	fputs(": ", d->f);
	text = remark(&f->claims[claim]);
	document_text(d, text);
	free(text);
	fputs(d->form == FORM_HTML ? "</li>\n" : "\n", d->f);
}

/* --- figure by figure --- */

static uint32_t write_figure(const struct document *d, const struct summary_entry *y,
			     enum verdict_kind kind)
{
	static const char *const heads[] = { "claim",    "what the paper says",
					     "expected", "quick",
					     "full",     NULL };
	uint32_t found = 0;
	char *title = NULL;

	for (uint32_t i = 0; i < y->figure.claim_count; i++)
		found += (uint32_t)has_verdict(d, y, i, kind);
	if (!found)
		return 0;
	text_print(&title, "%s: %s", y->files->label, y->figure.title);
	document_heading(d, 3, title);
	free(title);
	document_table(d,
		       &(struct document_table){ "claims", sizeof(heads) / sizeof(*heads), heads });
	for (uint32_t i = 0; i < y->figure.claim_count; i++)
		if (has_verdict(d, y, i, kind))
			claim_row(d, y, i);
	document_table_end(d);
	fputs(d->form == FORM_HTML ? "<ul>\n" : "\n", d->f);
	for (uint32_t i = 0; i < y->figure.claim_count; i++)
		if (has_verdict(d, y, i, kind))
			item(d, y, i, kind);
	fputs(d->form == FORM_HTML ? "</ul>\n" : "", d->f);
	return found;
}

static void write_all(const struct document *d, const struct summary *s, const char *heading,
		      enum verdict_kind kind)
{
	uint32_t found = 0;

	document_heading(d, 2, heading);
	for (uint32_t i = 0; i < s->count; i++)
		found += write_figure(d, &s->all[i], kind);
	if (!found)
		document_paragraph(d, "None.");
}

/* --- claims whose runs are no whole results --- */

static void write_doubts(const struct document *d, const struct summary *s)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = 0; k < s->all[i].figure.claim_count; k++)
			for (int size = 0; size < FIGURE_SIZES; size++) {
				const struct finding *f = find(d, &s->all[i], k, size);

				if (!f || !f->doubt[0])
					continue;
				if (found++ == 0) {
					document_heading(
						d, 2,
						"Claims judged by runs that did not end well");
					fputs(d->form == FORM_HTML ? "<ul>\n" : "\n", d->f);
				}
				fputs(d->form == FORM_HTML ? "<li>" : "- ", d->f);
				fprintf(d->f, "%s: ", s->all[i].files->label);
				document_text(d, f->claim);
				fprintf(d->f, ", %s size: ", figure_size_names[size]);
				document_text(d, f->doubt);
				fputs(d->form == FORM_HTML ? "</li>\n" : "\n", d->f);
			}
	if (found && d->form == FORM_HTML)
		fputs("</ul>\n", d->f);
}

void summary_claims(const struct document *d, const struct summary *s)
{
	write_all(d, s, "Claims that disagree", VERDICT_DISAGREES);
	write_all(d, s, "Claims that the paper contradicts itself", VERDICT_CONTRADICTS);
	write_all(d, s, "What settings were fitted to", VERDICT_FITTED);
	write_doubts(d, s);
}
