/* SPDX-License-Identifier: BSD-3-Clause */
/* test_document.c -- documents and their renderers: texts of users cannot become markup, and HTML
 * and Markdown hold the same. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/document.h"
#include "tests/markup.h"
#include "tests/test.h"
#include <inttypes.h>
#include <stdlib.h>

/* What a renderer writes; the caller frees it and the document is freed here. */
static char *rendered(struct document *d, void (*write)(const struct document *d, FILE *f))
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	CHECK(f != NULL);
	write(d, f);
	fclose(f);
	document_free(d);
	return text;
}

TEST(test_document_escapes_what_is_inserted_and_keeps_the_elements_of_formats)
{
	struct document d = { .count = 0 };
	char *html;

	document_add(&d, DOCUMENT_PARAGRAPH, "note", "<b>%s</b> & 100 %%", "</p><script>&\"");
	document_append(&d, ", <code>%s</code>", "a<b");
	html = rendered(&d, document_write_html);
	CHECK_STR(html, "<p class=\"note\"><b>&lt;/p&gt;&lt;script&gt;&amp;&quot;</b> & 100 %, "
			"<code>a&lt;b</code></p>\n");
	free(html);
}

TEST(test_document_formats_numbers_as_printf_does)
{
	struct document d = { .count = 0 };
	char *html;

	document_add(&d, DOCUMENT_PARAGRAPH, NULL, "%u %d %" PRIu64 " %zu %.3g %.*f %.*s %5.1f%%",
		     4000000000u, -3, UINT64_MAX, (size_t)7, 1234.5, 2, 0.125, 3, "<abc", 2.25);
	html = rendered(&d, document_write_html);
	CHECK_STR(html,
		  "<p>4000000000 -3 18446744073709551615 7 1.23e+03 0.12 &lt;ab   2.2%</p>\n");
	free(html);
}

static void add_table(struct document *d)
{
	document_open(d, DOCUMENT_TABLE, "numbers");
	document_head_row(d);
	document_add(d, DOCUMENT_HEAD, "text", "name");
	document_add(d, DOCUMENT_HEAD, NULL, "count");
	document_row(d, NULL);
	document_add(d, DOCUMENT_HEAD, NULL, "%s", "a|b");
	document_add(d, DOCUMENT_CELL, NULL, "%d", 1);
	document_tooltip(d, "of \"2\"");
	document_row_id(d, "row-", "<x>");
	document_add(d, DOCUMENT_HEAD, NULL, "c");
	document_add(d, DOCUMENT_CELL, NULL, "<b class=\"verdict\">%s</b>", "few");
	document_label(d, "count");
	document_close(d);
}

TEST(test_document_tables_have_one_head_and_complete_rows)
{
	struct document d = { .count = 0 };
	char *html;

	add_table(&d);
	html = rendered(&d, document_write_html);
	CHECK_INT(check_markup(html, MARKUP_XML), 28);
	CHECK_CONTAINS(html, "<thead><tr><th class=\"text\">name</th><th>count</th></tr></thead>");
	CHECK_CONTAINS(html, "<td title=\"of &quot;2&quot;\">1</td></tr>\n");
	CHECK_CONTAINS(html, "<tr id=\"row-&lt;x&gt;\"><th>c</th><td data-head=\"count\">");
	free(html);
}

TEST(test_document_in_markdown_has_escaped_texts_and_aligned_columns)
{
	struct document d = { .count = 0 };
	char *text;

	document_add(&d, DOCUMENT_HEADING_1, NULL, "Title");
	document_open(&d, DOCUMENT_SECTION, "section");
	document_add(&d, DOCUMENT_PARAGRAPH, NULL, "<code>%s</code> %s <span class=\"x\">3</span>",
		     "a_<b", "2 * [3] < \"4\"");
	add_table(&d);
	document_open(&d, DOCUMENT_LIST, "");
	document_add(&d, DOCUMENT_ITEM, NULL, "one");
	document_close(&d);
	document_close(&d);
	document_markdown(&d, "*as it is*\n");
	text = rendered(&d, document_write_markdown);
	CHECK_STR(text, "# Title\n\n`a_<b` 2 \\* \\[3\\] \\< \"4\" 3\n\n"
			"| name | count |\n|---|--:|\n| a\\|b | 1 |\n| c | **few** |\n\n- one\n\n"
			"*as it is*\n");
	free(text);
}
