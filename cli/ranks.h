/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h -- the other processes of one run, where --ranks asks for them: so many of this machine,
 * or those that mpirun has started. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H
#include "cli/commands.h"
#include "sim/parallel/exchange.h"

enum { RANKS_OF_WORLD = 0, RANKS_MAX = 64 };

/* What --ranks says; 1 where it is not given. What does not go with it is refused. */
int ranks_read(const struct arguments *a, uint32_t *ranks, struct weir_error *e);

/* Does the command line ask mpirun's processes to share one run? */
int ranks_share_one(const struct arguments *a);

/* The others are there, each in this function and with the same command; or *out is NULL, where
 * this process does all. Ready: whether this one is; -1 where somebody is not, who has said so, or
 * with a message. Only rank 0 shows and writes. */
enum ranks_ready { RANKS_READY, RANKS_NOT_READY };
int ranks_start(struct exchange **out, uint32_t ranks, enum ranks_ready ready,
		struct weir_error *e);

/* All is shown: waits for the others. Processes that ranks_start has made end here, with that
 * status. */
void ranks_end(struct exchange *x, int status);
#endif
