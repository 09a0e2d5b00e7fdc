/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_labels.c -- see panel_labels.h. */
#include "lab/report/panel_labels.h"
#include <string.h>

/* "FCT (ms)" asks for ms. */
static int asked_unit(const char *label, const char *unit, struct report_unit *found)
{
	const char *open = label ? strrchr(label, '(') : NULL;
	char name[16];
	size_t length;

	if (!open || open[strlen(open) - 1] != ')')
		return 0;
	length = strlen(open) - 2;
	if (length == 0 || length >= sizeof(name))
		return 0;
	memcpy(name, open + 1, length);
	name[length] = '\0';
	return report_unit_find(name, unit, found);
}

void panel_finish_y(struct chart *c, const struct panel *p, const char *what, const char *unit)
{
	struct report_unit asked;

	if (asked_unit(p->y_label, unit, &asked)) {
		chart_scale(c, 1, asked.factor);
		text_print(&c->y_label, "%s", p->y_label);
	} else {
		report_y_unit(c, p->y_label ? p->y_label : what, unit);
	}
}

void panel_finish_x(struct chart *c, const struct panel *p, const char *what, const char *unit)
{
	struct chart_extent extent = { 0, 0, 0, 0 };
	struct report_unit u;

	if (asked_unit(p->x_label, unit, &u)) {
		chart_scale(c, u.factor, 1);
		text_print(&c->x_label, "%s", p->x_label);
		return;
	}
	chart_extent(c, &extent);
	u = report_unit(extent.x_max, unit);
	chart_scale(c, u.factor, 1);
	text_print(&c->x_label, u.name[0] ? "%s (%s)" : "%s", p->x_label ? p->x_label : what,
		   u.name);
}

const char *panel_last_part(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* A label with a unit, "load (%)", is of scaled values, and the one value is as it was written. */
void panel_label_lines(struct chart *c, const struct panel *p, const char *only_x, const char *unit)
{
	const char *label = p->x_label ? p->x_label : panel_last_part(p->x);
	int has_unit = strchr(label, '(') != NULL;

	if (only_x && only_x[0])
		text_print(&c->x_label, "%s = %s", has_unit ? p->x : label, only_x);
	else if (!only_x && unit[0] && !has_unit)
		text_print(&c->x_label, "%s (%s)", label, unit);
	else
		text_print(&c->x_label, "%s", label);
}

struct report_text panel_metric_words(const char *metric, const char *unit)
{
	struct report_text t;
	size_t length, end = strlen(unit);

	snprintf(t.text, sizeof(t.text), "%s", metric);
	length = strlen(t.text);
	if (end && length > end + 1 && strcmp(t.text + length - end, unit) == 0 &&
	    t.text[length - end - 1] == '_')
		t.text[length - end - 1] = '\0';
	for (char *c = t.text; *c; c++)
		if (*c == '_')
			*c = ' ';
	if (strncmp(t.text, "fct", 3) == 0)
		memcpy(t.text, "FCT", 3);
	return t;
}
