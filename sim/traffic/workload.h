/* SPDX-License-Identifier: BSD-3-Clause */
/* workload.h -- flow-size distributions: points (bytes, cumulative fraction), linear in between.
 *
 * Built-in ones come from workloads/ (embedded when the program is built); any other name with a
 * slash or a dot is a file of the same form. fixed(size=1MB), exponential(mean=600B) and
 * uniform(min=1KB, max=9KB) need no file. */
#ifndef SIM_TRAFFIC_WORKLOAD_H
#define SIM_TRAFFIC_WORKLOAD_H
#include "weir/option.h"
#include <stdint.h>

struct workload;

int workload_new(struct workload **out, const char *spec, struct weir_error *e);
void workload_free(struct workload *w);
double workload_mean_bytes(const struct workload *w);

/* Does the spec name a file? */
int workload_is_file(const char *spec);

/* For options: specs as they are written. */
extern const struct weir_scheme_set workload_specs;

/* The size at quantile u in [0, 1), at least 1 byte. */
uint64_t workload_size(const struct workload *w, double u);

/* One built-in file of workloads/: its name, first comment line and whole text. */
struct workload_file {
	const char *name, *help, *text;
};

extern const struct workload_file workload_files[]; /* ends with .name == NULL */
#endif
