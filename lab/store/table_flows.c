/* SPDX-License-Identifier: BSD-3-Clause */
/* table_flows.c -- the group of completion times: all flows, by size and, if several traffic
 * sections have completed flows, by section. */
#include "lab/store/table_parts.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 20, COUNT_WIDTH = 8, CELL_WIDTH = 10 };

static int completions_on_flow(void *set, const void *row)
{
	return flow_set_add(set, row);
}

int completions_read(struct flow_set *set, const struct config *c, const struct run_result *r,
		     struct weir_error *e)
{
	const struct finished_run run = { "", c, r };
	const struct row_visitor visitor = { completions_on_flow, set };

	*set = (struct flow_set){ .measure = c->measure };
	return finished_each(&run, TABLE_FLOW, &visitor, e);
}

/* A line of the group: a set of flows and a quantity. */
struct completion_line {
	const char *label;
	enum flow_quantity quantity;
	enum flow_class class;
	const struct flow_filter *filter;
};

static const char *const statistic_titles[STATISTICS] = { "mean", "p50", "p95", "p99", "p99.9" };

/* Output of the lines. */
struct completion_page {
	FILE *f;
	const struct flow_set *set;
	const char *mark; /* suffix of all numbers */
	int width;
};

static void completions_print_line(const struct completion_page *p, const struct completion_line *l)
{
	double *sample = memory_grow(NULL, p->set->count + 1, sizeof(*sample));
	uint64_t count = flow_set_count(p->set, l->class, l->filter);
	struct narrow n = { .f = p->f, .width = p->width };
	int is_narrow = p->width < TABLE_WIDTH;

	if (is_narrow) {
		narrow_label(&n, l->label);
		narrow_cell(&n, "flows", format_count((double)count).text);
	} else {
		fprintf(p->f, "  %-*s%*s", LABEL_WIDTH, l->label, COUNT_WIDTH,
			format_count((double)count).text);
	}
	for (int i = 0; i < STATISTICS && count; i++) {
		struct flow_metric m = { l->quantity, l->class, (enum flow_statistic)i };
		char cell[FORMAT_TEXT_SIZE + 4] = "-";

		if (flow_statistic_is_known(m.statistic, count)) {
			double x = flow_set_metric(p->set, &m, l->filter, sample);

			if (l->quantity == QUANTITY_FCT)
				snprintf(cell, sizeof(cell), "%s%s", format_time(x).text, p->mark);
			else
				snprintf(cell, sizeof(cell), "%.*f x%s", x < 100 ? 3 : 1, x,
					 p->mark);
		}
		if (!is_narrow)
			fprintf(p->f, "%*s", CELL_WIDTH, cell);
		else if (strcmp(cell, "-") != 0)
			narrow_cell(&n, statistic_titles[i], cell);
	}
	if (is_narrow)
		narrow_end(&n);
	else
		fputc('\n', p->f);
	free(sample);
}

static int is_of_section(const void *context, const struct counted_flow *f)
{
	return f->section == *(const uint32_t *)context;
}

static uint32_t completions_count_sections(const struct flow_set *set)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < set->section_count; i++) {
		const struct flow_filter filter = { is_of_section, &i };

		count += flow_set_count(set, CLASS_ALL, &filter) > 0;
	}
	return count;
}

static void completions_print_sections(const struct completion_page *p)
{
	const struct flow_set *set = p->set;

	fputs("Flow completion by traffic section\n", p->f);
	for (uint32_t i = 0; i < set->section_count; i++) {
		const struct flow_filter filter = { is_of_section, &i };
		char label[64];

		if (!flow_set_count(set, CLASS_ALL, &filter))
			continue;
		completions_print_line(p, &(struct completion_line){ set->sections[i], QUANTITY_FCT,
								     CLASS_ALL, &filter });
		snprintf(label, sizeof(label), "%.40s, slowdown", set->sections[i]);
		completions_print_line(p, &(struct completion_line){ label, QUANTITY_SLOWDOWN,
								     CLASS_ALL, &filter });
	}
}

static void completions_print_titles(FILE *f)
{
	fprintf(f, "%*s", LABEL_WIDTH + 2 + COUNT_WIDTH, "flows");
	for (int i = 0; i < STATISTICS; i++)
		fprintf(f, "%*s", CELL_WIDTH, statistic_titles[i]);
	fputc('\n', f);
}

void completions_print(FILE *f, const struct flow_set *set, const char *mark, int width)
{
	const struct completion_page page = { f, set, mark, width };

	static const struct completion_line lines[] = {
		{ "all flows", QUANTITY_FCT, CLASS_ALL, NULL },
		{ "small flows", QUANTITY_FCT, CLASS_SMALL, NULL },
		{ "medium flows", QUANTITY_FCT, CLASS_MEDIUM, NULL },
		{ "large flows", QUANTITY_FCT, CLASS_LARGE, NULL },
		{ "slowdown", QUANTITY_SLOWDOWN, CLASS_ALL, NULL },
	};
	uint32_t sections = completions_count_sections(set);

	fprintf(f, "Flow completion (small: up to %s, large: above %s%s)\n",
		format_bytes((double)set->measure.small_bytes).text,
		format_bytes((double)set->measure.large_bytes).text,
		sections > 1 ? "; all sections together" : "");
	if (width >= TABLE_WIDTH)
		completions_print_titles(f);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		completions_print_line(&page, &lines[i]);
	if (sections > 1)
		completions_print_sections(&page);
}
