/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h -- a scheme of your own in a shared object, named wherever a built-in one can be.
 *
 *	#include <weir/plugin.h>
 *	static const struct weir_mark_ops mine = { .scheme = { .name = "mine", ... }, ... };
 *	const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &mine };
 *
 *	cc -shared -fPIC -I PREFIX/include mine.c -o mine.so
 *	weir run scenario.ini --marking './mine.so(k=10KB)'
 *
 * The object exports one symbol, weir_plugin, and is linked without libraries: of Weir's functions
 * it may call the inline ones of these headers, and weir_error_set. It stays loaded until the
 * program exits. Each kind's header states from which thread and when its hooks are called. */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H
#include "weir/agent.h"
#include "weir/begin.h"
#include "weir/cc.h"
#include "weir/learn.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/sched.h"
#include "weir/traffic.h"
#include "weir/tune.h"
#include "weir/units.h"

WEIR_BEGIN

/* Counts changes of meaning that leave every struct as it is. */
#define WEIR_ABI_VERSION UINT64_C(1)

/* The version in the upper 16 bits; below it a hash over the sizes and offsets of the structs that
 * plug-ins share, so that an object built with other headers is refused even where the version was
 * not incremented. The multiplier is the FNV-1a prime. */
#define WEIR_ABI_ADD(sum, size) (((sum) ^ (uint64_t)(size)) * UINT64_C(0x100000001b3))
#define WEIR_ABI_MARK(sum) \
	WEIR_ABI_ADD( \
		WEIR_ABI_ADD( \
			WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_mark_ops)), \
						  offsetof(struct weir_mark_ops, enqueue)), \
				     sizeof(struct weir_mark_view)), \
			offsetof(struct weir_mark_view, ecn)), \
		sizeof(struct weir_mark_env))
#define WEIR_ABI_SCHED(sum) \
	WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_sched_ops)), \
				  offsetof(struct weir_sched_ops, pick)), \
		     sizeof(struct weir_queue))
#define WEIR_ABI_CC(sum) \
	WEIR_ABI_ADD( \
		WEIR_ABI_ADD( \
			WEIR_ABI_ADD( \
				WEIR_ABI_ADD( \
					WEIR_ABI_ADD( \
						WEIR_ABI_ADD(sum, sizeof(struct weir_cc_ops)), \
						offsetof(struct weir_cc_ops, timer)), \
					sizeof(struct weir_cc_ack)), \
				sizeof(struct weir_cc_env)), \
			sizeof(struct weir_cc_pace) + (sizeof(struct weir_cc_hop) << 8)), \
		WEIR_CC_STATE_MAX)
#define WEIR_ABI_TRAFFIC(sum) \
	WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_traffic_ops)), \
				  sizeof(struct weir_flow_builder)), \
		     sizeof(struct weir_flow))
#define WEIR_ABI_MODEL \
	(sizeof(struct weir_scheme_model) << 16 | sizeof(struct weir_learn_policy) << 24 | \
	 sizeof(struct weir_learn_net) << 32)
#define WEIR_ABI_OPTION(sum) \
	WEIR_ABI_ADD( \
		WEIR_ABI_ADD( \
			WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_scheme) + \
									    WEIR_ABI_MODEL), \
						  sizeof(struct weir_option)), \
				     WEIR_OPT_TEXT), \
			sizeof(struct weir_weights)), \
		sizeof(struct weir_error))
#define WEIR_ABI_TUNE(sum) \
	WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_tune_ops)), \
					       sizeof(struct weir_tune_telemetry)), \
				  sizeof(struct weir_tune_knobs) + \
					  (sizeof(struct weir_mark_knobs) << 8)), \
		     sizeof(struct weir_tune_value))
#define WEIR_ABI_AGENT(sum) \
	WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(WEIR_ABI_ADD(sum, sizeof(struct weir_agent_ops)), \
					       sizeof(struct weir_agent_env)), \
				  sizeof(struct weir_agent_queue) + \
					  (sizeof(struct weir_agent_value) << 8)), \
		     sizeof(struct weir_agent_learner))
#define WEIR_ABI_SUM \
	WEIR_ABI_AGENT(WEIR_ABI_TUNE(WEIR_ABI_OPTION(WEIR_ABI_TRAFFIC( \
		WEIR_ABI_CC(WEIR_ABI_SCHED(WEIR_ABI_MARK(UINT64_C(0xcbf29ce484222325))))))))
#define WEIR_ABI (WEIR_ABI_VERSION << 48 | WEIR_ABI_SUM >> 16)

/* At most one scheme of each kind; NULL: none. */
struct weir_plugin {
	uint64_t abi; /* WEIR_ABI */
	const struct weir_mark_ops *mark;
	const struct weir_sched_ops *sched;
	const struct weir_cc_ops *cc;
	const struct weir_traffic_ops *traffic;
	const struct weir_tune_ops *tune;
	const struct weir_agent_ops *agent;
};

/* Defined by the plug-in; found by dlsym. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct weir_plugin weir_plugin;

WEIR_END
#endif
