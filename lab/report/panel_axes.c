/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_axes.c -- the axes of panels: units, labels, and which panels have equal axes so that they
 * can be compared. */
#include "lab/report/panel.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- equal axes --- */

static int panel_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static int panel_same_y(const struct panel *a, const struct panel *b)
{
	if (a->y_count != b->y_count)
		return 0;
	for (uint32_t i = 0; i < a->y_count; i++)
		if (strcmp(a->y[i], b->y[i]) != 0)
			return 0;
	return 1;
}

/* Unless the file says otherwise, panels share axes if they show the same for other runs: they have
 * the same kind, metric, x axis and reference. */
int panels_share_axes(const struct panel *a, const struct panel *b)
{
	if (a->kind != b->kind)
		return 0;
	if (a->axes || b->axes)
		return panel_same_text(a->axes, b->axes) && strcmp(a->axes, PANEL_AXES_OWN) != 0;
	return panel_same_y(a, b) && panel_same_text(a->x, b->x) &&
	       panel_same_text(a->normalize, b->normalize) &&
	       !(a->x_scale < b->x_scale || a->x_scale > b->x_scale);
}

/* The frame that a chart shares with those of other panels with the same variant. 0: there is no
 * other. */
static int panel_find_frame(const struct chart_list *list, const struct figure *f,
			    const struct chart *c, struct chart_extent *frame)
{
	struct chart_extent one;
	int found = 0;

	if (!chart_extent(c, frame))
		return 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct chart *o = &list->all[i];

		if (o->part == c->part || strcmp(o->variant, c->variant) != 0 ||
		    !panels_share_axes(&f->panels[c->part], &f->panels[o->part]) ||
		    !chart_extent(o, &one))
			continue;
		chart_extent_join(frame, &one);
		found = 1;
	}
	return found;
}

void panels_share_frames(struct chart_list *list, const struct figure *f)
{
	struct chart_extent *frames = memory_grow(NULL, list->count + UINT64_C(1), sizeof(*frames));
	int *found = memory_zeroed(list->count, sizeof(*found));

	for (uint32_t i = 0; i < list->count; i++)
		found[i] = panel_find_frame(list, f, &list->all[i], &frames[i]);
	for (uint32_t i = 0; i < list->count; i++)
		if (found[i]) {
			list->all[i].is_framed = 1;
			list->all[i].frame = frames[i];
		}
	free(frames);
	free(found);
}

/* --- units and labels --- */

/* The unit that a label requires: ms for "FCT (ms)". 0: none. */
static int panel_label_unit(const char *label, const char *unit, struct report_unit *found)
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
	struct report_unit unit_of_label;

	if (panel_label_unit(p->y_label, unit, &unit_of_label)) {
		chart_scale(c, 1, unit_of_label.factor);
		text_print(&c->y_label, "%s", p->y_label);
	} else {
		report_y_unit(c, p->y_label ? p->y_label : what, unit);
	}
}

void panel_finish_x(struct chart *c, const struct panel *p, const char *what, const char *unit)
{
	struct chart_extent extent = { 0, 0, 0, 0 };
	struct report_unit u;

	if (panel_label_unit(p->x_label, unit, &u)) {
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

/* A label with a unit, "load (%)", belongs to scaled values, but only_x is as in the file. */
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
