/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_csv.c -- a comparison as CSV for other programs: everything in the printed table, with
 * all digits and in the base units of the metrics. */
#include "base/text.h"
#include "lab/analysis/compare.h"

static void write_head(FILE *f, const struct comparison *c)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		csv_write_text(f, c->axes[a].path);
		fputc(',', f);
	}
	fputs("runs", f);
	if (c->flows)
		fputs(",flows,flows_unfinished", f);
	for (uint32_t k = 0; k < c->column_count; k++)
		fprintf(f, ",%s,%s_low,%s_high,%s_runs", c->columns[k].name, c->columns[k].name,
			c->columns[k].name, c->columns[k].name);
	fputc('\n', f);
}

/* Sums the flows over all runs of the row. */
static void write_flows(FILE *f, const struct comparison *c, const struct compare_row *row)
{
	double counted = 0, unfinished = 0;

	for (uint32_t i = 0; i < row->run_count; i++) {
		size_t at = (size_t)row->runs[i] * c->part_count + row->part;

		counted += (double)c->flows[at].counted[CLASS_ALL];
		unfinished += (double)c->flows[at].unfinished;
	}
	csv_write_number(f, counted);
	csv_write_number(f, unfinished);
}

void comparison_csv(FILE *f, const struct comparison *c)
{
	write_head(f, c);
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		for (uint32_t a = 0; a < c->axis_count; a++) {
			csv_write_text(f, c->axes[a].values[row->value[a]]);
			fputc(',', f);
		}
		fprintf(f, "%u", row->run_count);
		if (c->flows)
			write_flows(f, c, row);
		for (uint32_t k = 0; k < c->column_count; k++) {
			csv_write_number(f, row->cells[k].mean);
			csv_write_number(f, row->cells[k].low);
			csv_write_number(f, row->cells[k].high);
			csv_write_number(f, row->cells[k].count);
		}
		fputc('\n', f);
	}
}
