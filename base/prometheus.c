/* SPDX-License-Identifier: BSD-3-Clause */
/* prometheus.c -- see prometheus.h. */
#include "base/prometheus.h"

void prometheus_write_head(FILE *f, const struct prometheus_metric *m)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
}

/* Whole numbers below 2^53 are exact in a double, and are written with all of their digits. */
static void prometheus_write_value(FILE *f, double value)
{
	fprintf(f,
		value >= 1 && value < 0x1p53 && value == (double)(uint64_t)value ? " %.0f\n"
										 : " %.15g\n",
		value);
}

void prometheus_write(FILE *f, const struct prometheus_metric *metrics,
		      const struct prometheus_objects *objects)
{
	for (const struct prometheus_metric *m = metrics; m->name; m++) {
		prometheus_write_head(f, m);
		for (uint32_t i = 0; i < objects->count; i++) {
			fputs(m->name, f);
			if (objects->label)
				fprintf(f, "{%s=\"%s\"}", objects->label,
					objects->name(objects->context, i));
			prometheus_write_value(f, objects->read(objects->context, i, m->id));
		}
	}
}
