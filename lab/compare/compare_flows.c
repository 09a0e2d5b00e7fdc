/* compare_flows.c -- metrics that are made from a run's flows when a table asks for them.
 *
 * The flows that count are those of the run's own metrics: started in the measured interval, and
 * completed. What small and large mean is a setting of the run. */
#include "lab/compare/compare.h"
#include "sim/base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64, MEGABYTE = 1000 * 1000 };

enum flow_quantity { QUANTITY_FCT, QUANTITY_SLOWDOWN, QUANTITIES };
enum flow_class { CLASS_ALL, CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE, CLASS_OVER_1MB, CLASSES };
enum flow_statistic { STATISTIC_MEAN, STATISTIC_P50, STATISTIC_P99, STATISTIC_P999, STATISTICS };

struct flow_metric {
	enum flow_quantity quantity;
	enum flow_class class;
	enum flow_statistic statistic;
};

static struct flow_metric metric_of(uint32_t i)
{
	return (struct flow_metric){ i / (CLASSES * STATISTICS), i / STATISTICS % CLASSES,
				     i % STATISTICS };
}

int flow_metric_name(uint32_t i, char *name)
{
	static const char *const quantities[] = { "fct", "slowdown" };
	static const char *const classes[] = { "", "_small", "_medium", "_large", "_over_1mb" };
	static const char *const statistics[] = { "mean", "p50", "p99", "p999" };
	struct flow_metric m = metric_of(i);

	if (i >= (uint32_t)QUANTITIES * CLASSES * STATISTICS)
		return 0;
	snprintf(name, NAME_SIZE, "%s%s_%s%s", quantities[m.quantity], classes[m.class],
		 statistics[m.statistic], m.quantity == QUANTITY_FCT ? "_ns" : "");
	return 1;
}

static int find(const char *wanted, struct flow_metric *m)
{
	char name[NAME_SIZE];

	for (uint32_t i = 0; flow_metric_name(i, name); i++)
		if (strcmp(name, wanted) == 0) {
			*m = metric_of(i);
			return 1;
		}
	return 0;
}

int flow_metric_known(const char *name, const char **unit)
{
	struct flow_metric m;

	if (!find(name, &m))
		return 0;
	*unit = m.quantity == QUANTITY_FCT ? "ns" : "";
	return 1;
}

/* --- the flows of a run --- */

struct counted_flow {
	uint64_t size_bytes;
	double fct_ns, slowdown;
};

struct collection {
	struct measure_config measure;
	uint32_t count, room;
	struct counted_flow *flows;
};

static int collect(void *context, const struct stored_flow *f)
{
	struct collection *c = context;
	int64_t fct_ps = f->finish_ps - f->start_ps;

	if (f->finish_ps < 0 || f->ideal_ps < 0 || f->start_ps < (int64_t)c->measure.from_ps ||
	    (c->measure.to_ps && f->start_ps >= (int64_t)c->measure.to_ps))
		return 0;
	if (c->count == c->room) {
		c->room = c->room ? 2 * c->room : 1024;
		c->flows = memory_grow(c->flows, c->room, sizeof(*c->flows));
	}
	c->flows[c->count++] =
		(struct counted_flow){ f->size_bytes, (double)fct_ps / WEIR_PS_PER_NS,
				       (double)fct_ps / (double)f->ideal_ps };
	return 0;
}

/* The settings of [measure], from their texts. */
static void read_measure(struct measure_config *m, const struct stored_run *run)
{
	struct weir_error ignored;
	char path[128];

	weir_options_default(m, measure_options);
	for (const struct weir_option *o = measure_options; o->name; o++) {
		const char *text;

		snprintf(path, sizeof(path), "measure.%s", o->name);
		text = stored_setting(run, path);
		if (text)
			weir_option_parse(m, o, text, &ignored);
	}
}

static int is_in_class(const struct collection *c, uint64_t size, enum flow_class class)
{
	switch (class) {
	case CLASS_SMALL:
		return size <= c->measure.small_bytes;
	case CLASS_MEDIUM:
		return size > c->measure.small_bytes && size <= c->measure.large_bytes;
	case CLASS_LARGE:
		return size > c->measure.large_bytes;
	case CLASS_OVER_1MB:
		return size > MEGABYTE;
	default:
		return 1;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The mean, or the quantile by nearest rank. Sorts. */
static double statistic(double *sample, uint32_t count, enum flow_statistic which)
{
	static const double quantiles[] = { 0, 0.5, 0.99, 0.999 };
	double sum = 0, rank;

	if (count == 0)
		return (double)NAN;
	if (which == STATISTIC_MEAN) {
		for (uint32_t i = 0; i < count; i++)
			sum += sample[i];
		return sum / count;
	}
	qsort(sample, count, sizeof(*sample), compare_doubles);
	rank = ceil(quantiles[which] * count);
	return sample[rank > 1 ? (uint32_t)rank - 1 : 0];
}

static double compute(const struct collection *c, const struct flow_metric *m, double *sample)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->count; i++)
		if (is_in_class(c, c->flows[i].size_bytes, m->class))
			sample[count++] = m->quantity == QUANTITY_FCT ? c->flows[i].fct_ns
								      : c->flows[i].slowdown;
	return statistic(sample, count, m->statistic);
}

int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e)
{
	struct collection all = { .count = 0 };
	struct flow_metric m;
	double *sample;
	int failed, needed = 0;

	for (uint32_t i = 0; i < c->column_count; i++)
		needed += c->columns[i].metric < 0;
	if (!needed)
		return 0;
	read_measure(&all.measure, run);
	failed = store_each_flow(s, run->id, collect, &all, e);
	sample = memory_grow(NULL, all.count, sizeof(*sample));
	for (uint32_t i = 0; i < c->column_count && !failed; i++)
		if (c->columns[i].metric < 0 && find(c->columns[i].name, &m))
			numbers[i] = compute(&all, &m, sample);
	free(sample);
	free(all.flows);
	return failed;
}
