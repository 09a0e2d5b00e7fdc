/* SPDX-License-Identifier: BSD-3-Clause */
/* pred_table.h -- PRED's marking probability from a table over (queue, flows), as a switch without
 * multiplication has it.
 *
 * Du et al., "PRED", NSDI 2025, appendix C.1: a switch looks the probability up by queue length and
 * number of flows. Here the queue is cut into at most 128 cells of 2^shift bytes up to max (4096 B
 * for 500 KB), and a cell holds the probability of its middle, in 16 bits. Below max it is off by
 * at most lambda f(N) * half a cell + 2^-16: the queue is up to half a cell from the middle, and 16
 * bits round by half a step, or by a whole one just below probability 1, which they cannot write.
 * Flows are exact up to 64, twice what the paper finds PRED can hold (appendix D.6); more count
 * as 64.
 *
 * A switch rewrites the whole table whenever a knob changes. Here a row is rewritten on its first
 * use after that, with the same result. */
#ifndef MARK_PRED_TABLE_H
#define MARK_PRED_TABLE_H
#include "lib/mark/red_common.h"
#include <stdint.h>

enum { PRED_TABLE_CELLS = 128, PRED_TABLE_FLOWS = 64 };

struct pred_table {
	uint32_t shift;
	uint32_t edition;                       /* counts changes of knobs, from 1 on */
	uint32_t row_edition[PRED_TABLE_FLOWS]; /* when the row was written */
	uint16_t p_q16[PRED_TABLE_FLOWS][PRED_TABLE_CELLS];
};

/* The line that a row is written from. */
struct pred_line {
	uint64_t min_bytes;
	uint64_t rise_q32; /* per MB, of that row's flows; below 2^57 */
};

/* Invalidates all rows. */
static inline void pred_table_renew(struct pred_table *t)
{
	t->edition++;
}

/* The table is zeroed, or was used with another max. max_bytes < 2^32. */
static inline void pred_table_init(struct pred_table *t, uint64_t max_bytes)
{
	pred_table_renew(t);
	t->shift = 0;
	while (max_bytes >> t->shift >= PRED_TABLE_CELLS)
		t->shift++;
}

/* The row for a number of flows, at least one. */
static inline uint32_t pred_table_row(uint32_t flows)
{
	return (flows < PRED_TABLE_FLOWS ? flows : PRED_TABLE_FLOWS) - 1;
}

static inline int pred_table_has(const struct pred_table *t, uint32_t row)
{
	return t->row_edition[row] == t->edition;
}

/* p = rise (middle - min) / 1 MB at the middle of the cell, scaled by 2^16, to the nearest. rise <
 * 2^57 and lengths below 2^33: the product fits 90 bits. */
static inline uint16_t pred_table_cell_q16(struct pred_line line, uint64_t middle_bytes)
{
	weir_u128 p_q32;

	if (middle_bytes <= line.min_bytes)
		return 0;
	p_q32 = (weir_u128)line.rise_q32 * (middle_bytes - line.min_bytes) / RAMP_BYTES_PER_MB;
	p_q32 = (p_q32 + (1u << 15)) >> 16;
	return p_q32 < UINT16_MAX ? (uint16_t)p_q32 : UINT16_MAX;
}

static inline void pred_table_write(struct pred_table *t, uint32_t row, struct pred_line line)
{
	uint64_t half_bytes = (UINT64_C(1) << t->shift) / 2;

	for (uint64_t i = 0; i < PRED_TABLE_CELLS; i++)
		t->p_q16[row][i] = pred_table_cell_q16(line, (i << t->shift) + half_bytes);
	t->row_edition[row] = t->edition;
}

/* queue_bytes < max_bytes; the row is valid. */
static inline uint32_t pred_table_p_q16(const struct pred_table *t, uint32_t row,
					uint64_t queue_bytes)
{
	return t->p_q16[row][queue_bytes >> t->shift];
}
#endif
