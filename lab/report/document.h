/* SPDX-License-Identifier: BSD-3-Clause */
/* document.h -- headings, paragraphs and tables in one of two forms, so that a summary is written
 * down once: a page of HTML, or Markdown. */
#ifndef LAB_REPORT_DOCUMENT_H
#define LAB_REPORT_DOCUMENT_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum form { FORM_HTML, FORM_MARKDOWN };

struct document {
	FILE *f;
	enum form form;
};

/* What users wrote, as text. */
void document_text(const struct document *d, const char *text);
void document_heading(const struct document *d, int level, const char *text);
void document_paragraph(const struct document *d, const char *text);

/* A table by the names of its columns, NULL at their end: the first are so many texts, the others
 * numbers. */
struct document_table {
	const char *class; /* of a page's style */
	size_t texts;
	const char *const *names;
};
void document_table(const struct document *d, const struct document_table *t);
void document_table_end(const struct document *d);
void document_row(const struct document *d);
void document_row_end(const struct document *d);

void document_cell(const struct document *d, const char *text);
void document_cell_text(const struct document *d, const char *text);
void document_cell_title(const struct document *d, const char *text);
void document_cell_count(const struct document *d, uint64_t number);

/* A cell that names its row; link NULL: it leads nowhere. */
void document_cell_name(const struct document *d, const char *name, const char *link);
#endif
