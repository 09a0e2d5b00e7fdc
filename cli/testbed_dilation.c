/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed_dilation.c -- time dilation of a scenario by a factor, and of its results back.
 * Contract in testbed.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/testbed.h"
#include "base/text.h"
#include "lab/scenario/scenario.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --- */

/* Quantities with these units are scaled; all others stay. */
static int dilation_is_time(const char *unit)
{
	static const char *const names[] = { "ps", "ns", "us", "ms", "s" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], unit) == 0)
			return 1;
	return 0;
}

static int dilation_is_rate(const char *unit)
{
	size_t length = strlen(unit);

	return length >= 3 && strcmp(unit + length - 3, "bps") == 0;
}

/* Length of a number: "1.5", but "1" of "1..5". */
static size_t dilation_number_length(const char *text)
{
	size_t length = strspn(text, "0123456789");

	if (length && text[length] == '.' && isdigit((unsigned char)text[length + 1]))
		length += 1 + strspn(text + length + 1, "0123456789");
	return length;
}

static int dilation_is_part_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

char *dilation_text(const char *text, double factor)
{
	char *out = NULL, before = ' ';
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	while (*text) {
		size_t number = dilation_number_length(text), letters = 0;
		char unit[8] = "";

		while (number && isalpha((unsigned char)text[number + letters]))
			letters++;
		if (letters < sizeof(unit))
			memcpy(unit, text + number, letters);
		/* A number after two points is the end of a range. */
		if (number && (!dilation_is_part_of_word(before) || before == '.') &&
		    (dilation_is_time(unit) || dilation_is_rate(unit))) {
			double value = strtod(text, NULL);

			fprintf(f, "%.12g%s",
				dilation_is_time(unit) ? value * factor : value / factor, unit);
			text += number + letters;
			before = 'x';
			continue;
		}
		number = number ? number : 1;
		fwrite(text, 1, number, f);
		before = text[number - 1];
		text += number;
	}
	fclose(f);
	return out;
}

struct dilation {
	struct scenario *scenario;
	double factor;
	int failed;
	struct weir_error *e;
};

/* Is it derived, and no setting of a scenario file? */
static int dilation_is_derived(const char *path)
{
	return strncmp(path, "digest.", strlen("digest.")) == 0 || strcmp(path, CASE_PATH) == 0 ||
	       strcmp(path, "world") == 0 || strcmp(path, "slower") == 0;
}

static void dilation_set(void *context, const char *path, const char *text)
{
	struct dilation *s = context;
	char *value, *assignment = NULL;

	if (s->failed || dilation_is_derived(path))
		return;
	value = dilation_text(text, s->factor);
	text_print(&assignment, "%s=%s", path, value);
	s->failed = scenario_set(s->scenario, assignment, s->e);
	free(assignment);
	free(value);
}

/* An empty scenario with the sections of the config. */
static char *dilation_empty_sections(const struct config *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "# %s\n[network]\n[switch]\n[host]\n[rdma]\n[measure]\n", c->title);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		fprintf(f, "[traffic %s]\n", c->traffic[i].name);
	fclose(f);
	return text;
}

int dilation_apply(const struct config *c, double factor, struct config *slow, struct weir_error *e)
{
	char *text = dilation_empty_sections(c);
	struct scenario scenario;
	struct dilation s = { .scenario = &scenario, .factor = factor, .e = e };
	int failed = scenario_read_text(&scenario, c->file, text, strlen(text), e);

	free(text);
	if (failed)
		return -1;
	failed = scenario_settings(c, dilation_set, &s, e) || s.failed ||
		 scenario_config(&scenario, slow, e);
	scenario_free(&scenario);
	return failed ? weir_error_prefix(e, "slower by %g: ", factor) : 0;
}

/* --- results --- */

/* Factor of values with that unit. */
static double dilation_back_factor(const char *unit, double factor)
{
	return strcmp(unit, "ns") == 0 ? 1 / factor : strcmp(unit, "bps") == 0 ? factor : 1;
}

static int64_t dilation_back_time(int64_t time_ps, double factor)
{
	return time_ps > 0 && time_ps != WEIR_TIME_NEVER_PS ? (int64_t)((double)time_ps / factor)
							    : time_ps;
}

void dilation_undo(struct run_result *r, double factor)
{
	for (int i = 0; metric_all[i].name; i++)
		r->value[i] *= dilation_back_factor(metric_all[i].unit, factor);
	for (uint32_t i = 0; i < r->flow_count; i++) {
		r->flows[i].start_ps = dilation_back_time(r->flows[i].start_ps, factor);
		r->flows[i].stop_ps = dilation_back_time(r->flows[i].stop_ps, factor);
		r->flows[i].finish_ps = dilation_back_time(r->flows[i].finish_ps, factor);
		r->ideal_ps[i] = dilation_back_time(r->ideal_ps[i], factor);
	}
	for (uint32_t i = 0; i < r->series_count; i++)
		for (uint64_t k = 0; k < r->series[i].count; k++) {
			r->series[i].time_ps[k] =
				dilation_back_time(r->series[i].time_ps[k], factor);
			r->series[i].value[k] *= dilation_back_factor(r->series[i].unit, factor);
		}
	for (uint32_t i = 0; i < r->network.link_count; i++) {
		struct net_link *l = &r->network.links[i];

		l->rate_bps = (uint64_t)((double)l->rate_bps * factor);
		l->delay_ps = dilation_back_time(l->delay_ps, factor);
	}
}
