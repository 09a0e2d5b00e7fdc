/* SPDX-License-Identifier: BSD-3-Clause */
/* table_narrow.h -- a run's table where a screen is too narrow for its columns: a value stands
 * beside its label, several below it, each behind the name of its column. Private to this room.
 *
 *	  goodput                    9.64 Gb/s
 *	  packets
 *	    mean 67.48  p50 67  p99 85  max 87 */
#ifndef LAB_STORE_TABLE_NARROW_H
#define LAB_STORE_TABLE_NARROW_H
#include <stdio.h>

/* Width of a full table; narrower terminals use this layout. */
enum { TABLE_WIDTH = 80 };

/* A row that is being written. */
struct narrow {
	FILE *f;
	int width;
	const char *label;
	int cells, at; /* number of cells; used columns of the current line */
	char first[96], first_title[32];
};

void narrow_label(struct narrow *n, const char *label);
void narrow_cell(struct narrow *n, const char *title, const char *text); /* title may be NULL */
void narrow_end(struct narrow *n);

/* Wraps longer lines, with the indent of the line. */
void narrow_fold(FILE *f, const char *text, int width);
#endif
