/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc.h -- options and observations of FDCC, for fdcc.c, fdcc_observe.c and the trainer
 * (train/fdcc.c). */
#ifndef CC_FDCC_H
#define CC_FDCC_H
#include "lib/cc/learned.h"
#include "lib/cc/telemetry.h"

enum fdcc_preset { FDCC_WEIR, FDCC_THESIS };
enum fdcc_policy { FDCC_TRAINED, FDCC_UNTRAINED, FDCC_ALWAYS_CUT, FDCC_WINDOW_ONLY };
enum fdcc_action { FDCC_ACTION_PRESET, FDCC_DIRECT, FDCC_ACCUMULATE };
enum fdcc_dt { FDCC_DT_PRESET, FDCC_DT_RTT, FDCC_DT_MS };
enum fdcc_last { FDCC_LAST_PRESET, FDCC_LAST_CHANGE, FDCC_LAST_FACTOR };
enum fdcc_rates { FDCC_RATES_PRESET, FDCC_RATES_LINEAR, FDCC_RATES_ROOT };
enum fdcc_base { FDCC_BASE_PRESET, FDCC_BASE_COMMON, FDCC_BASE_OWN };
enum fdcc_first { FDCC_FIRST_PRESET, FDCC_FIRST_WHOLE, FDCC_FIRST_SCALED };
enum fdcc_gain { FDCC_GAIN_CONSTANT, FDCC_GAIN_RATE };
enum fdcc_floor { FDCC_FLOOR_BYTE, FDCC_FLOOR_PACKET };

/* Inputs of the neural network, in this order. */
enum fdcc_observation {
	FDCC_RTT,
	FDCC_QUEUE,
	FDCC_SWITCH_RATE,
	FDCC_GOODPUT,
	FDCC_RTT_CHANGE,
	FDCC_QUEUE_CHANGE,
	FDCC_RATE,
	FDCC_LAST_ACTION,
	FDCC_OBSERVATIONS,
};

_Static_assert((int)FDCC_OBSERVATIONS == WEIR_CC_OBSERVATIONS, "a row has room for all");

enum { FDCC_PAST_MAX = 8 };

struct fdcc_params {
	struct learned_params learned;
	uint64_t preset, policy;
	uint64_t action, dt, last, rates, base, first, gain, floor;
	uint64_t alpha_q32, clock_q32; /* clock 0: as the preset */
	uint64_t past;
	uint64_t clip_q32, clip_change_q32; /* 0: as the preset */
	uint64_t min_rate_bps;              /* 0: the network's */
	uint64_t rtt_ns;                    /* 0: the network's */
};

/* The choices that options leave to the preset. */
struct fdcc_reading {
	enum fdcc_action action;
	enum fdcc_dt dt;
	enum fdcc_last last;
	enum fdcc_rates rates;
	enum fdcc_base base;
	enum fdcc_first first;
	double clip, clip_change;
	uint64_t clock_q32;
};

struct fdcc_reading weir_fdcc_reading(const struct fdcc_params *p);

/* Measurements at the last action. */
struct fdcc_sight {
	int64_t now_ns;
	uint64_t una_bytes;
	struct telemetry hops;
	uint32_t rx_ns;
	float rtt, queue; /* as observed, not clipped */
	uint32_t is_known;
};

/* The flow's own part of an observation. */
struct fdcc_self {
	double rate_bps, factor;
	int64_t rtt_ns; /* latest sample, with the base round trip in place of the path's own */
	const struct fdcc_sight *before;
};

/* Unit of times and windows: the base round trip of the network's longest path, or of the pair's.
 */
double weir_fdcc_base_ns(const struct fdcc_params *p, const struct weir_cc_env *env);

/* A share of the line rate as an observation. */
double weir_fdcc_rate_seen(enum fdcc_rates rates, double share);

/* Fills in a decision at an ACK: observations, and what rewards are made of. */
void weir_fdcc_observe(const struct fdcc_params *p, const struct weir_cc_env *env,
		       const struct fdcc_self *self, const struct weir_cc_ack *a,
		       struct weir_cc_decision *d);
void weir_fdcc_remember(struct fdcc_sight *s, const struct weir_cc_ack *a,
			const struct weir_cc_decision *d);

/* The texts WEIR_LEARN_FEATURES and WEIR_LEARN_ACTIONS that a model must have. */
const char *weir_fdcc_features(const struct fdcc_params *p);
const char *weir_fdcc_actions(const struct fdcc_params *p);

extern const struct weir_cc_ops weir_cc_fdcc;
#endif
