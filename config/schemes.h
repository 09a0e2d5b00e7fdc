/* SPDX-License-Identifier: BSD-3-Clause */
/* schemes.h -- the schemes that settings name: the one parser of specs, for built-in schemes and
 * those of plug-ins alike, and what the option tables say of a key that names a scheme.
 *
 * The config, the scenario reader, weir switch and the keeper read every spec here. */
#ifndef CONFIG_SCHEMES_H
#define CONFIG_SCHEMES_H
#include "base/registry.h"
#include "config/config.h"
#include "config/plugin.h"

/* The scheme of that name, built in or, where the name is a path, of a plug-in. NULL with a
 * message. */
const void *scheme_find(const struct registry *builtin, enum plugin_kind kind, const char *name,
			struct weir_error *e);

/* Reads "NAME(OPTIONS)" into params. A scheme that has a neural network gets its model
 * (config/model.h). NULL with a message. */
const void *scheme_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
			 void *params, struct weir_error *e);

int scheme_parse_mark(const char *spec, const struct weir_mark_ops **ops, void *params,
		      struct weir_error *e);
int scheme_parse_sched(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		       void *params, struct weir_error *e);
int scheme_parse_cc(const char *spec, const struct weir_cc_ops **ops, void *params,
		    struct weir_error *e);

/* --- switch.tune: who sets the thresholds of the marking scheme while a run goes on --- */

/* Intervals in nanoseconds; telemetry that fits 64 bits is why there is a longest
 * (lib/tune/meter.h). */
#define TUNE_SHORTEST_NS UINT64_C(1000)
#define TUNE_LONGEST_NS UINT64_C(1000000000)

/* An agent, a tuner for each queue, or neither: "none". */
struct tune_choice {
	const struct weir_scheme *scheme; /* the head of whichever it is */
	const struct weir_agent_ops *agent;
	const struct weir_tune_ops *tuner;
};

/* Reads "acc(...)", "qla(...)", "./mine.so(...)" or "none". */
int tune_parse(const char *spec, struct tune_choice *choice, void *params, struct weir_error *e);

static inline int tune_is_on(const struct config *c)
{
	return c->agent || c->tuner;
}

/* --- option tables --- */

/* An option of type WEIR_OPT_SCHEME has one of these as its choices, "marking_specs.kind". That is
 * all that is said about such a key: whether a value can be read, how it is spelled out and which
 * file it names all follow. */
extern const struct weir_scheme_set marking_specs, scheduler_specs, cc_specs, tune_specs;

/* Built-in ones alone. */
extern const struct weir_scheme_set fabric_specs, nic_specs;
#endif
