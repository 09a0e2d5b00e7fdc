/* SPDX-License-Identifier: BSD-3-Clause */
/* pred_table.c -- see pred_table.h. */
#include "lib/mark/pred_table.h"
#include "lib/mark/ramp.h"

void weir_pred_table_init(struct pred_table *t, uint64_t max_bytes)
{
	pred_table_renew(t);
	t->shift = 0;
	while (max_bytes >> t->shift >= PRED_TABLE_CELLS)
		t->shift++;
}

/* p = rise (middle - min) / 1 MB at the middle of the cell, scaled by 2^16, to the nearest. rise <
 * 2^57 and lengths below 2^33: the product fits 90 bits. */
static uint16_t cell_p_q16(struct pred_line line, uint64_t middle_bytes)
{
	weir_u128 p_q32;

	if (middle_bytes <= line.min_bytes)
		return 0;
	p_q32 = (weir_u128)line.rise_q32 * (middle_bytes - line.min_bytes) / RAMP_BYTES_PER_MB;
	p_q32 = (p_q32 + (1u << 15)) >> 16;
	return p_q32 < UINT16_MAX ? (uint16_t)p_q32 : UINT16_MAX;
}

void weir_pred_table_write(struct pred_table *t, uint32_t row, struct pred_line line)
{
	uint64_t half_bytes = (UINT64_C(1) << t->shift) / 2;

	for (uint64_t i = 0; i < PRED_TABLE_CELLS; i++)
		t->p_q16[row][i] = cell_p_q16(line, (i << t->shift) + half_bytes);
	t->row_edition[row] = t->edition;
}
