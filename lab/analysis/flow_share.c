/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_share.c -- parses and computes shares and arbitrary percentiles of flows. */
#include "lab/analysis/flow_share.h"
#include "base/quantity.h"
#include "base/memory.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char within[] = "_within";
static const char time_end[] = "_ns";

/* "fct_small" names a quantity and a class, as the metric of its mean does. */
static int find_flows(struct flow_share *m, const char *name, size_t length)
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

static int read_within(struct flow_share *m, const char *text, struct weir_error *e)
{
	const char *blank = text + strcspn(text, " \t");
	const char *level = blank + strspn(blank, " \t");
	size_t length = (size_t)(blank - text), end = strlen(within);
	struct quantity q;

	if (length <= end || strncmp(blank - end, within, end) != 0 ||
	    !find_flows(m, text, length - end))
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
static int read_quantile(struct flow_share *m, const char *text)
{
	const char *p = strstr(text, "_p"), *digits = p ? p + 2 : "";
	size_t count = strspn(digits, "0123456789");
	const char *wanted;

	if (count < 1 || count > 4 || !find_flows(m, text, (size_t)(p - text)))
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
	int found = read_within(m, text, e);

	return found ? found : read_quantile(m, text);
}

const char *flow_share_unit(const struct flow_share *m)
{
	return m->what == SHARE_QUANTILE && m->quantity == QUANTITY_FCT ? "ns" : "";
}

/* Number of sorted values that are at most the level. */
static uint64_t count_within(const double *sorted, uint64_t count, double level)
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
		value = (double)count_within(sample, count, m->level) / (double)all;
	if (m->what == SHARE_QUANTILE && count) {
		double rank = ceil(m->level * (double)count);

		value = sample[rank > 1 ? (uint64_t)rank - 1 : 0];
	}
	free(sample);
	return value;
}
