/* SPDX-License-Identifier: BSD-3-Clause */
/* cluster.h -- what the commands for many machines share: weir merge, submit and status. */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H
#include "cli/commands.h"
#include "lab/campaign/shard.h"

/* Merges, frees, and says what came of it: the runs, and which shards lack some. Returns an exit
 * status: EXIT_WORLD also where runs are missing. */
int merge_and_tell(struct merge *m);
#endif
