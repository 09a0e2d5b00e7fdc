/* SPDX-License-Identifier: BSD-3-Clause */
/* table_narrow.c -- see table_narrow.h. */
#include "lab/store/table_narrow.h"
#include <string.h>

enum { LABEL_INDENT = 2, CELL_INDENT = 4, GAP = 2 };

void narrow_label(struct narrow *n, const char *label)
{
	n->label = label;
	n->cells = 0;
	n->at = 0;
}

/* Adds "mean 67.48" to the line below the label, or to a new line if it does not fit. */
static void put_cell(struct narrow *n, const char *title, const char *text)
{
	int length = (int)(strlen(title) + 1 + strlen(text));

	if (n->at > 0 && n->at + GAP + length <= n->width) {
		n->at += fprintf(n->f, "%*s%s %s", GAP, "", title, text);
		return;
	}
	n->at = fprintf(n->f, "%s%*s%s %s", n->at ? "\n" : "", CELL_INDENT, "", title, text) -
		(n->at > 0);
}

/* The first cell is kept back: an only cell is printed beside the label. */
void narrow_cell(struct narrow *n, const char *title, const char *text)
{
	if (n->cells++ == 0) {
		snprintf(n->first, sizeof(n->first), "%s", text);
		snprintf(n->first_title, sizeof(n->first_title), "%s", title ? title : "");
		return;
	}
	if (n->cells == 2) {
		fprintf(n->f, "%*s%s\n", LABEL_INDENT, "", n->label);
		put_cell(n, n->first_title, n->first);
	}
	put_cell(n, title ? title : "", text);
}

void narrow_end(struct narrow *n)
{
	int label = LABEL_INDENT + (int)strlen(n->label), room = n->width - label;

	if (n->cells == 0)
		return;
	if (n->cells > 1)
		fputc('\n', n->f);
	else if (room > (int)strlen(n->first))
		fprintf(n->f, "%*s%s%*s\n", LABEL_INDENT, "", n->label, room, n->first);
	else
		fprintf(n->f, "%*s%s\n%*s\n", LABEL_INDENT, "", n->label, n->width, n->first);
}

static void fold_line(FILE *f, const char *line, int length, int width)
{
	int indent = (int)strspn(line, " "), at = indent;
	const char *end = line + length;

	if (length <= width) {
		fprintf(f, "%.*s\n", length, line);
		return;
	}
	fprintf(f, "%*s", indent, "");
	for (line += indent; line < end; line += strspn(line, " ")) {
		int word = (int)strcspn(line, " \n");

		if (at > indent && at + 1 + word > width) {
			fprintf(f, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(f, "%s%.*s", at > indent ? " " : "", word, line);
		line += word;
	}
	fputc('\n', f);
}

void narrow_fold(FILE *f, const char *text, int width)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fold_line(f, text, (int)length, width);
		text += length;
		text += *text == '\n';
	}
}
