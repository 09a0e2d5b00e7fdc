/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h -- weir/sim.h from a config on; lab/scenario makes configs of scenario texts.
 *
 * The struct is here for tests only: programs see weir/sim.h. */
#ifndef SIM_RUN_SIM_H
#define SIM_RUN_SIM_H
#include "sim/core/engine.h"
#include "sim/measure/probe.h"
#include "weir/sim.h"

/* A port class of one port, which weir_sim_set has given its own marking. */
struct own_class {
	struct weir_port_class class;
	_Alignas(8) unsigned char mark_params[WEIR_SPEC_PARAMS_MAX];
};

struct weir_sim {
	struct config config;
	struct network net;
	struct engine *engine;
	int64_t now_ps;
	uint32_t watch_count;
	struct sim_watch {
		struct probe_set *set;
		uint32_t value;
	} * watches;
	struct own_class **own; /* by link; NULL: no port has one */
};

/* Takes over the checked config, also on -1 (message). plan NULL: all fields 0. *sim is freed by
 * weir_sim_free. */
int sim_new(struct weir_sim **sim, struct config *c, const struct weir_sim_plan *plan,
	    struct weir_error *e);
#endif
