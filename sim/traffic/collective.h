/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.h -- who sends what to whom, and after what, in a collective operation of n ranks.
 *
 * The bytes of a collective are split into lanes: one for each channel (a connection of its own)
 * and chunk (a piece of the data that goes through the algorithm by itself). In a lane every rank
 * works through its steps in order. A step sends one message, and may begin once the messages that
 * it needs have arrived. Nothing is stored but the progress of each lane: steps are computed, so
 * that a ring of 1024 ranks, with 2 million messages, needs no list of them.
 *
 * Pure functions without memory of their own. */
#ifndef SIM_TRAFFIC_COLLECTIVE_H
#define SIM_TRAFFIC_COLLECTIVE_H
#include <stdint.h>

enum collective_kind {
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_BROADCAST,
	COLLECTIVE_POINT_TO_POINT, /* each rank to the next one */
	COLLECTIVE_KINDS
};

enum collective_algorithm {
	COLLECTIVE_RING,
	COLLECTIVE_HALVING_DOUBLING,
	COLLECTIVE_TREE,
	COLLECTIVE_DIRECT,
	COLLECTIVE_HIERARCHICAL,
	COLLECTIVE_ALGORITHMS
};

/* bytes as nccl-tests count them: of each rank's buffer; of the gathered result (all-gather); of
 * each rank's input (reduce-scatter, all-to-all: with the part that it keeps). */
struct collective {
	enum collective_kind kind;
	enum collective_algorithm algorithm;
	uint32_t ranks; /* at least 2 */
	uint32_t local; /* hierarchical: ranks of a server, at least 2, of at least 2 servers */
	uint32_t root;  /* broadcast */
	uint32_t channels, chunks;
	uint64_t bytes;
	/* all-to-all: bytes from rank i to rank j at [i * ranks + j], and bytes is the most that a
	 * rank sends to others; NULL: equal parts of bytes. */
	const uint64_t *matrix;
};

/* Limits, by which labels and progress fit their fields. */
enum { COLLECTIVE_RANKS_MAX = 65535, COLLECTIVE_LANES_MAX = 4096, COLLECTIVE_CHANNELS_MAX = 64 };

/* What a rank sends in a step. */
struct collective_step {
	uint32_t to;    /* rank */
	uint32_t label; /* for collective_arrive at the receiver */
	uint64_t bytes; /* 0: nothing is sent */
	/* Messages with that label that must have arrived before. */
	uint32_t need_label, need;
};

/* The name, for messages and help; NULL behind the last one. */
extern const char *const collective_kind_names[COLLECTIVE_KINDS + 1];
extern const char *const collective_algorithm_names[COLLECTIVE_ALGORITHMS + 1];

/* Does the algorithm exist for the kind? */
int collective_exists(enum collective_kind kind, enum collective_algorithm algorithm);

/* The algorithm that a kind has unless one is chosen. */
enum collective_algorithm collective_usual(enum collective_kind kind);

int collective_is_same(const struct collective *a, const struct collective *b);

/* Least bytes, so that no message is empty. */
uint64_t collective_bytes_min(const struct collective *c);

/* What bus bandwidth is in multiples of algorithm bandwidth (bytes / time): the share of the bytes
 * that must cross each rank's link (nccl-tests, doc/PERFORMANCE.md). */
double collective_bus_factor(const struct collective *c);

uint32_t collective_lanes(const struct collective *c);

/* The channel of a lane. */
uint32_t collective_channel(const struct collective *c, uint32_t lane);

/* Steps and arrivals of a rank in a lane. */
uint32_t collective_steps(const struct collective *c, uint32_t rank, uint32_t lane);
uint32_t collective_arrivals(const struct collective *c, uint32_t rank, uint32_t lane);

/* 1: a rank's part is over when its messages are acknowledged, because it needs none of the others'
 * to end: otherwise a root would run ahead of all others. */
int collective_waits_for_acks(const struct collective *c);

/* Most messages that a rank has under way at a time, of all lanes; and most other ranks that it
 * sends to. */
uint64_t collective_in_flight(const struct collective *c);
uint64_t collective_peers(const struct collective *c);

struct collective_step collective_step(const struct collective *c, uint32_t rank, uint32_t lane,
				       uint32_t step);

/* Progress of a rank in a lane: 0 at the beginning. */
void collective_arrive(const struct collective *c, uint64_t *progress, uint32_t label);
int collective_is_ready(const struct collective *c, uint64_t progress,
			const struct collective_step *step);
#endif
