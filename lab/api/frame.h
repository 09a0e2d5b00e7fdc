/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h -- builds the frames of weir/lab.h: columns first, then row by row. Running out of memory
 * ends the program. */
#ifndef LAB_API_FRAME_H
#define LAB_API_FRAME_H
#include "weir/lab.h"

/* Owned by the caller until weir_frame_free. name and unit are copied. */
struct weir_frame *frame_new(void);

/* Returns the column's number. All columns are added before the first row. */
uint32_t frame_add_column(struct weir_frame *frame, const char *name, const char *unit,
			  enum weir_column_type type);

/* Adds a row, in which everything is unknown, or 0 in columns of integers. */
void frame_add_row(struct weir_frame *frame);

/* Sets a value of the last row; the column must be of that type. Texts are copied, once for each
 * distinct value. text NULL: unknown. */
void frame_set_integer(struct weir_frame *frame, uint32_t column, int64_t value);
void frame_set_real(struct weir_frame *frame, uint32_t column, double value);
void frame_set_text(struct weir_frame *frame, uint32_t column, const char *text);
#endif
