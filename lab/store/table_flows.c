/* table_flows.c -- completion times of one run for people: of all flows and by size, and where several traffic
 * sections have some, section by section, so that nobody takes the flows of one for those of another. */
#include "lab/store/table_flows.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 22, COUNT_WIDTH = 8, CELL_WIDTH = 10 };

static int see_flow(void *set, const void *row)
{
	return flow_set_see(set, row);
}

int completions_read(struct flow_set *set, const struct config *c, const struct run_result *r,
		     struct weir_error *e)
{
	const struct finished_run run = { "", c, r };
	const struct row_visitor visitor = { see_flow, set };

	*set = (struct flow_set){ .measure = c->measure };
	return finished_each(&run, TABLE_FLOW, &visitor, e);
}

/* A line of the group: some flows, and what of them. */
struct completion_line {
	const char *label;
	enum flow_quantity quantity;
	enum flow_class class;
	const struct flow_filter *filter;
	const char *mark; /* behind its numbers */
};

static void print_line(FILE *f, const struct flow_set *set, const struct completion_line *l)
{
	double *sample = memory_grow(NULL, set->count + 1, sizeof(*sample));
	uint64_t count = flow_set_count(set, l->class, l->filter);

	fprintf(f, "  %-*s%*s", LABEL_WIDTH, l->label, COUNT_WIDTH,
		human_count((double)count).text);
	for (int i = 0; i < STATISTICS && count; i++) {
		struct flow_metric m = { l->quantity, l->class, (enum flow_statistic)i };
		char cell[HUMAN_SIZE + 4] = "-";

		if (flow_statistic_is_known(m.statistic, count)) {
			double x = flow_set_metric(set, &m, l->filter, sample);

			if (l->quantity == QUANTITY_FCT)
				snprintf(cell, sizeof(cell), "%s%s", human_time(x).text, l->mark);
			else
				snprintf(cell, sizeof(cell), "%.3f x%s", x, l->mark);
		}
		fprintf(f, "%*s", CELL_WIDTH, cell);
	}
	fputc('\n', f);
	free(sample);
}

static int is_of_section(const void *context, const struct counted_flow *f)
{
	return f->section == *(const uint32_t *)context;
}

static uint32_t count_sections(const struct flow_set *set)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < set->section_count; i++) {
		const struct flow_filter filter = { is_of_section, &i };

		count += flow_set_count(set, CLASS_ALL, &filter) > 0;
	}
	return count;
}

static void print_sections(FILE *f, const struct flow_set *set, const char *mark)
{
	fputs("Flow completion by traffic section\n", f);
	for (uint32_t i = 0; i < set->section_count; i++) {
		const struct flow_filter filter = { is_of_section, &i };
		char label[64];

		if (!flow_set_count(set, CLASS_ALL, &filter))
			continue;
		print_line(f, set,
			   &(struct completion_line){ set->sections[i], QUANTITY_FCT, CLASS_ALL,
						      &filter, mark });
		snprintf(label, sizeof(label), "%.40s, slowdown", set->sections[i]);
		print_line(f, set,
			   &(struct completion_line){ label, QUANTITY_SLOWDOWN, CLASS_ALL, &filter,
						      mark });
	}
}

void completions_print(FILE *f, const struct flow_set *set, const char *mark)
{
	static const struct completion_line lines[] = {
		{ "all flows", QUANTITY_FCT, CLASS_ALL, NULL, "" },
		{ "small flows", QUANTITY_FCT, CLASS_SMALL, NULL, "" },
		{ "medium flows", QUANTITY_FCT, CLASS_MEDIUM, NULL, "" },
		{ "large flows", QUANTITY_FCT, CLASS_LARGE, NULL, "" },
		{ "slowdown", QUANTITY_SLOWDOWN, CLASS_ALL, NULL, "" },
	};
	uint32_t sections = count_sections(set);

	fprintf(f, "Flow completion (small: up to %s, large: above %s%s)\n",
		human_bytes((double)set->measure.small_bytes).text,
		human_bytes((double)set->measure.large_bytes).text,
		sections > 1 ? "; all sections together" : "");
	fprintf(f, "%*s%*s%*s%*s%*s%*s\n", LABEL_WIDTH + 2 + COUNT_WIDTH, "flows", CELL_WIDTH,
		"mean", CELL_WIDTH, "p50", CELL_WIDTH, "p95", CELL_WIDTH, "p99", CELL_WIDTH,
		"p99.9");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct completion_line l = lines[i];

		l.mark = mark;
		print_line(f, set, &l);
	}
	if (sections > 1)
		print_sections(f, set, mark);
}
