/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.c -- metrics by their names: those of runs, and those that are made from flows. */
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include <string.h>

int metric_index(const char *name)
{
	for (int i = 0; metric_all[i].name; i++)
		if (strcmp(metric_all[i].name, name) == 0)
			return i;
	return -1;
}

const char *metric_stored_name(const struct metric *m)
{
	return m->stored ? m->stored : m->name;
}

int metric_stored_index(const char *name)
{
	for (int i = 0; metric_all[i].name; i++)
		if (strcmp(metric_stored_name(&metric_all[i]), name) == 0)
			return i;
	return -1;
}

const struct metric *metric_find(const char *name)
{
	int i = metric_index(name);

	return i >= 0 ? &metric_all[i] : flow_metric_info(name);
}

/* Removes the unit at the end, which is shown separately. */
static void title_drop_unit(char *text)
{
	static const char *const units[] = { "_ns", "_bps", "_pkts", "_bytes" };
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t end = strlen(units[i]);

		if (length > end && strcmp(text + length - end, units[i]) == 0)
			text[length - end] = '\0';
	}
}

struct metric_title metric_title(const char *name)
{
	struct metric_title t = { { "", "" } };
	char text[METRIC_TITLE_SIZE], *last;

	snprintf(text, sizeof(text), "%s", name);
	title_drop_unit(text);
	for (char *at = text; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	last = strstr(text, "over 1mb");
	if (last) {
		memcpy(last, ">1MB", 4);
		memmove(last + 4, last + 8, strlen(last + 8) + 1);
	}
	if (strncmp(text, "fct", 3) == 0)
		memcpy(text, "FCT", 3);
	last = strrchr(text, ' ');
	if (last)
		*last++ = '\0';
	snprintf(t.part[0], sizeof(t.part[0]), "%s", last ? text : "");
	snprintf(t.part[1], sizeof(t.part[1]), "%s",
		 !last                       ? text
		 : strcmp(last, "p999") == 0 ? "p99.9"
					     : last);
	return t;
}
