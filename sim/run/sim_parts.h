/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_parts.h -- what a simulation is made of. For sim.c and sim_observe.c only. */
#ifndef SIM_RUN_SIM_PARTS_H
#define SIM_RUN_SIM_PARTS_H
#include "sim/core/engine.h"
#include "sim/measure/probe.h"
#include "sim/run/sim.h"

/* A port's own settings, in the place of those that ports of its rate share. */
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
	struct own_class **own; /* by link; NULL: no port has its own */
};

void sim_observe_free(struct weir_sim *sim);
#endif
