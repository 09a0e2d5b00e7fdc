/* SPDX-License-Identifier: BSD-3-Clause */
/* document.c -- builds documents and renders them; see document.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/document.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/text.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct document_block {
	enum document_kind kind;
	int is_end;        /* 1: the end of a container */
	const char *class; /* NULL: none */
	const char *label; /* of a cell; NULL: none */
	char *text;        /* inline HTML; of a container its name, as plain text */
	char *tooltip;     /* NULL: none */
	const struct chart_list *charts;
	uint32_t first; /* chart */
};

/* --- inline text --- */

/* Writes one conversion, "%.*f"; its arguments are the next ones. */
static void inline_convert(FILE *f, const char *spec, va_list *arguments)
{
	char *text = NULL, fixed[32];
	int precision;

	if (strchr(spec, '*')) { /* becomes a number */
		precision = va_arg(*arguments, int);
		snprintf(fixed, sizeof(fixed), "%.*s%d%s", (int)strcspn(spec, "*"), spec, precision,
			 strchr(spec, '*') + 1);
		spec = fixed;
	}
	switch (spec[strlen(spec) - 1]) {
	case 's':
		text_print(&text, spec, va_arg(*arguments, const char *));
		html_write_text(f, text);
		free(text);
		return;
	case 'f':
	case 'e':
	case 'g':
		fprintf(f, spec, va_arg(*arguments, double));
		return;
	case '%':
		fputc('%', f);
		return;
	}
	if (strstr(spec, "ll"))
		fprintf(f, spec, va_arg(*arguments, long long));
	else if (strpbrk(spec, "lz"))
		fprintf(f, spec, va_arg(*arguments, long));
	else
		fprintf(f, spec, va_arg(*arguments, int));
}

/* Appends to *text, which may be NULL. */
static void inline_print(char **text, const char *format, va_list *arguments)
{
	size_t length;
	char *result = NULL;
	FILE *f = open_memstream(&result, &length);

	if (!f)
		memory_refused(0);
	if (*text)
		fputs(*text, f);
	while (*format) {
		size_t plain = strcspn(format, "%"), used;
		char spec[16];

		fwrite(format, 1, plain, f);
		format += plain;
		if (!*format)
			break;
		used = strcspn(format + 1, "scdufeg%") + 2;
		assert(used < sizeof(spec));
		snprintf(spec, sizeof(spec), "%.*s", (int)used, format);
		inline_convert(f, spec, arguments);
		format += used;
	}
	fclose(f);
	free(*text);
	*text = result;
}

/* --- building --- */

static struct document_block *document_new_block(struct document *d, enum document_kind kind)
{
	struct document_block *b;

	if (d->count == d->room) {
		d->room = d->room ? 2 * d->room : 64;
		d->blocks = memory_grow(d->blocks, d->room, sizeof(*d->blocks));
	}
	b = &d->blocks[d->count++];
	*b = (struct document_block){ .kind = kind };
	return b;
}

void document_free(struct document *d)
{
	for (uint64_t i = 0; i < d->count; i++) {
		free(d->blocks[i].text);
		free(d->blocks[i].tooltip);
	}
	free(d->blocks);
	*d = (struct document){ .count = 0 };
}

void document_open(struct document *d, enum document_kind kind, const char *name)
{
	assert(d->depth < DOCUMENT_DEPTH);
	d->open[d->depth++] = kind;
	document_new_block(d, kind)->text = text_copy(name);
}

void document_close(struct document *d)
{
	assert(d->depth > 0);
	document_new_block(d, d->open[--d->depth])->is_end = 1;
}

void document_add(struct document *d, enum document_kind kind, const char *class,
		  const char *format, ...)
{
	struct document_block *b = document_new_block(d, kind);
	va_list arguments;

	b->class = class;
	va_start(arguments, format);
	inline_print(&b->text, format, &arguments);
	va_end(arguments);
}

void document_append(struct document *d, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	inline_print(&d->blocks[d->count - 1].text, format, &arguments);
	va_end(arguments);
}

void document_tooltip(struct document *d, const char *text)
{
	text_print(&d->blocks[d->count - 1].tooltip, "%s", text);
}

void document_label(struct document *d, const char *label)
{
	d->blocks[d->count - 1].label = label;
}

void document_row(struct document *d, const char *class)
{
	document_new_block(d, DOCUMENT_ROW)->class = class;
}

void document_row_id(struct document *d, const char *prefix, const char *name)
{
	text_print(&document_new_block(d, DOCUMENT_ROW)->text, "%s%s", prefix, name);
}

void document_head_row(struct document *d)
{
	document_new_block(d, DOCUMENT_HEAD_ROW);
}

void document_chart(struct document *d, const struct chart_list *charts, uint32_t first)
{
	struct document_block *b = document_new_block(d, DOCUMENT_CHART);

	b->charts = charts;
	b->first = first;
}

void document_markdown(struct document *d, const char *text)
{
	document_new_block(d, DOCUMENT_MARKDOWN)->text = text_copy(text);
}

/* --- HTML --- */

/* How containers and blocks are written: their element, and the attribute for name or class. */
static const struct {
	const char *element, *attribute;
} html_elements[] = {
	[DOCUMENT_SECTION] = { "section", "id" }, [DOCUMENT_TAB] = { "div", "data-title" },
	[DOCUMENT_DETAILS] = { "details", NULL }, [DOCUMENT_GROUP] = { "div", "class" },
	[DOCUMENT_LIST] = { "ul", NULL },         [DOCUMENT_TABLE] = { "table", "class" },
	[DOCUMENT_HEADING_1] = { "h1", "class" }, [DOCUMENT_HEADING_2] = { "h2", "class" },
	[DOCUMENT_HEADING_3] = { "h3", "class" }, [DOCUMENT_PARAGRAPH] = { "p", "class" },
	[DOCUMENT_ITEM] = { "li", "class" },      [DOCUMENT_HEAD] = { "th", "class" },
	[DOCUMENT_CELL] = { "td", "class" },      [DOCUMENT_HEAD_ROW] = { "tr", "class" },
	[DOCUMENT_ROW] = { "tr", "class" },
};

/* Which part of a table is open. */
enum table_part { TABLE_BEGINS, TABLE_HEAD, TABLE_BODY };

static void html_write_attribute(FILE *f, const char *name, const char *value)
{
	if (!name || !value || !*value)
		return;
	fprintf(f, " %s=\"", name);
	html_write_text(f, value);
	fputc('"', f);
}

/* A class that begins with # is an id. */
static void html_write_start(FILE *f, const struct document_block *b, const char *value)
{
	const char *attribute = html_elements[b->kind].attribute;
	int is_id = value && value[0] == '#';

	fprintf(f, "<%s", html_elements[b->kind].element);
	if (b->kind == DOCUMENT_TAB)
		html_write_attribute(f, "class", "tab");
	html_write_attribute(f, is_id ? "id" : attribute, value ? value + is_id : NULL);
	html_write_attribute(f, "title", b->tooltip);
	html_write_attribute(f, "data-head", b->label);
	fputc('>', f);
}

static void html_write_container(FILE *f, const struct document_block *b, enum table_part part)
{
	if (b->is_end && b->kind == DOCUMENT_TABLE)
		fputs(part == TABLE_BODY ? "</tr>\n</tbody></table></div>\n" : "</table></div>\n",
		      f);
	else if (b->is_end)
		fprintf(f, "</%s>\n", html_elements[b->kind].element);
	else {
		if (b->kind == DOCUMENT_TABLE) /* scrolls by itself where the page is too narrow */
			fputs("<div class=\"wide\">", f);
		html_write_start(f, b, b->text);
		if (b->kind == DOCUMENT_DETAILS) {
			fputs("<summary>", f);
			html_write_text(f, b->text);
			fputs("</summary>", f);
		}
		fputc('\n', f);
	}
}

static enum table_part html_write_row(FILE *f, const struct document_block *b, enum table_part part)
{
	enum table_part now = b->kind == DOCUMENT_HEAD_ROW ? TABLE_HEAD : TABLE_BODY;

	if (part != TABLE_BEGINS)
		fputs(part == now ? "</tr>\n" : "</tr></thead>\n", f);
	if (part != now)
		fputs(now == TABLE_HEAD ? "<thead>" : "<tbody>\n", f);
	if (b->text) {
		fputs("<tr", f);
		html_write_attribute(f, "id", b->text);
		fputc('>', f);
	} else {
		html_write_start(f, b, b->class);
	}
	return now;
}

void document_write_html(const struct document *d, FILE *f)
{
	enum table_part part = TABLE_BEGINS;

	for (uint64_t i = 0; i < d->count; i++) {
		const struct document_block *b = &d->blocks[i];

		switch (b->kind) {
		case DOCUMENT_SECTION:
		case DOCUMENT_TAB:
		case DOCUMENT_DETAILS:
		case DOCUMENT_GROUP:
		case DOCUMENT_LIST:
		case DOCUMENT_TABLE:
			html_write_container(f, b, part);
			part = TABLE_BEGINS;
			break;
		case DOCUMENT_HEAD_ROW:
		case DOCUMENT_ROW:
			part = html_write_row(f, b, part);
			break;
		case DOCUMENT_CHART:
			chart_write_html(f, b->charts, b->first);
			break;
		case DOCUMENT_MARKUP:
			fputs(b->text, f);
			break;
		case DOCUMENT_MARKDOWN:
			break;
		default:
			html_write_start(f, b, b->class);
			fprintf(f, "%s</%s>%s", b->text, html_elements[b->kind].element,
				b->kind == DOCUMENT_HEAD || b->kind == DOCUMENT_CELL ? "" : "\n");
		}
	}
}

const char *asset_text(const char *name)
{
	const struct asset *a = asset_all;

	while (strcmp(a->name, name) != 0)
		assert((++a)->name);
	return a->text;
}

void document_write_page(const struct document *d, FILE *f, const struct document_page *p)
{
	int has_charts = p->is_live;

	for (uint64_t i = 0; i < d->count; i++)
		has_charts |= d->blocks[i].kind == DOCUMENT_CHART;
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:%s\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>Weir: ",
		p->is_live ? "; connect-src 'self'" : "");
	html_write_text(f, p->title);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
		asset_text("report.css"));
	document_write_html(d, f);
	fprintf(f, "<footer>%s<p>Written by Weir ",
		has_charts ? "<p>Drag across a chart to zoom in, double-click to see all of it "
			     "again; click a name to hide or show its line.</p>\n"
			   : "");
	html_write_text(f, p->version);
	fputs(".</p></footer>\n</main>\n", f);
	if (has_charts)
		fprintf(f, "<script>\n%s</script>\n", asset_text("report.js"));
	if (p->is_live)
		fprintf(f, "<script>\n%s</script>\n", asset_text("live.js"));
	fputs("</body>\n</html>\n", f);
}

/* --- Markdown --- */

/* The Markdown of the element or the entity at the start of the text; *length: its size. Of
 * elements only b and code have one. NULL: neither. */
static const char *markdown_of(const char *html, size_t *length)
{
	static const struct {
		const char *html, *markdown;
	} table[] = { { "<b", "**" },    { "</b", "**" },    { "<code", "`" },
		      { "</code", "`" }, { "&amp;", "&" },   { "&lt;", "\\<" },
		      { "&gt;", "\\>" }, { "&quot;", "\"" }, { "&#39;", "'" } };

	if (*html != '<' && *html != '&')
		return NULL;
	*length = strcspn(html, *html == '<' ? ">" : ";") + 1;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t name = strlen(table[i].html);

		if (strncmp(html, table[i].html, name) == 0 &&
		    (*html == '&' || html[name] == '>' || html[name] == ' '))
			return table[i].markdown;
	}
	return "";
}

static void markdown_write_inline(FILE *f, const char *html)
{
	int in_code = 0;

	while (*html) {
		size_t length = 1;
		const char *text = markdown_of(html, &length);

		if (text) {
			in_code ^= text[0] == '`';
			fputs(text + (in_code && text[0] == '\\'), f);
		} else {
			if (!in_code && strchr("|*_`[]#\\", *html))
				fputc('\\', f);
			fputc(*html, f);
		}
		html += length;
	}
}

/* The line below the heads of a table, which says how its columns are aligned. */
static void markdown_end_heads(FILE *f, const struct document_block *head)
{
	fputs("|\n", f);
	for (; head->kind == DOCUMENT_HEAD; head++)
		fputs(head->class && strcmp(head->class, "text") == 0 ? "|---" : "|--:", f);
	fputs("|\n", f);
}

void document_write_markdown(const struct document *d, FILE *f)
{
	uint64_t heads = 0; /* block of the first head of a table; 0: heads are complete */
	int in_row = 0;

	for (uint64_t i = 0; i < d->count; i++) {
		const struct document_block *b = &d->blocks[i];
		int is_row = b->kind == DOCUMENT_HEAD_ROW || b->kind == DOCUMENT_ROW;

		if (in_row && (is_row || b->is_end)) {
			if (heads)
				markdown_end_heads(f, &d->blocks[heads]);
			else
				fputs("|\n", f);
			in_row = 0;
			heads = 0;
		}
		switch (b->kind) {
		case DOCUMENT_HEADING_1:
		case DOCUMENT_HEADING_2:
		case DOCUMENT_HEADING_3:
			fprintf(f, "%s%.*s ", i ? "\n" : "",
				(int)(b->kind - DOCUMENT_HEADING_1) + 1, "###");
			markdown_write_inline(f, b->text);
			fputc('\n', f);
			break;
		case DOCUMENT_PARAGRAPH:
		case DOCUMENT_MARKDOWN:
			fputc('\n', f);
			if (b->kind == DOCUMENT_MARKDOWN)
				fputs(b->text, f);
			else
				markdown_write_inline(f, b->text);
			fputs(b->kind == DOCUMENT_MARKDOWN ? "" : "\n", f);
			break;
		case DOCUMENT_LIST:
		case DOCUMENT_TABLE:
			fputs(b->is_end ? "" : "\n", f);
			break;
		case DOCUMENT_ITEM:
			fputs("- ", f);
			markdown_write_inline(f, b->text);
			fputc('\n', f);
			break;
		case DOCUMENT_HEAD_ROW:
			heads = i + 1; /* fallthrough */
		case DOCUMENT_ROW:
			in_row = 1;
			break;
		case DOCUMENT_HEAD:
		case DOCUMENT_CELL:
			fputs("| ", f);
			markdown_write_inline(f, b->text);
			fputc(' ', f);
			break;
		default: /* containers without a form in Markdown; charts */
			break;
		}
	}
}
