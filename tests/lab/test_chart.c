/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chart.c -- charts as data and as SVG: reduction, distributions, ticks, escaping. */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "lab/report/chart.h"
#include "tests/markup.h"
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>

static struct chart_line *only_line(struct chart_list *list)
{
	return chart_line_add(chart_add(list, "Only", ""), "line");
}

static double largest(const struct chart_line *l)
{
	double y = -INFINITY;

	for (uint64_t i = 0; i < l->count; i++)
		y = fmax(y, l->points[i].y);
	return y;
}

TEST(test_reducing_a_line_keeps_peaks_and_dips_of_one_sample)
{
	enum { SAMPLES = 200000, COLUMNS = 100 };
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);
	int peaks = 0, dips = 0;

	for (int i = 0; i < SAMPLES; i++)
		chart_point_add(l, i, i == 123457 ? 1000 : i == 77777 ? -5 : i % 7);
	chart_line_reduce(l, COLUMNS, 0);
	CHECK(l->count <= 4 * COLUMNS);
	CHECK(l->count >= 2 * COLUMNS);
	for (uint64_t i = 0; i < l->count; i++) {
		peaks += l->points[i].x == 123457 && l->points[i].y == 1000;
		dips += l->points[i].x == 77777 && l->points[i].y == -5;
		CHECK(i == 0 || l->points[i].x > l->points[i - 1].x);
	}
	CHECK_INT(peaks, 1);
	CHECK_INT(dips, 1);
	CHECK_NEAR(l->points[0].x, 0, 0);
	CHECK_NEAR(l->points[l->count - 1].x, SAMPLES - 1, 0);
	chart_list_free(&list);
}

TEST(test_reducing_leaves_short_lines_alone)
{
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);

	for (int i = 0; i < 400; i++)
		chart_point_add(l, i, i);
	chart_line_reduce(l, 100, 0);
	CHECK_INT(l->count, 400);
	chart_list_free(&list);
}

TEST(test_reducing_survives_samples_at_one_time)
{
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);

	for (int i = 0; i < 50; i++)
		chart_point_add(l, 3, i == 20 ? 99 : 1);
	chart_line_reduce(l, 4, 0);
	CHECK(l->count <= 4);
	CHECK_NEAR(largest(l), 99, 0);
	chart_list_free(&list);
}

TEST(test_reducing_on_a_log_axis_keeps_the_short_end)
{
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);
	uint64_t low = 0;

	for (int i = 1; i <= 100000; i++)
		chart_point_add(l, i, i);
	chart_line_reduce(l, 50, 1); /* ten columns a power of ten */
	for (uint64_t i = 0; i < l->count; i++)
		low += l->points[i].x <= 10;
	CHECK_INT(low, 10);
	chart_list_free(&list);
}

TEST(test_distribution_is_the_share_of_values_that_are_no_larger)
{
	double values[] = { 40, 10, 20, 20, 30 };
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);

	chart_line_cdf(l, values, 5);
	CHECK_INT(l->count, 4);
	CHECK_NEAR(l->points[0].x, 10, 0);
	CHECK_NEAR(l->points[0].y, 0.2, 1e-12);
	CHECK_NEAR(l->points[1].x, 20, 0);
	CHECK_NEAR(l->points[1].y, 0.6, 1e-12);
	CHECK_NEAR(l->points[2].y, 0.8, 1e-12);
	CHECK_NEAR(l->points[3].x, 40, 0);
	CHECK_NEAR(l->points[3].y, 1, 0);
	chart_list_free(&list);
}

TEST(test_tail_is_the_share_of_values_that_are_larger_while_there_are_any)
{
	double values[] = { 40, 10, 20, 20, 30 };
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);

	chart_line_tail(l, values, 5);
	CHECK_INT(l->count, 3); /* nothing is larger than 40 */
	CHECK_NEAR(l->points[0].x, 10, 0);
	CHECK_NEAR(l->points[0].y, 0.8, 1e-12);
	CHECK_NEAR(l->points[1].x, 20, 0);
	CHECK_NEAR(l->points[1].y, 0.4, 1e-12);
	CHECK_NEAR(l->points[2].y, 0.2, 1e-12);
	chart_list_free(&list);
}

TEST(test_ticks_are_round_numbers_inside)
{
	struct ticks t;

	ticks_linear(&t, 0, 10, 5);
	CHECK_INT(t.count, 6);
	CHECK_NEAR(t.at[1], 2, 1e-12);
	ticks_linear(&t, 0.31, 0.72, 5);
	CHECK_INT(t.count, 4);
	CHECK_NEAR(t.at[0], 0.4, 1e-12);
	CHECK_NEAR(t.at[3], 0.7, 1e-12);
	ticks_linear(&t, 3, 3, 5);
	CHECK_INT(t.count, 0);
	ticks_log(&t, 0.9, 15000);
	CHECK_INT(t.count, 5);
	CHECK_NEAR(t.at[0], 1, 0);
	CHECK_NEAR(t.at[4], 10000, 0);
	ticks_log(&t, 4, 60);
	CHECK_INT(t.count, 4); /* 5 10 20 50 */
	CHECK_NEAR(t.at[3], 50, 1e-9);
	ticks_log(&t, 1.2, 4.5);
	CHECK_INT(t.count, 3); /* not 2 alone */
	CHECK_NEAR(t.at[2], 4, 1e-9);
}

TEST(test_charts_have_ids_of_their_own_fit_for_file_names)
{
	struct chart_list list = { 0, NULL };

	CHECK_STR(chart_add(&list, "FCT, small: 99 %", "load = 0.5")->id, "fct-small-99-load-0-5");
	CHECK_STR(chart_add(&list, "FCT small 99", "load 0.5")->id, "fct-small-99-load-0-5-2");
	CHECK_STR(chart_add(&list, "../../etc/passwd", "")->id, "etc-passwd");
	CHECK_STR(chart_add(&list, "\xc3\xa4", "")->id, "chart-1");
	chart_list_free(&list);
}

/* What write leaves in a stream; the caller frees it. */
static char *written(void (*write)(FILE *, const char *), const char *text)
{
	char *buffer = NULL;
	size_t size;
	FILE *f = open_memstream(&buffer, &size);

	CHECK(f != NULL);
	write(f, text);
	fclose(f);
	return buffer;
}

TEST(test_what_users_wrote_cannot_become_markup)
{
	char *text = written(html_write_text, "<b a='1'>&\"\x01\xff\xe2\x82\xac\n");
	char *json = written(html_write_json_string, "</script>&\"\\\n\xff\xe2\x82\xac");

	CHECK_STR(text, "&lt;b a=&#39;1&#39;&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac\n");
	CHECK_STR(json, "\"\\u003c/script\\u003e\\u0026\\u0022\\u005c\\u000a\\ufffd\xe2\x82\xac\"");
	free(text);
	free(json);
}

static char *svg_of(const struct chart *c)
{
	char *buffer = NULL;
	size_t size;
	FILE *f = open_memstream(&buffer, &size);

	CHECK(f != NULL);
	chart_svg(f, c);
	fclose(f);
	CHECK(check_markup(buffer, MARKUP_XML) > 10);
	CHECK(strstr(buffer, "nan") == NULL && strstr(buffer, "inf") == NULL);
	return buffer;
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		count++;
	return count;
}

TEST(test_svg_is_well_formed_whatever_the_names_are)
{
	struct chart_list list = { 0, NULL };
	struct chart *c = chart_add(&list, "A <title> & \"more\"", "x < 3");
	struct chart_line *l = chart_line_add(c, "a<b&c>\"d\"\x02");
	char *svg;

	text_print(&c->x_label, "<x>");
	text_print(&c->y_label, "y & z");
	c->kind = CHART_MEANS;
	chart_point_add(l, 1, 5);
	l->points[0].low = 4;
	l->points[0].high = 400;
	chart_point_add(l, 2, NAN);
	chart_point_add(l, 3, 7);
	svg = svg_of(c);
	CHECK_CONTAINS(svg, "a&lt;b&amp;c&gt;&quot;d&quot;");
	CHECK_CONTAINS(svg, "<title>A &lt;title&gt; &amp; &quot;more&quot;, x &lt; 3</title>");
	free(svg);
	chart_list_free(&list);
}

TEST(test_svg_of_an_empty_chart_is_well_formed)
{
	struct chart_list list = { 0, NULL };
	enum chart_kind kinds[] = { CHART_CURVES, CHART_STEPS, CHART_MEANS, CHART_BARS };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct chart *c = chart_add(&list, "Empty", "");

		c->kind = kinds[i];
		free(svg_of(c));
		chart_line_add(c, "nothing");
		free(svg_of(c));
		c->log_x = c->log_y = 1;
		free(svg_of(c));
	}
	chart_list_free(&list);
}

TEST(test_svg_lines_differ_in_dashes_and_marks_not_only_in_colour)
{
	struct chart_list list = { 0, NULL };
	struct chart *c = chart_add(&list, "Lines", "");
	char *svg;

	c->kind = CHART_STEPS;
	c->log_x = 1;
	for (int line = 0; line < 3; line++) {
		struct chart_line *l = chart_line_add(c, "name");

		for (int i = 1; i < 100; i++)
			chart_point_add(l, i * i, i * (line + 1));
	}
	svg = svg_of(c);
	/* The second and third line, each with its sample in the legend. */
	CHECK_INT(count_of(svg, "stroke-dasharray=\"7 3\""), 2);
	CHECK_INT(count_of(svg, "stroke-dasharray=\"2 2.5\""), 2);
	CHECK_INT(count_of(svg, "stroke-dasharray"), 4);
	CHECK(count_of(svg, "<circle") >= 3);
	free(svg);
	chart_list_free(&list);
}

/* A line of that style and its sample, without colours. */
static char *grey_line(uint32_t style)
{
	struct chart_list list = { 0, NULL };
	struct chart *c = chart_add(&list, "Line", "");
	struct chart_line *l = chart_line_add(c, "name");
	char *svg;

	l->style = style;
	for (int i = 0; i < 10; i++)
		chart_point_add(l, i, i);
	svg = svg_of(c);
	for (char *at = strstr(svg, "=\"#"); at; at = strstr(at + 1, "=\"#"))
		memset(at + 2, 'x', strcspn(at + 2, "\""));
	chart_list_free(&list);
	return svg;
}

TEST(test_lines_of_many_schemes_are_told_apart_in_black_and_white)
{
	enum { SCHEMES = 37 };
	char *svg[SCHEMES];

	for (uint32_t i = 0; i < SCHEMES; i++) {
		svg[i] = grey_line(i);
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(svg[i], svg[k]) == 0)
				test_fail(__FILE__, __LINE__, "%u and %u look the same", k, i);
	}
	for (uint32_t i = 0; i < SCHEMES; i++)
		free(svg[i]);
}

TEST(test_svg_bars_are_as_high_as_their_numbers)
{
	struct chart_list list = { 0, NULL };
	struct chart *c = chart_add(&list, "Bars", "");
	double heights[2];
	const char *at;
	char *svg;

	c->kind = CHART_BARS;
	chart_point_add(chart_line_add(c, "one"), 0, 10);
	chart_point_add(chart_line_add(c, "three"), 0, 30);
	svg = svg_of(c);
	at = svg;
	for (int i = 0; i < 2; i++) {
		at = strstr(at + 1, "fill=\"url(#hatch");
		CHECK(at != NULL);
		while (strncmp(at, "height=", 7) != 0)
			at--;
		heights[i] = strtod(at + 8, NULL);
		at = strstr(at, "fill=\"url(#hatch");
	}
	CHECK_NEAR(heights[1] / heights[0], 3, 0.01);
	CHECK_CONTAINS(svg, ">three</text>");
	free(svg);
	chart_list_free(&list);
}

TEST(test_wide_intervals_do_not_flatten_the_lines)
{
	struct chart_list list = { 0, NULL };
	struct chart_line *l = only_line(&list);
	struct chart_extent x;

	chart_point_add(l, 1, 10);
	l->points[0].low = -500;
	l->points[0].high = 520;
	CHECK(chart_extent(&list.all[0], &x));
	CHECK_NEAR(x.y_min, 0, 0);
	CHECK_NEAR(x.y_max, 20, 0);
	l->points[0].low = 8;
	l->points[0].high = 12;
	CHECK(chart_extent(&list.all[0], &x));
	CHECK_NEAR(x.y_min, 8, 0);
	CHECK_NEAR(x.y_max, 12, 0);
	chart_list_free(&list);
}
