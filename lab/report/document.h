/* SPDX-License-Identifier: BSD-3-Clause */
/* document.h -- a page as data: sections, text, tables, lists and charts in reading order, rendered
 * to HTML and to Markdown by one renderer each. Reports, pages of figures, summaries and the live
 * page are all built here; no other file writes HTML.
 *
 * Texts are printf formats whose conversions are %s, %c, %d, %u, %f, %e, %g and %%, with l, z and a
 * precision. What %s inserts is escaped, whatever it contains. The format itself is trusted: it may
 * hold inline elements (b, code, small, i, em, cite, span, a, br) with their attributes. Markdown
 * knows b and code and leaves the others out.
 *
 * A document belongs to its caller and is not shared between threads. Classes, attributes and
 * labels are constants; all other texts are copied. Running out of memory ends the program. */
#ifndef LAB_REPORT_DOCUMENT_H
#define LAB_REPORT_DOCUMENT_H
#include "lab/report/chart.h"
#include <stdint.h>
#include <stdio.h>

enum document_kind {
	/* Containers, from document_open to document_close, with what their name is for. */
	DOCUMENT_SECTION, /* id */
	DOCUMENT_TAB,     /* title; a script shows one tab at a time */
	DOCUMENT_DETAILS, /* summary: the only part that is visible at first */
	DOCUMENT_GROUP,   /* class */
	DOCUMENT_LIST,    /* "" */
	DOCUMENT_TABLE,   /* class; holds rows, and these hold cells up to the next row */
	/* Blocks of text, by document_add. */
	DOCUMENT_HEADING_1,
	DOCUMENT_HEADING_2,
	DOCUMENT_HEADING_3,
	DOCUMENT_PARAGRAPH,
	DOCUMENT_ITEM,
	DOCUMENT_HEAD, /* a cell that names its column or row; class "text": a column of texts */
	DOCUMENT_CELL,
	/* Others. */
	DOCUMENT_HEAD_ROW,
	DOCUMENT_ROW,
	DOCUMENT_CHART,
	DOCUMENT_MARKUP,   /* written to HTML as it is */
	DOCUMENT_MARKDOWN, /* written to Markdown as it is */
};

enum { DOCUMENT_DEPTH = 16 };

struct document {
	uint64_t count, room;
	struct document_block *blocks;
	uint32_t depth; /* open containers */
	enum document_kind open[DOCUMENT_DEPTH];
};

void document_free(struct document *d);

void document_open(struct document *d, enum document_kind kind, const char *name);
void document_close(struct document *d);

/* class NULL: none. */
void document_add(struct document *d, enum document_kind kind, const char *class,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Continues the text of the last block. */
void document_append(struct document *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Properties of the last cell: a text that is shown when it is pointed at, and the head of its
 * column, for screens that are too narrow for columns. */
void document_tooltip(struct document *d, const char *text);
void document_label(struct document *d, const char *label);

/* Begins a row; class NULL: none. An id, made of two parts, makes it the target of links. */
void document_row(struct document *d, const char *class);
void document_row_id(struct document *d, const char *prefix, const char *name);
void document_head_row(struct document *d);

/* One place for all charts with part and title of charts->all[first]: a reader chooses the variant.
 * The list must outlive the document. */
void document_chart(struct document *d, const struct chart_list *charts, uint32_t first);

/* Text that is already Markdown, which HTML leaves out. */
void document_markdown(struct document *d, const char *text);

/* --- renderers --- */

struct document_page {
	const char *title, *version; /* version: of Weir, for the footer */
	int is_live;                 /* 1: a page of weir view that requests data from its server */
};

/* A whole HTML file that needs no other. */
void document_write_page(const struct document *d, FILE *f, const struct document_page *p);

/* The blocks alone. */
void document_write_html(const struct document *d, FILE *f);
void document_write_markdown(const struct document *d, FILE *f);

/* --- files that are compiled into the program: style, scripts --- */

struct asset {
	const char *name, *text;
};

extern const struct asset asset_all[]; /* ends with .name == NULL */

/* The text of an asset that exists. */
const char *asset_text(const char *name);
#endif
