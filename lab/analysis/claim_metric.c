/* SPDX-License-Identifier: BSD-3-Clause */
/* claim_metric.c -- parses and computes the metrics of claims: statistics of a time series, shares
 * and percentiles of flows. */
#include "lab/analysis/claim_metric.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/input.h"
#include "lab/scenario/scenario.h"
#include "lab/store/results.h"
#include "sim/measure/probe.h"
#include "weir/units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define LONGEST_PS ((double)(1000000 * WEIR_PS_PER_S))

static const char *const statistics[] = {
	[SERIES_MEAN] = "mean",       [SERIES_MIN] = "min",           [SERIES_MAX] = "max",
	[SERIES_P50] = "p50",         [SERIES_P95] = "p95",           [SERIES_P99] = "p99",
	[SERIES_STD] = "std",         [SERIES_SUM] = "sum",           [SERIES_LAST] = "last",
	[SERIES_REACHES] = "reaches", [SERIES_FALLS_TO] = "falls-to",
};

enum { SERIES_STATISTICS = sizeof(statistics) / sizeof(statistics[0]) };

/* --- reading --- */

int is_series_metric(const char *text)
{
	return strncmp(text, "series", strlen("series")) == 0 &&
	       strspn(text + strlen("series"), BLANKS "\"") > 0;
}

/* Parses the quoted name; *at advances behind it. */
static int series_read_name(struct series_metric *m, const char **at, struct weir_error *e)
{
	const char *end;
	size_t length;

	*at += strspn(*at, BLANKS);
	end = **at == '"' ? strchr(*at + 1, '"') : NULL;
	length = end ? (size_t)(end - *at - 1) : 0;
	if (length == 0 || length >= sizeof(m->series))
		return weir_error_set(
			e,
			"%s: the name of a series stands in quotes, as in series \"queue "
			"sw->h0\" mean 10ms..20ms",
			weir_quote(*at).text);
	memcpy(m->series, *at + 1, length);
	m->series[length] = '\0';
	*at = end + 1;
	return 0;
}

/* Times are limited to eleven days, so that a double holds picoseconds with an error of at most 1/8
 * ns. */
static int series_time_in_ps(const struct quantity *q, const char *text, int64_t *ps,
			     struct weir_error *e)
{
	double ns;

	if (quantity_in(q, text, "ns", &ns, e))
		return -1;
	if (!(ns >= 0) || ns * WEIR_PS_PER_NS > LONGEST_PS)
		return weir_error_set(e, "%s is no time of a simulation", weir_quote(text).text);
	*ps = llround(ns * WEIR_PS_PER_NS);
	return 0;
}

static int series_read_range(struct series_metric *m, const char *text, struct weir_error *e)
{
	struct quantity_range r;

	m->from_ps = 0;
	m->to_ps = INT64_MAX;
	if (*text == '\0')
		return 0;
	if (quantity_range_read(&r, text, e) ||
	    (r.has_low && series_time_in_ps(&r.low, text, &m->from_ps, e)))
		return -1;
	return r.has_high ? series_time_in_ps(&r.high, text, &m->to_ps, e) : 0;
}

/* The unit of a series that its name implies, or NULL. */
static const char *series_unit_of(const char *series)
{
	struct probe_info info;
	struct words w;

	return words_split(&w, series) > 0 && probe_find(w.word[0], &info) ? info.unit : NULL;
}

/* "4.9Gbps after 60ms". */
static int series_read_level(struct series_metric *m, const char *text, struct weir_error *e)
{
	const char *unit = series_unit_of(m->series);
	struct quantity level, after;
	struct words w;

	if (words_split(&w, text) != 3 || strcmp(w.word[1], "after") != 0)
		return weir_error_set(
			e, "%s: %s needs a level and a time, as in %s 4.9Gbps after 60ms",
			weir_quote(text).text, statistics[m->what], statistics[m->what]);
	if (quantity_read(&level, w.word[0], e) ||
	    quantity_in(&level, w.word[0], unit ? unit : level.unit, &m->level, e) ||
	    quantity_read(&after, w.word[2], e))
		return -1;
	snprintf(m->level_unit, sizeof(m->level_unit), "%s", unit ? unit : level.unit);
	m->to_ps = INT64_MAX;
	return series_time_in_ps(&after, w.word[2], &m->from_ps, e);
}

int series_metric_read(struct series_metric *m, const char *text, struct weir_error *e)
{
	const char *at = text + strlen("series");
	size_t length, which = 0;
	char word[32] = "";

	memset(m, 0, sizeof(*m));
	if (series_read_name(m, &at, e))
		return -1;
	at += strspn(at, BLANKS);
	length = strcspn(at, BLANKS);
	snprintf(word, sizeof(word), "%.*s", (int)length, at);
	while (which < SERIES_STATISTICS && strcmp(statistics[which], word) != 0)
		which++;
	if (which == SERIES_STATISTICS)
		return weir_error_unknown(e, "number of a series", word, statistics,
					  SERIES_STATISTICS);
	m->what = (enum series_statistic)which;
	at += length;
	at += strspn(at, BLANKS);
	return m->what >= SERIES_REACHES ? series_read_level(m, at, e)
					 : series_read_range(m, at, e);
}

const char *series_metric_unit(const struct series_metric *m)
{
	return m->what >= SERIES_REACHES ? "ns" : series_unit_of(m->series);
}

/* --- the probe that made it --- */

/* Calls see for each probe of the run, until it returns non-zero, and returns that. */
static int series_each_probe(const struct stored_run *run,
			     int (*see)(void *context, const struct words *w, int count),
			     void *context)
{
	const char *text = stored_setting(run, "measure.probe");
	int seen = 0;

	while (text && *text && !seen) {
		size_t length;
		const char *part = line_part(text, &length);
		char line[512];
		struct words w;
		int count;

		snprintf(line, sizeof(line), "%.*s", (int)length, part);
		count = words_split(&w, line);
		if (count >= 2)
			seen = see(context, &w, count);
		text = part + length;
		text += strcspn(text, ";");
		text += *text == ';';
	}
	return seen;
}

static int series_is_name(const struct words *w, const char *name)
{
	char made[2 * WORD_SIZE + 2];

	snprintf(made, sizeof(made), "%s %s", w->word[0], w->word[1]);
	return strcmp(made, name) == 0;
}

enum { PROBE_SAMPLES = 1, PROBE_RECORDS = 2 };

static int see_how(void *name, const struct words *w, int count)
{
	if (!series_is_name(w, name))
		return 0;
	return count == 2 ? PROBE_RECORDS : PROBE_SAMPLES;
}

static int64_t series_measure_to_ps(const struct stored_run *run)
{
	const struct weir_option *to = weir_option_find(measure_options, "to");
	const char *text = stored_setting(run, "measure.to");
	struct measure_config m = { .to_ps = 0 };
	struct weir_error ignored;

	if (text && weir_option_parse(&m, to, text, &ignored))
		return 0;
	return (int64_t)m.to_ps;
}

struct series_origin series_origin(const struct stored_run *run, const char *name)
{
	char copy[sizeof(((struct series_metric *)0)->series)];
	int64_t to_ps = series_measure_to_ps(run);
	double seconds = run->value[metric_index("sim_seconds")];
	struct series_origin o = { .end_ps = to_ps ? to_ps : INT64_MAX };

	snprintf(copy, sizeof(copy), "%s", name);
	o.at_each_change = series_each_probe(run, see_how, copy) == PROBE_RECORDS;
	if (!to_ps && isfinite(seconds))
		o.end_ps = llround(seconds * WEIR_PS_PER_S);
	return o;
}

/* The names of the series that a probe makes. Names of a scheme's series are chosen by the scheme,
 * so any name at its port matches. */
struct probe_names {
	const char *wanted;
	size_t count;
	char names[64][2 * WORD_SIZE + 2];
};

static int series_on_name(void *context, const struct words *w, int count)
{
	struct probe_names *n = context;
	const char *target = strchr(n->wanted, ' ');
	size_t length = strlen(w->word[1]);

	(void)count;
	if (strcmp(w->word[0], "scheme") == 0)
		return target && strncmp(target + 1, w->word[1], length) == 0 &&
		       (target[1 + length] == '\0' || target[1 + length] == '/');
	if (n->count < sizeof(n->names) / sizeof(n->names[0]))
		snprintf(n->names[n->count++], sizeof(n->names[0]), "%s %s", w->word[0],
			 w->word[1]);
	return series_is_name(w, n->wanted);
}

int series_check(const char *name, const struct stored_run *run, struct weir_error *e)
{
	struct probe_names n = { .wanted = name };
	const char *names[64];

	if (series_each_probe(run, series_on_name, &n))
		return 0;
	for (size_t i = 0; i < n.count; i++)
		names[i] = n.names[i];
	if (n.count == 0)
		return weir_error_set(e,
				      "series %s: the scenario has no probe of it; write probe = "
				      "WHAT TARGET into [measure]",
				      weir_quote(name).text);
	return weir_error_unknown(e, "series", name, names, n.count);
}

int series_metric_check(const struct series_metric *m, const struct stored_run *run,
			struct weir_error *e)
{
	int64_t to_ps = series_measure_to_ps(run);

	if (series_check(m->series, run, e))
		return -1;
	if (to_ps && (m->from_ps >= to_ps || (m->to_ps != INT64_MAX && m->to_ps > to_ps)))
		return weir_error_set(e, "it looks beyond the end of measuring, measure.to = %s",
				      stored_setting(run, "measure.to"));
	return 0;
}

/* --- numbers --- */

struct weighted_value {
	double value, weight; /* sample: weight 1; recorded at each change: weight is the duration
				 in seconds */
};

/* The values of a series within the range, with weights. */
struct weighted_sample {
	uint64_t count;
	struct weighted_value *values;
	double weight;
};

static int series_is_count(const char *series)
{
	struct probe_info info;
	struct words w;

	return words_split(&w, series) > 0 && probe_find(w.word[0], &info) && info.is_count;
}

static void series_weight(struct weighted_sample *all, const struct series_metric *m,
			  const struct stored_series *s, const struct series_origin *o)
{
	int counts = series_is_count(m->series);

	*all = (struct weighted_sample){ .values = memory_grow(NULL, s->count,
							       sizeof(*all->values)) };
	for (uint64_t i = 0; i < s->count; i++) {
		int64_t from_ps = s->time_ps[i];
		int64_t until_ps = i + 1 < s->count      ? s->time_ps[i + 1]
				   : o->end_ps < from_ps ? from_ps
							 : o->end_ps;
		double weight = 1;

		if (o->at_each_change) {
			from_ps = from_ps < m->from_ps ? m->from_ps : from_ps;
			until_ps = until_ps > m->to_ps ? m->to_ps : until_ps;
			if (until_ps == INT64_MAX || until_ps <= from_ps)
				continue;
			weight = (double)(until_ps - from_ps) / WEIR_PS_PER_S;
		} else if (from_ps < m->from_ps + counts || from_ps > m->to_ps) {
			continue;
		}
		all->values[all->count++] = (struct weighted_value){ s->value[i], weight };
		all->weight += weight;
	}
}

static int series_compare_values(const void *a, const void *b)
{
	double x = ((const struct weighted_value *)a)->value;
	double y = ((const struct weighted_value *)b)->value;

	return (x > y) - (x < y);
}

/* Weighted quantile: the smallest value at or below which the series is for that share. With equal
 * weights this is the nearest-rank definition. */
static double series_quantile(struct weighted_sample *all, double share)
{
	const double rounding = 1e-12;
	double wanted = share * all->weight * (1 - rounding), sum = 0;
	uint64_t i = 0;

	qsort(all->values, all->count, sizeof(*all->values), series_compare_values);
	for (; i + 1 < all->count; i++) {
		sum += all->values[i].weight;
		if (sum >= wanted)
			break;
	}
	return all->values[i].value;
}

static double series_weighted_sum(const struct weighted_sample *all, double less, int power)
{
	double sum = 0;

	for (uint64_t i = 0; i < all->count; i++) {
		double x = all->values[i].value - less;

		sum += all->values[i].weight * (power == 2 ? x * x : x);
	}
	return sum;
}

static double series_statistic_of(struct weighted_sample *all, enum series_statistic what)
{
	double mean;

	if (all->count == 0)
		return (double)NAN;
	mean = series_weighted_sum(all, 0, 1) / all->weight;
	switch (what) {
	case SERIES_MEAN:
		return mean;
	case SERIES_MIN:
		return series_quantile(all, 0);
	case SERIES_MAX:
		return series_quantile(all, 1);
	case SERIES_P50:
		return series_quantile(all, 0.5);
	case SERIES_P95:
		return series_quantile(all, 0.95);
	case SERIES_P99:
		return series_quantile(all, 0.99);
	case SERIES_STD:
		return sqrt(series_weighted_sum(all, mean, 2) / all->weight);
	case SERIES_LAST:
		return all->values[all->count - 1].value;
	default:
		return series_weighted_sum(all, 0, 1);
	}
}

/* First time from the given time on at which the series reaches the level. */
static double series_first_at(const struct series_metric *m, const struct stored_series *s,
			      const struct series_origin *o)
{
	int64_t after_ps = m->from_ps + series_is_count(m->series);
	int seen = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		int64_t at_ps = s->time_ps[i];
		double value = s->value[i];
		int is_there = m->what == SERIES_REACHES ? value >= m->level : value <= m->level;

		/* A value recorded at a change holds until the next change. */
		if (o->at_each_change && at_ps < after_ps &&
		    (i + 1 < s->count ? s->time_ps[i + 1] : o->end_ps) > after_ps)
			at_ps = after_ps;
		if (at_ps < after_ps)
			continue;
		seen = 1;
		if (is_there)
			return (double)(at_ps - m->from_ps) / WEIR_PS_PER_NS;
	}
	return seen ? (double)INFINITY : (double)NAN;
}

double series_metric_value(const struct series_metric *m, const struct stored_series *s,
			   const struct series_origin *o)
{
	struct weighted_sample all;
	double value;

	if (m->what >= SERIES_REACHES)
		return series_first_at(m, s, o);
	series_weight(&all, m, s, o);
	value = series_statistic_of(&all, m->what);
	free(all.values);
	return value;
}

/* --- shares and percentiles of flows --- */

static const char within[] = "_within";
static const char time_end[] = "_ns";

/* "fct_small" names a quantity and a class, as the metric of its mean does. */
static int flow_share_find_flows(struct flow_share *m, const char *name, size_t length)
{
	struct flow_metric mean;
	char text[64];

	snprintf(text, sizeof(text), "%.*s_mean", (int)length, name);
	if (strncmp(name, "fct", 3) == 0)
		strncat(text, time_end, sizeof(text) - strlen(text) - 1);
	if (length >= sizeof(text) / 2 || !flow_metric_find(text, &mean))
		return 0;
	m->quantity = mean.quantity;
	m->class = mean.class;
	return 1;
}

static int flow_share_read_within(struct flow_share *m, const char *text, struct weir_error *e)
{
	const char *blank = text + strcspn(text, " \t");
	const char *level = blank + strspn(blank, " \t");
	size_t length = (size_t)(blank - text), end = strlen(within);
	struct quantity q;

	if (length <= end || strncmp(blank - end, within, end) != 0 ||
	    !flow_share_find_flows(m, text, length - end))
		return 0;
	m->what = SHARE_WITHIN;
	if (*level == '\0')
		return weir_error_set(e, "%s: within what? as in fct_small_within 1ms",
				      weir_quote(text).text);
	if (quantity_read(&q, level, e) ||
	    quantity_in(&q, level, m->quantity == QUANTITY_FCT ? "ns" : "", &m->level, e))
		return weir_error_prefix(e, "%.*s: ", (int)length, text);
	return 1;
}

/* "p97" is 0.97, "p975" is 0.975. */
static int flow_share_read_quantile(struct flow_share *m, const char *text)
{
	const char *p = strstr(text, "_p"), *digits = p ? p + 2 : "";
	size_t count = strspn(digits, "0123456789");
	const char *wanted;

	if (count < 1 || count > 4 || !flow_share_find_flows(m, text, (size_t)(p - text)))
		return 0;
	wanted = m->quantity == QUANTITY_FCT ? time_end : "";
	if (strcmp(digits + count, wanted) != 0)
		return 0;
	m->what = SHARE_QUANTILE;
	m->level = strtod(digits, NULL) / (count == 1 ? 100 : pow(10, (double)count));
	return m->level > 0;
}

int flow_share_read(struct flow_share *m, const char *text, struct weir_error *e)
{
	int found = flow_share_read_within(m, text, e);

	return found ? found : flow_share_read_quantile(m, text);
}

const char *flow_share_unit(const struct flow_share *m)
{
	return m->what == SHARE_QUANTILE && m->quantity == QUANTITY_FCT ? "ns" : "";
}

/* Number of sorted values that are at most the level. */
static uint64_t flow_share_count_within(const double *sorted, uint64_t count, double level)
{
	uint64_t i = 0;

	while (i < count && sorted[i] <= level)
		i++;
	return i;
}

double flow_share_value(const struct flow_share *m, const struct flow_set *set)
{
	const struct flow_metric median = { m->quantity, m->class, STATISTIC_P50 };
	double *sample = memory_grow(NULL, set->count + 1, sizeof(*sample)), value = (double)NAN;
	uint64_t count = flow_set_count(set, m->class, NULL);
	uint64_t all = count + flow_set_unfinished(set, m->class);

	flow_set_metric(set, &median, NULL, sample); /* also sorts the sample */
	if (m->what == SHARE_WITHIN && all)
		value = (double)flow_share_count_within(sample, count, m->level) / (double)all;
	if (m->what == SHARE_QUANTILE && count) {
		double rank = ceil(m->level * (double)count);

		value = sample[rank > 1 ? (uint64_t)rank - 1 : 0];
	}
	free(sample);
	return value;
}
