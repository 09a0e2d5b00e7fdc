/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c -- frames: columns in memory that grow row by row.
 *
 * Arrays double when they are full, so a row costs O(columns) amortised. A text is stored once per
 * column and found again by a hash table with linear probing. */
#include "lab/api/frame.h"
#include "base/memory.h"
#include "base/text.h"
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A column while it grows; the arrays of struct weir_column are these. */
struct growing_column {
	char *name, *unit;
	int64_t *integers;
	double *reals;
	int32_t *codes;
	char **texts;
	int32_t *slots;      /* hash table: index into texts, or -1 */
	uint32_t slot_count; /* a power of two, at least twice the number of texts; 0: no table */
};

struct growing_frame {
	struct weir_frame frame; /* first: callers hold its address */
	struct weir_column *columns;
	struct growing_column *growing;
	uint64_t room; /* allocated rows */
};

enum { FRAME_ROWS_MIN = 64, SLOTS_MIN = 16 };

static struct growing_frame *frame_of(struct weir_frame *frame)
{
	return (struct growing_frame *)frame;
}

struct weir_frame *frame_new(void)
{
	struct growing_frame *g = memory_zeroed(1, sizeof(*g));

	return &g->frame;
}

void weir_frame_free(struct weir_frame *frame)
{
	struct growing_frame *g = frame_of(frame);

	if (!frame)
		return;
	for (uint32_t i = 0; i < frame->column_count; i++) {
		struct growing_column *c = &g->growing[i];

		for (uint32_t k = 0; k < g->columns[i].text_count; k++)
			free(c->texts[k]);
		free(c->texts);
		free(c->slots);
		free(c->integers);
		free(c->reals);
		free(c->codes);
		free(c->name);
		free(c->unit);
	}
	free(g->growing);
	free(g->columns);
	free(g);
}

uint32_t frame_add_column(struct weir_frame *frame, const char *name, const char *unit,
			  enum weir_column_type type)
{
	struct growing_frame *g = frame_of(frame);
	uint32_t at = frame->column_count++;

	assert(frame->row_count == 0);
	g->columns = memory_grow(g->columns, frame->column_count, sizeof(*g->columns));
	g->growing = memory_grow(g->growing, frame->column_count, sizeof(*g->growing));
	memset(&g->growing[at], 0, sizeof(g->growing[at]));
	g->growing[at].name = text_copy(name);
	g->growing[at].unit = text_copy(unit);
	g->columns[at] = (struct weir_column){ .name = g->growing[at].name,
					       .unit = g->growing[at].unit,
					       .type = type };
	frame->columns = g->columns;
	return at;
}

/* --- rows --- */

static void frame_grow(struct growing_frame *g)
{
	g->room = g->room ? 2 * g->room : FRAME_ROWS_MIN;
	for (uint32_t i = 0; i < g->frame.column_count; i++) {
		struct growing_column *c = &g->growing[i];

		switch (g->columns[i].type) {
		case WEIR_COLUMN_INTEGER:
			c->integers = memory_grow(c->integers, g->room, sizeof(*c->integers));
			g->columns[i].integers = c->integers;
			break;
		case WEIR_COLUMN_REAL:
			c->reals = memory_grow(c->reals, g->room, sizeof(*c->reals));
			g->columns[i].reals = c->reals;
			break;
		case WEIR_COLUMN_TEXT:
			c->codes = memory_grow(c->codes, g->room, sizeof(*c->codes));
			g->columns[i].codes = c->codes;
			break;
		}
	}
}

void frame_add_row(struct weir_frame *frame)
{
	struct growing_frame *g = frame_of(frame);
	uint64_t row = frame->row_count;

	if (row == g->room)
		frame_grow(g);
	for (uint32_t i = 0; i < frame->column_count; i++) {
		struct growing_column *c = &g->growing[i];

		if (c->integers)
			c->integers[row] = 0;
		else if (c->reals)
			c->reals[row] = (double)NAN;
		else
			c->codes[row] = -1;
	}
	frame->row_count++;
}

void frame_set_integer(struct weir_frame *frame, uint32_t column, int64_t value)
{
	frame_of(frame)->growing[column].integers[frame->row_count - 1] = value;
}

void frame_set_real(struct weir_frame *frame, uint32_t column, double value)
{
	frame_of(frame)->growing[column].reals[frame->row_count - 1] = value;
}

/* --- texts --- */

/* FNV-1a, 32 bits. */
static uint32_t text_hash(const char *text)
{
	uint32_t hash = UINT32_C(2166136261);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
	return hash;
}

/* The slot of the text, or the empty slot where it belongs. */
static uint32_t column_find_slot(const struct growing_column *c, const char *text)
{
	uint32_t at = text_hash(text) & (c->slot_count - 1);

	while (c->slots[at] >= 0 && strcmp(c->texts[c->slots[at]], text) != 0)
		at = (at + 1) & (c->slot_count - 1);
	return at;
}

static void column_grow_slots(struct growing_column *c, uint32_t text_count)
{
	c->slot_count = c->slot_count ? 2 * c->slot_count : SLOTS_MIN;
	c->slots = memory_grow(c->slots, c->slot_count, sizeof(*c->slots));
	memset(c->slots, 0xff, c->slot_count * sizeof(*c->slots)); /* -1 everywhere */
	for (uint32_t i = 0; i < text_count; i++)
		c->slots[column_find_slot(c, c->texts[i])] = (int32_t)i;
}

static int32_t frame_text_code(struct growing_frame *g, uint32_t column, const char *text)
{
	struct growing_column *c = &g->growing[column];
	uint32_t count = g->columns[column].text_count, at;

	if (2 * (count + 1) > c->slot_count)
		column_grow_slots(c, count);
	at = column_find_slot(c, text);
	if (c->slots[at] < 0) {
		c->texts = memory_grow(c->texts, count + UINT64_C(1), sizeof(*c->texts));
		c->texts[count] = text_copy(text);
		g->columns[column].texts = (const char *const *)c->texts;
		g->columns[column].text_count = count + 1;
		c->slots[at] = (int32_t)count;
	}
	return c->slots[at];
}

void frame_set_text(struct weir_frame *frame, uint32_t column, const char *text)
{
	struct growing_frame *g = frame_of(frame);

	if (text)
		g->growing[column].codes[frame->row_count - 1] = frame_text_code(g, column, text);
}
