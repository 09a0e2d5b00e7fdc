/* SPDX-License-Identifier: BSD-3-Clause */
/* workload.h -- flow-size distributions: points (bytes, cumulative fraction), linear in between, or
 * a formula: fixed(size=1MB), exponential(mean=600B), uniform(min=1KB, max=9KB).
 *
 * Built-in ones come from workloads/, embedded when the program is built; a name with a slash or a
 * dot is a file of the same form. A workload is immutable once built. */
#ifndef SIM_TRAFFIC_WORKLOAD_H
#define SIM_TRAFFIC_WORKLOAD_H
#include "weir/option.h"
#include <stdint.h>

struct workload;

/* The workload of a spec; *out is the caller's, for workload_free. -1 with a message: *out is NULL.
 */
int workload_new(struct workload **out, const char *spec, struct weir_error *e);
void workload_free(struct workload *w);
double workload_mean_bytes(const struct workload *w);

/* Does the spec name a file? */
int workload_is_file(const char *spec);

/* For options whose value is a workload. */
extern const struct weir_scheme_set workload_specs;

/* The size at quantile u in [0, 1), at least 1 byte. */
uint64_t workload_size(const struct workload *w, double u);

/* A built-in file of workloads/: its name, first comment line and text. */
struct workload_file {
	const char *name, *help, *text;
};

extern const struct workload_file workload_files[]; /* ends with .name == NULL */
#endif
