/* SPDX-License-Identifier: BSD-3-Clause */
/* document.c -- see document.h. */
#include "lab/report/document.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>

void document_text(const struct document *d, const char *text)
{
	if (d->form == FORM_HTML) {
		html_write_text(d->f, text);
		return;
	}
	for (; *text; text++) {
		if (strchr("|<>*_`[]#\\", *text))
			fputc('\\', d->f);
		fputc(*text, d->f);
	}
}

void document_heading(const struct document *d, int level, const char *text)
{
	if (d->form == FORM_HTML) {
		fprintf(d->f, "<h%d>", level);
		document_text(d, text);
		fprintf(d->f, "</h%d>\n", level);
		return;
	}
	fprintf(d->f, "\n%.*s ", level, "####");
	document_text(d, text);
	fputc('\n', d->f);
}

void document_paragraph(const struct document *d, const char *text)
{
	fputs(d->form == FORM_HTML ? "<p>" : "\n", d->f);
	document_text(d, text);
	fputs(d->form == FORM_HTML ? "</p>\n" : "\n", d->f);
}

void document_table(const struct document *d, const struct document_table *t)
{
	const char *const *names = t->names;

	if (d->form == FORM_HTML)
		fprintf(d->f, "<div class=\"wide\"><table class=\"%s\">\n<thead><tr>", t->class);
	else
		fputc('\n', d->f);
	for (size_t i = 0; names[i]; i++)
		fprintf(d->f,
			d->form == FORM_MARKDOWN ? "| %s "
			: i < t->texts           ? "<th class=\"text\">%s</th>"
						 : "<th>%s</th>",
			names[i]);
	fputs(d->form == FORM_HTML ? "</tr></thead>\n<tbody>\n" : "|\n", d->f);
	for (size_t i = 0; names[i] && d->form == FORM_MARKDOWN; i++)
		fputs(i < t->texts ? "|---" : "|--:", d->f);
	if (d->form == FORM_MARKDOWN)
		fputs("|\n", d->f);
}

void document_table_end(const struct document *d)
{
	if (d->form == FORM_HTML)
		fputs("</tbody></table></div>\n", d->f);
}

void document_row(const struct document *d)
{
	if (d->form == FORM_HTML)
		fputs("<tr>", d->f);
}

void document_row_end(const struct document *d)
{
	fputs(d->form == FORM_HTML ? "</tr>\n" : "|\n", d->f);
}

void document_cell(const struct document *d, const char *text)
{
	fputs(d->form == FORM_HTML ? "<td>" : "| ", d->f);
	document_text(d, text);
	fputs(d->form == FORM_HTML ? "</td>" : " ", d->f);
}

static void cell_of_class(const struct document *d, const char *class, const char *text)
{
	if (d->form == FORM_HTML)
		fprintf(d->f, "<td class=\"%s\">", class);
	else
		fputs("| ", d->f);
	document_text(d, text);
	fputs(d->form == FORM_HTML ? "</td>" : " ", d->f);
}

void document_cell_text(const struct document *d, const char *text)
{
	cell_of_class(d, "text", text);
}

void document_cell_title(const struct document *d, const char *text)
{
	cell_of_class(d, "text title", text);
}

void document_cell_count(const struct document *d, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	document_cell(d, text);
}

void document_cell_name(const struct document *d, const char *name, const char *link)
{
	fputs(d->form == FORM_HTML ? "<th>" : "| ", d->f);
	if (link && d->form == FORM_HTML) {
		fputs("<a href=\"", d->f);
		html_write_text(d->f, link);
		fputs("\">", d->f);
	}
	document_text(d, name);
	if (d->form == FORM_HTML)
		fputs(link ? "</a></th>" : "</th>", d->f);
	else
		fputc(' ', d->f);
}
