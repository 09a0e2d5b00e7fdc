/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_read.c -- parses the request of a search (goal, constraints, ranges) and samples
 * ranges. */
#include "lab/campaign/choose.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "lab/store/results.h"
#include "sim/measure/result.h"
#include "weir/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- metrics --- */

enum { NAMES_MAX = METRICS_MAX + FLOW_METRICS };

static int choose_refuse_metric(const char *name, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	const char *nearest;

	for (uint32_t i = 0; metric_all[i].name && count < METRICS_MAX; i++)
		names[count++] = metric_all[i].name;
	for (uint32_t i = 0; flow_metric_name(i) && count < NAMES_MAX; i++)
		names[count++] = flow_metric_name(i);
	nearest = weir_nearest_name(name, names, count);
	return weir_error_set(e, "unknown metric %s%s%s%s; 'weir list metric' names them",
			      weir_quote(name).text, nearest ? " (nearest: " : "",
			      nearest ? nearest : "", nearest ? ")" : "");
}

static const char *const units[] = { "", "_ns", "_bps", "_bytes", "_pkts" };

/* Accepts the name with or without its unit suffix. */
static int choose_is_run_metric(const char *name)
{
	char whole[64];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s", name, units[i]);
		if (metric_index(whole) >= 0)
			return 1;
	}
	return 0;
}

static int choose_refuse_section(const char *name, struct weir_error *e)
{
	char list[512] = "";
	size_t used = 0;

	for (int i = 0; i < SECTION_METRICS && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, ", %s",
					 metric_all[section_metric_all[i].metric].name);
	return weir_error_set(e,
			      "%s is of the whole run; of a section there are fct and slowdown "
			      "metrics%s",
			      name, list);
}

/* Tries the name as given, then without its unit suffix. */
static int choose_find_metric(struct choose_metric *m, const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(m->name, sizeof(m->name), "%s%s", name, units[i]);
		m->index = metric_index(m->name);
		if (m->section[0] && m->index >= 0 && section_metric_find((uint32_t)m->index) < 0)
			m->index = -1;
		if (m->index >= 0)
			m->unit = metric_all[m->index].unit;
		if (m->index >= 0 ||
		    (flow_metric_find(m->name, &m->flow) && flow_metric_known(m->name, &m->unit)))
			return 1;
	}
	return 0;
}

/* "NAME" or "NAME of SECTION". */
static int choose_read_metric(struct choose_metric *m, const char *text, struct weir_error *e)
{
	char name[64];

	memset(m, 0, sizeof(*m));
	if (sscanf(text, "%48s of %63s", name, m->section) < 1)
		return weir_error_set(e, "a metric is missing");
	if (choose_find_metric(m, name))
		return 0;
	if (m->section[0] && choose_is_run_metric(name))
		return choose_refuse_section(name, e);
	return choose_refuse_metric(name, e);
}

struct choose_text choose_metric_text(const struct choose_metric *m)
{
	struct choose_text t;

	snprintf(t.text, sizeof(t.text), "%s%s%s", m->name, m->section[0] ? " of " : "",
		 m->section);
	return t;
}

int choose_read_goal(struct choose_request *q, const char *text, struct weir_error *e)
{
	q->goal_is_most = text[0] == '-';
	return choose_read_metric(&q->goal, text + q->goal_is_most, e);
}

static int choose_refuse_constraint(const char *text, struct weir_error *e)
{
	return weir_error_set(e,
			      "%s; write METRIC >= NUMBER of best, or METRIC <= NUMBER, as in "
			      "'goodput >= 0.98 of best'",
			      weir_quote(text).text);
}

int choose_add_constraint(struct choose_request *q, const char *text, struct weir_error *e)
{
	const char *sign = strstr(text, ">="), *best;
	char metric[128], number[64];
	struct choose_constraint *k = &q->constraints[q->constraint_count];
	struct quantity read;

	if (q->constraint_count == CHOOSE_CONSTRAINTS_MAX)
		return weir_error_set(e, "at most %d may be given", CHOOSE_CONSTRAINTS_MAX);
	k->is_most = sign != NULL;
	sign = sign ? sign : strstr(text, "<=");
	if (!sign || sscanf(sign + 2, "%63s", number) != 1)
		return choose_refuse_constraint(text, e);
	snprintf(metric, sizeof(metric), "%.*s", (int)(sign - text), text);
	best = strstr(sign, " of ");
	if (best && strcmp(best, " of best") != 0)
		return choose_refuse_constraint(text, e);
	k->is_of_best = best != NULL;
	if (choose_read_metric(&k->metric, metric, e) || quantity_read(&read, number, e) ||
	    quantity_in(&read, number, k->is_of_best ? "" : k->metric.unit, &k->number, e))
		return -1;
	q->constraint_count++;
	return 0;
}

/* --- ranges --- */

enum { DIGITS = 3 };

static int range_refuse(const char *text, struct weir_error *e)
{
	return weir_error_set(e,
			      "%s; write PATH=LOW..HIGH, as in switch.marking.min=5KB..500KB, or "
			      "PATH=A, B",
			      weir_quote(text).text);
}

/* Both ends, in the unit of the lower one. */
static int range_read_ends(struct range *r, char *low, const char *high, struct weir_error *e)
{
	struct quantity from, to;
	char *unit, *unit_of_high;

	if (quantity_read(&from, low, e) || quantity_read(&to, high, e))
		return -1;
	if (strcmp(from.unit, to.unit) != 0)
		return weir_error_set(e, "%s and %s are not in units of one kind", low, high);
	r->low = strtod(low, &unit);
	r->high = strtod(high, &unit_of_high);
	snprintf(r->unit, sizeof(r->unit), "%s", unit);
	if (strcmp(unit, unit_of_high) != 0 && r->low > 0)
		r->high = to.number / (from.number / r->low);
	if (to.number <= from.number)
		return weir_error_set(e, "%s..%s is empty: it ends before it starts", low, high);
	r->scale = from.unit[0] && r->low > 0 ? RANGE_LOG : RANGE_LINEAR;
	r->is_whole = strcmp(unit, "pkts") == 0 || strcmp(unit, "B") == 0 ||
		      (!*unit && !strchr(low, '.') && !strchr(high, '.'));
	return 0;
}

int range_read(struct range *r, const char *text, struct weir_error *e)
{
	const char *equals = strchr(text, '=');
	char *low, *dots;
	int failed;

	memset(r, 0, sizeof(*r));
	if (!equals || equals == text || !equals[1])
		return range_refuse(text, e);
	text_print(&r->path, "%.*s", (int)(equals - text), text);
	r->text = text_copy(equals + 1);
	low = text_copy(equals + 1);
	dots = strstr(low, "..");
	if (dots) {
		*dots = '\0';
		failed = range_read_ends(r, low, dots + 2, e);
	} else {
		r->scale = RANGE_LIST;
		failed = list_split(&r->list, low, e);
		if (!failed && r->list.count < 2)
			failed = range_refuse(text, e);
	}
	free(low);
	if (failed)
		range_free(r);
	return failed;
}

void range_free(struct range *r)
{
	free(r->path);
	free(r->text);
	list_free(&r->list);
	memset(r, 0, sizeof(*r));
}

const char *range_value(const struct range *r, double share, char *buffer, size_t size)
{
	double value;
	int decimals;

	if (r->scale == RANGE_LIST) {
		uint32_t i = (uint32_t)(share * r->list.count);

		snprintf(buffer, size, "%s", r->list.items[i < r->list.count ? i : i - 1]);
		return buffer;
	}
	value = r->scale == RANGE_LOG ? r->low * pow(r->high / r->low, share)
				      : r->low + (r->high - r->low) * share;
	decimals = value > 0 ? DIGITS - 1 - (int)floor(log10(value)) : 0;
	decimals = decimals < 0 || r->is_whole ? 0 : decimals;
	snprintf(buffer, size, "%.*f", decimals, value);
	if (decimals > 0) {
		char *end = buffer + strlen(buffer);

		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	snprintf(buffer + strlen(buffer), size - strlen(buffer), "%s", r->unit);
	return buffer;
}

void hypercube_draw(double *shares, uint32_t count, uint32_t dimensions, uint64_t seed)
{
	uint32_t *slice = memory_zeroed(count, sizeof(*slice));

	for (uint32_t d = 0; d < dimensions; d++) {
		struct weir_rng rng = weir_rng_make(seed, d, WEIR_RNG_TUNING);

		for (uint32_t i = 0; i < count; i++) { /* random permutation, Fisher-Yates */
			uint32_t k = (uint32_t)weir_rng_below(&rng, i + UINT64_C(1));

			slice[i] = slice[k];
			slice[k] = i;
		}
		for (uint32_t i = 0; i < count; i++)
			shares[(uint64_t)i * dimensions + d] =
				(slice[i] + weir_rng_unit(&rng)) / count;
	}
	free(slice);
}

int choose_add_range(struct choose_request *q, const char *text, struct weir_error *e)
{
	if (q->range_count == CHOOSE_RANGES_MAX)
		return weir_error_set(e, "at most %d may be given", CHOOSE_RANGES_MAX);
	if (range_read(&q->ranges[q->range_count], text, e))
		return -1;
	q->range_count++;
	return 0;
}

void choose_request_free(struct choose_request *q)
{
	for (uint32_t i = 0; i < q->range_count; i++)
		range_free(&q->ranges[i]);
	q->range_count = 0;
}
