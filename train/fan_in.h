/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_in.h -- draws the scenarios of training episodes for congestion controls.
 *
 * Fan-ins: flows to one receiver through the bottleneck of a dumbbell (Zhang, FDCC, section 4.4),
 * at 100 Gb/s. There are 2, 6, 12, 24, 48 or 96 flows, optionally 192, each with a sender of its
 * own; links have a delay of 150 ns to 1 us. In training episodes half of the flows end after about
 * half of the time. Episodes last some hundred decisions per flow: among many, a flow gets an ACK
 * every few round trips only.
 *
 * Varied networks (varied.c): fan-ins of 10 to 400 Gb/s with near and far senders and base round
 * trips of 1 to 50 us, parking lots, in which long paths cross several bottlenecks, and leaf-spine
 * networks with flows of drawn sizes and incasts. */
#ifndef TRAIN_FAN_IN_H
#define TRAIN_FAN_IN_H
#include "train/trainer.h"

enum { FAN_IN_FLOWS_STANDARD = 96, FAN_IN_FLOWS_MAX = 192 };

/* All senders are equally far from the receiver, or in half of the episodes some of them share its
 * switch (fan_in.c). */
enum fan_in_paths { FAN_IN_EQUAL, FAN_IN_MIXED };

enum fan_in_networks { FAN_IN_ONLY, FAN_IN_VARIED };

struct fan_in {
	const char *cc; /* spec; its network is replaced by policy */
	uint64_t seed;
	/* EXPLORE draws the number of flows such that each number contributes about equally many
	 * decisions; JUDGE cycles through all numbers with short, then with long links: twelve
	 * episodes are a full set of the standard. */
	const struct train_episode *which;
	uint32_t flows_max; /* of an episode */
	enum fan_in_paths paths;
	enum fan_in_networks networks; /* VARIED: paths are mixed */
};

/* The flows_max of a curriculum at progress share, 0 to 1: sizes are added one by one, after equal
 * shares. */
uint32_t fan_in_stage(uint32_t flows_max, double share);

/* The text of its scenario, for the caller to free. */
char *fan_in_scenario(const struct fan_in *f);

/* --- varied.c --- */

enum varied_kind { VARIED_FAN_IN, VARIED_PARKING_LOT, VARIED_CLOS };

/* EXPLORE draws the kind; JUDGE has two fan-ins, a parking lot and a leaf-spine network in turn. */
enum varied_kind varied_kind_of(const struct fan_in *f);

/* The text of a parking lot or a leaf-spine network. */
char *varied_scenario(const struct fan_in *f, enum varied_kind kind);
#endif
