/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_axes.c -- which panels of a figure have equal axes: those that are to be compared. Unless
 * the file says otherwise these are panels that show the same of other runs: of one kind, by one
 * metric, over one setting, relative to one scheme. */
#include "lab/analysis/claims.h"
#include "lab/report/panel_drawing.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static int same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static int same_y(const struct panel *a, const struct panel *b)
{
	if (a->y_count != b->y_count)
		return 0;
	for (uint32_t i = 0; i < a->y_count; i++)
		if (strcmp(a->y[i], b->y[i]) != 0)
			return 0;
	return 1;
}

int panels_share_axes(const struct panel *a, const struct panel *b)
{
	if (a->kind != b->kind)
		return 0;
	if (a->axes || b->axes)
		return same_text(a->axes, b->axes) && strcmp(a->axes, PANEL_AXES_OWN) != 0;
	return same_y(a, b) && same_text(a->x, b->x) && same_text(a->normalize, b->normalize) &&
	       !(a->x_scale < b->x_scale || a->x_scale > b->x_scale);
}

/* What a chart shares with those of other panels. Charts that are shown one at a time, in one
 * place, do so with the one that is shown for the same settings. Returns whether there is any. */
static int find_frame(const struct chart_list *list, const struct figure *f, const struct chart *c,
		      struct chart_extent *frame)
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

void panels_share(struct chart_list *list, const struct figure *f)
{
	struct chart_extent *frames = memory_grow(NULL, list->count + UINT64_C(1), sizeof(*frames));
	int *found = memory_zeroed(list->count, sizeof(*found));

	for (uint32_t i = 0; i < list->count; i++)
		found[i] = find_frame(list, f, &list->all[i], &frames[i]);
	for (uint32_t i = 0; i < list->count; i++)
		if (found[i]) {
			list->all[i].is_framed = 1;
			list->all[i].frame = frames[i];
		}
	free(frames);
	free(found);
}
