/* SPDX-License-Identifier: BSD-3-Clause */
/* prometheus.h -- writes metrics in the text format of Prometheus (version 0.0.4).
 *
 * A program declares its metrics in a table, and calls prometheus_write once for each kind of
 * object that it counts: its ports, its profiles, or itself. */
#ifndef BASE_PROMETHEUS_H
#define BASE_PROMETHEUS_H
#include <stdint.h>
#include <stdio.h>

#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4"

/* The name of a counter ends in _total, as Prometheus recommends; help is one sentence; id is the
 * caller's. */
struct prometheus_metric {
	int id;
	const char *name, *type, *help;
};

/* The objects that have the metrics, each with its name as the value of the label. */
struct prometheus_objects {
	const char *label; /* NULL: there is one object, without a label */
	uint32_t count;
	const char *(*name)(const void *context, uint32_t object);
	double (*read)(const void *context, uint32_t object, int metric);
	const void *context;
};

/* The HELP and TYPE lines of a metric, for metrics that prometheus_write cannot express. */
void prometheus_write_head(FILE *f, const struct prometheus_metric *m);

/* Every metric of the table, which ends with a NULL name, of every object. */
void prometheus_write(FILE *f, const struct prometheus_metric *metrics,
		      const struct prometheus_objects *objects);
#endif
