/* SPDX-License-Identifier: BSD-3-Clause */
/* tune.h -- switch.tune: who turns the knobs of the marking scheme while a run goes on. */
#ifndef CONFIG_TUNE_H
#define CONFIG_TUNE_H
#include "config/config.h"

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

/* Reads switch.tune and refuses what does not go with it; the marking scheme is known. */
int tune_check(struct config *c, struct weir_error *e);
#endif
