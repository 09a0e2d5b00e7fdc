/* SPDX-License-Identifier: BSD-3-Clause */
/* schemes.h -- the parser of scheme specs, for built-in schemes and plug-ins alike, and the scheme
 * kinds that option tables refer to. The config, the scenario reader, weir switch and the keeper
 * parse every spec here. Thread-safe. */
#ifndef CONFIG_SCHEMES_H
#define CONFIG_SCHEMES_H
#include "base/registry.h"
#include "config/config.h"
#include "config/plugin.h"

/* Finds a scheme by name: built in or, if the name is a path, in a plug-in. NULL with a message. */
const void *scheme_find(const struct registry *builtin, enum plugin_kind kind, const char *name,
			struct weir_error *e);

/* Parses "NAME(OPTIONS)" into params of WEIR_SPEC_PARAMS_MAX bytes, and attaches the model of a
 * scheme with a neural network (config/model.h). NULL with a message. */
const void *scheme_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
			 void *params, struct weir_error *e);

int scheme_parse_mark(const char *spec, const struct weir_mark_ops **ops, void *params,
		      struct weir_error *e);
int scheme_parse_sched(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		       void *params, struct weir_error *e);
int scheme_parse_cc(const char *spec, const struct weir_cc_ops **ops, void *params,
		    struct weir_error *e);

/* --- switch.tune: the agent or tuner that adjusts marking thresholds at run time --- */

/* Limits of the interval; the upper one keeps telemetry within 64 bits (lib/tune/meter.h). */
#define TUNE_SHORTEST_NS UINT64_C(1000)
#define TUNE_LONGEST_NS UINT64_C(1000000000)

/* An agent, a tuner per queue, or neither ("none"). */
struct tune_choice {
	const struct weir_scheme *scheme; /* head of the agent, the tuner or "none" */
	const struct weir_agent_ops *agent;
	const struct weir_tune_ops *tuner;
};

/* Parses "acc(...)", "qla(...)", "./mine.so(...)" or "none". -1 with a message. */
int tune_parse(const char *spec, struct tune_choice *choice, void *params, struct weir_error *e);

static inline int tune_is_on(const struct config *c)
{
	return c->agent || c->tuner;
}

/* --- option tables --- */

/* .choices of options of type WEIR_OPT_SCHEME, as marking_specs.kind. Parsing, formatting and the
 * files that belong to a value all follow from it. */
extern const struct weir_scheme_set marking_specs, scheduler_specs, cc_specs, tune_specs;

/* Without plug-ins. */
extern const struct weir_scheme_set fabric_specs, nic_specs;
#endif
