/* SPDX-License-Identifier: BSD-3-Clause */
/* bed.h -- the hosts of a testbed: a process and a network namespace each, with a cable to the
 * switch.
 *
 * Namespaces have no name and cables end in them, so that all of it goes with its processes; and
 * these go with whoever made them, also where that is killed. The caller itself moves into a
 * namespace of its own, which is the switch's: there the other ends of the cables are, "weir-h0"
 * and so on. It stays there. */
#ifndef TESTBED_BED_H
#define TESTBED_BED_H
#include "testbed/board.h"
#include "weir/error.h"
#include <sys/types.h>

/* How the hosts' kernels are set. */
struct bed_plan {
	uint32_t mtu_bytes;
	uint32_t initial_window_pkts;
	uint32_t rto_min_ms;
	int has_ecn;   /* where a congestion control does not ask for it itself */
	int acks_each; /* a packet each is answered at once */
	int has_timestamps;
	int has_tail_probe;
	int has_idle_restart;
};

struct bed {
	struct bed_board *board;
	size_t board_bytes;
	pid_t processes[BED_HOSTS_MAX];
};

/* A board for so many flows and bins, all zero. */
int bed_new(struct bed *bed, uint32_t flows, uint32_t bins, struct weir_error *e);
void bed_free(struct bed *bed); /* and every host */

/* Moves into a namespace; what is missing where that is not allowed is in the message. */
int bed_enter(struct weir_error *e);

/* Makes the hosts of the board, which wait for its epoch when this returns. */
int bed_start(struct bed *bed, const struct bed_plan *plan, struct weir_error *e);

/* 1: every host is still there. */
int bed_is_whole(const struct bed *bed, struct weir_error *e);

#define BED_INTERFACE "weir-h"

/* "02:00:00:00:00:07" of host 6; returns buffer. */
enum { BED_ADDRESS = 18 };
const char *bed_address(uint32_t host, char buffer[BED_ADDRESS]);
#endif
