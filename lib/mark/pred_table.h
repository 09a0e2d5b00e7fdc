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
 * A switch writes the whole table whenever a knob is turned. Here a row is written when it is first
 * looked at after that, which nobody can tell from outside. */
#ifndef MARK_PRED_TABLE_H
#define MARK_PRED_TABLE_H
#include <stdint.h>

enum { PRED_TABLE_CELLS = 128, PRED_TABLE_FLOWS = 64 };

struct pred_table {
	uint32_t shift;
	uint32_t edition;                       /* counts knobs turned, from 1 on */
	uint32_t row_edition[PRED_TABLE_FLOWS]; /* when the row was written */
	uint16_t p_q16[PRED_TABLE_FLOWS][PRED_TABLE_CELLS];
};

/* The line that a row is written from. */
struct pred_line {
	uint64_t min_bytes;
	uint64_t rise_q32; /* per MB, of that row's flows; below 2^57 */
};

/* The table is zeroed before, or was in use with another max. max_bytes < 2^32. */
void weir_pred_table_init(struct pred_table *t, uint64_t max_bytes);

/* All rows are out of date. */
static inline void pred_table_renew(struct pred_table *t)
{
	t->edition++;
}

/* The row of so many flows, at least one. */
static inline uint32_t pred_table_row(uint32_t flows)
{
	return (flows < PRED_TABLE_FLOWS ? flows : PRED_TABLE_FLOWS) - 1;
}

static inline int pred_table_has(const struct pred_table *t, uint32_t row)
{
	return t->row_edition[row] == t->edition;
}

void weir_pred_table_write(struct pred_table *t, uint32_t row, struct pred_line line);

/* queue_bytes < max_bytes; the row is up to date. */
static inline uint32_t pred_table_p_q16(const struct pred_table *t, uint32_t row,
					uint64_t queue_bytes)
{
	return t->p_q16[row][queue_bytes >> t->shift];
}
#endif
