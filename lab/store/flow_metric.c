/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_metric.c -- metrics by name: those computed from flow records, and those of runs; sets of
 * flows, cached per stored run because a report uses each a dozen times. */
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "base/sort.h"
#include "base/text.h"
#include "sim/measure/sample.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEGABYTE = 1000 * 1000 };

#define NOWHERE 0
#define IN_TABLES METRIC_IN_TABLES
#define IN_BOTH (METRIC_IN_TABLES | METRIC_IN_REPORTS)
#define OF_FLOWS .kind = METRIC_FLOW, .better = METRIC_LOWER, .group = METRIC_COMPLETION

/* The statistics of a class in enum order; the last arguments say where mean, p95 and the others
 * are shown. */
#define OF_CLASS(name, end, unit, words, mean, p95, others) \
	{ name "_mean" end, unit, words ", mean", OF_FLOWS, .shown = (mean) }, \
		{ name "_p50" end, unit, words ", median", OF_FLOWS, .shown = (others) }, \
		{ name "_p95" end, unit, words ", 95th percentile", OF_FLOWS, .shown = (p95) }, \
		{ name "_p99" end, unit, words ", 99th percentile", OF_FLOWS, .shown = (others) }, \
	{ \
		name "_p999" end, unit, words ", 99.9th percentile", OF_FLOWS, .shown = (others) \
	}

#define OF_QUANTITY(name, end, unit, words, sizes, over_1mb) \
	OF_CLASS(name, end, unit, words, IN_BOTH, IN_BOTH, IN_TABLES), \
		OF_CLASS(name "_small", end, unit, words " of small flows", sizes, sizes, sizes), \
		OF_CLASS(name "_medium", end, unit, words " of medium flows", sizes, sizes, \
			 sizes), \
		OF_CLASS(name "_large", end, unit, words " of large flows", sizes, sizes, sizes), \
		OF_CLASS(name "_over_1mb", end, unit, words " of flows above 1 MB", over_1mb, \
			 sizes, sizes)

/* An entry of the same name in metric_all takes precedence. */
static const struct metric entries[FLOW_METRICS] = {
	OF_QUANTITY("fct", "_ns", "ns", "flow completion time", IN_TABLES, IN_BOTH),
	OF_QUANTITY("slowdown", "", "", "slowdown", NOWHERE, NOWHERE),
};

const char *flow_metric_name(uint32_t i)
{
	return i < (uint32_t)FLOW_METRICS ? entries[i].name : NULL;
}

const char *flow_metric_help(uint32_t i)
{
	return i < (uint32_t)FLOW_METRICS ? entries[i].help : NULL;
}

/* The metric's entry; NULL: no flow metric. metric_find (lab/store/results.h) also finds metrics of
 * runs. */
static const struct metric *flow_metric_info(const char *name)
{
	for (uint32_t i = 0; i < (uint32_t)FLOW_METRICS; i++)
		if (strcmp(entries[i].name, name) == 0)
			return &entries[i];
	return NULL;
}

int flow_metric_find(const char *wanted, struct flow_metric *m)
{
	for (uint32_t i = 0; i < (uint32_t)FLOW_METRICS; i++)
		if (strcmp(entries[i].name, wanted) == 0) {
			*m = (struct flow_metric){ i / (CLASSES * STATISTICS),
						   i / STATISTICS % CLASSES, i % STATISTICS };
			return 1;
		}
	return 0;
}

int flow_metric_known(const char *name, const char **unit)
{
	const struct metric *m = flow_metric_info(name);

	if (m)
		*unit = m->unit;
	return m != NULL;
}

/* --- the flows that count --- */

void flow_set_measure(struct flow_set *s, const struct stored_run *run)
{
	struct weir_error ignored;
	char path[128];

	weir_options_default(&s->measure, measure_options);
	for (const struct weir_option *o = measure_options; o->name; o++) {
		const char *text;

		snprintf(path, sizeof(path), "measure.%s", o->name);
		text = stored_setting(run, path);
		if (text)
			weir_option_parse(&s->measure, o, text, &ignored);
	}
}

/* More than any scenario has. A larger number in a damaged store is counted as the last section. */
enum { SECTIONS_MAX = 1 << 16 };

static void flow_set_name_section(struct flow_set *s, uint32_t section, const char *name)
{
	uint32_t count = s->section_count;

	if (count <= section) {
		s->section_count = section + 1;
		s->sections = memory_grow(s->sections, s->section_count, sizeof(*s->sections));
		memset(s->sections + count, 0, (s->section_count - count) * sizeof(*s->sections));
	}
	if (!s->sections[section])
		s->sections[section] = text_copy(name);
}

static void flow_set_reserve(struct flow_set *s, uint64_t count)
{
	if (s->count + count <= s->room)
		return;
	s->room = s->room ? 2 * s->room : 1024;
	s->room = s->room < s->count + count ? s->count + count : s->room;
	s->flows = memory_grow(s->flows, s->room, sizeof(*s->flows));
}

/* Unfinished flows of any kind are; completed control flows are not. */
int flow_is_counted(const struct measure_config *m, const struct stored_flow *f)
{
	return f->start_ps >= (int64_t)m->from_ps &&
	       (!m->to_ps || f->start_ps < (int64_t)m->to_ps) && f->size_bytes != FLOW_UNLIMITED &&
	       f->start_ps != INT64_MAX && (f->finish_ps < 0 || f->ideal_ps >= 0);
}

int flow_set_add(void *set, const struct stored_flow *f)
{
	struct flow_set *s = set;
	uint32_t section = f->section < SECTIONS_MAX ? f->section : SECTIONS_MAX - 1;
	struct counted_flow counted = { f->size_bytes, -1, (double)NAN, section, f->class_id };

	if (!flow_is_counted(&s->measure, f))
		return 0;
	if (f->finish_ps >= 0) {
		counted.fct_ps = f->finish_ps - f->start_ps;
		counted.slowdown = (double)counted.fct_ps / (double)f->ideal_ps;
	}
	flow_set_reserve(s, 1);
	s->flows[s->count++] = counted;
	flow_set_name_section(s, counted.section, f->traffic);
	return 0;
}

void flow_set_join(struct flow_set *s, const struct flow_set *other)
{
	flow_set_reserve(s, other->count);
	for (uint64_t i = 0; i < other->count; i++)
		s->flows[s->count++] = other->flows[i];
	for (uint32_t i = 0; i < other->section_count; i++)
		if (other->sections[i])
			flow_set_name_section(s, i, other->sections[i]);
	s->measure = other->measure;
}

void flow_set_free(struct flow_set *s)
{
	for (uint32_t i = 0; i < s->section_count; i++)
		free(s->sections[i]);
	free(s->sections);
	free(s->flows);
	*s = (struct flow_set){ .count = 0 };
}

static int flow_is_of_class(const struct flow_set *s, uint64_t size, enum flow_class class)
{
	switch (class) {
	case CLASS_SMALL:
		return size <= s->measure.small_bytes;
	case CLASS_MEDIUM:
		return size > s->measure.small_bytes && size <= s->measure.large_bytes;
	case CLASS_LARGE:
		return size > s->measure.large_bytes;
	case CLASS_OVER_1MB:
		return size > MEGABYTE;
	default:
		return 1;
	}
}

static int is_counted(const struct flow_set *s, const struct counted_flow *f, enum flow_class class,
		      const struct flow_filter *filter)
{
	return f->fct_ps >= 0 && flow_is_of_class(s, f->size_bytes, class) &&
	       (!filter || filter->is_in(filter->context, f));
}

uint64_t flow_set_count(const struct flow_set *s, enum flow_class class,
			const struct flow_filter *filter)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->count; i++)
		count += (uint64_t)is_counted(s, &s->flows[i], class, filter);
	return count;
}

uint64_t flow_set_unfinished(const struct flow_set *s, enum flow_class class)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->count; i++)
		count += (uint64_t)(s->flows[i].fct_ps < 0 &&
				    flow_is_of_class(s, s->flows[i].size_bytes, class));
	return count;
}

/* Branch-free sums: tables and reports call this for every part of every run. */
uint64_t flow_set_counts(const struct flow_set *s, uint64_t counted[CLASSES])
{
	uint64_t small = 0, medium = 0, large = 0, over_1mb = 0, ended = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		const struct counted_flow *f = &s->flows[i];
		uint64_t has_ended = f->fct_ps >= 0;

		ended += has_ended;
		small += has_ended & (f->size_bytes <= s->measure.small_bytes);
		medium += has_ended & (f->size_bytes > s->measure.small_bytes) &
			  (f->size_bytes <= s->measure.large_bytes);
		large += has_ended & (f->size_bytes > s->measure.large_bytes);
		over_1mb += has_ended & (f->size_bytes > MEGABYTE);
	}
	counted[CLASS_ALL] = ended;
	counted[CLASS_SMALL] = small;
	counted[CLASS_MEDIUM] = medium;
	counted[CLASS_LARGE] = large;
	counted[CLASS_OVER_1MB] = over_1mb;
	return s->count - ended;
}

static const double quantiles[STATISTICS] = {
	[STATISTIC_P50] = 0.5,
	[STATISTIC_P95] = 0.95,
	[STATISTIC_P99] = 0.99,
	[STATISTIC_P999] = 0.999,
};

/* Collects the quantity of each selected flow in the order of the set; returns their number. */
static uint64_t flow_set_collect(double *sample, const struct flow_set *s,
				 const struct flow_metric *m, const struct flow_filter *filter)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->count; i++)
		if (is_counted(s, &s->flows[i], m->class, filter))
			sample[count++] = m->quantity == QUANTITY_FCT
						  ? (double)s->flows[i].fct_ps / WEIR_PS_PER_NS
						  : s->flows[i].slowdown;
	return count;
}

static double numbers_mean(const double *sample, uint64_t count)
{
	double sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += sample[i];
	return count ? sum / (double)count : (double)NAN;
}

/* Nearest-rank quantile of a sorted sample. */
static double numbers_quantile(const double *sample, uint64_t count, enum flow_statistic which)
{
	double rank = ceil(quantiles[which] * (double)count);

	if (count == 0)
		return (double)NAN;
	return sample[rank > 1 ? (uint64_t)rank - 1 : 0];
}

double flow_set_metric(const struct flow_set *s, const struct flow_metric *m,
		       const struct flow_filter *filter, double *sample)
{
	uint64_t count = flow_set_collect(sample, s, m, filter);

	if (m->statistic == STATISTIC_MEAN)
		return numbers_mean(sample, count);
	sort_reals(sample, count);
	return numbers_quantile(sample, count, m->statistic);
}

struct flow_numbers flow_set_numbers(const struct flow_set *s, enum flow_quantity quantity,
				     enum flow_class class, const struct flow_filter *filter,
				     double *sample)
{
	const struct flow_metric m = { quantity, class, STATISTIC_MEAN };
	uint64_t count = flow_set_collect(sample, s, &m, filter);
	struct flow_numbers n;

	n.of[STATISTIC_MEAN] = numbers_mean(sample, count);
	sort_reals(sample, count);
	for (int i = STATISTIC_P50; i < STATISTICS; i++)
		n.of[i] = numbers_quantile(sample, count, (enum flow_statistic)i);
	return n;
}

int flow_statistic_is_known(enum flow_statistic which, uint64_t flows)
{
	return which == STATISTIC_MEAN || sample_has_quantile(flows, quantiles[which]);
}

/* --- sets of stored runs, cached --- */

/* Cache limit: 256 MB. Runs beyond it are read at every call. */
enum { FLOW_CACHE_MAX = 8 * 1000 * 1000 };

struct cached_flow_set {
	int64_t run;
	struct flow_set set;
};

struct flow_cache {
	uint64_t flows; /* total of the cached sets */
	uint32_t count;
	struct cached_flow_set *sets;
	struct flow_set spare; /* the latest set that is not cached */
};

void flow_cache_free(struct flow_cache *cache)
{
	if (!cache)
		return;
	for (uint32_t i = 0; i < cache->count; i++)
		flow_set_free(&cache->sets[i].set);
	free(cache->sets);
	flow_set_free(&cache->spare);
	free(cache);
}

static const struct flow_set *flow_cache_add(struct flow_cache *cache, int64_t run)
{
	struct flow_set *set = &cache->spare;
	struct cached_flow_set *kept;

	set->room = set->count;
	set->flows = memory_grow(set->flows, set->room + 1, sizeof(*set->flows));
	cache->sets = memory_grow(cache->sets, cache->count + UINT64_C(1), sizeof(*cache->sets));
	kept = &cache->sets[cache->count++];
	*kept = (struct cached_flow_set){ run, *set };
	*set = (struct flow_set){ .count = 0 };
	cache->flows += kept->set.count;
	return &kept->set;
}

const struct flow_set *store_flow_set(struct store *s, const struct stored_run *run,
				      struct weir_error *e)
{
	struct flow_set *set;

	if (!s->flow_cache)
		s->flow_cache = memory_zeroed(1, sizeof(*s->flow_cache));
	for (uint32_t i = 0; i < s->flow_cache->count; i++)
		if (s->flow_cache->sets[i].run == run->id)
			return &s->flow_cache->sets[i].set;
	set = &s->flow_cache->spare;
	flow_set_free(set);
	flow_set_measure(set, run);
	if (store_each_flow(s, run->id, flow_set_add, set, e))
		return NULL;
	if (!s->has_snapshot || s->flow_cache->flows + set->count > FLOW_CACHE_MAX)
		return set;
	return flow_cache_add(s->flow_cache, run->id);
}

/* --- metrics by name --- */

int metric_index(const char *name)
{
	for (int i = 0; metric_all[i].name; i++)
		if (strcmp(metric_all[i].name, name) == 0)
			return i;
	return -1;
}

const char *metric_stored_name(const struct metric *m)
{
	return m->stored ? m->stored : m->name;
}

int metric_stored_index(const char *name)
{
	for (int i = 0; metric_all[i].name; i++)
		if (strcmp(metric_stored_name(&metric_all[i]), name) == 0)
			return i;
	return -1;
}

const struct metric *metric_find(const char *name)
{
	int i = metric_index(name);

	return i >= 0 ? &metric_all[i] : flow_metric_info(name);
}

/* Removes the unit at the end, which is shown separately. */
static void metric_title_drop_unit(char *text)
{
	static const char *const units[] = { "_ns", "_bps", "_pkts", "_bytes" };
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t end = strlen(units[i]);

		if (length > end && strcmp(text + length - end, units[i]) == 0)
			text[length - end] = '\0';
	}
}

struct metric_title metric_title(const char *name)
{
	struct metric_title t = { { "", "" } };
	char text[METRIC_TITLE_SIZE], *last;

	snprintf(text, sizeof(text), "%s", name);
	metric_title_drop_unit(text);
	for (char *at = text; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	last = strstr(text, "wait");
	if (last) { /* the metrics keep the names that users have written */
		memmove(last + 7, last + 4, strlen(last + 4) + 1);
		memcpy(last, "sojourn", 7);
	}
	last = strstr(text, "over 1mb");
	if (last) {
		memcpy(last, ">1MB", 4);
		memmove(last + 4, last + 8, strlen(last + 8) + 1);
	}
	if (strncmp(text, "fct", 3) == 0)
		memcpy(text, "FCT", 3);
	last = strrchr(text, ' ');
	if (last)
		*last++ = '\0';
	snprintf(t.part[0], sizeof(t.part[0]), "%s", last ? text : "");
	snprintf(t.part[1], sizeof(t.part[1]), "%s",
		 !last                       ? text
		 : strcmp(last, "p999") == 0 ? "p99.9"
					     : last);
	return t;
}
