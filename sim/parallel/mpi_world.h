/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_world.h -- the processes that one mpirun has started: how many there are, which one this is,
 * and how they begin and end together.
 *
 * For whoever works with several of them: the farm of runs (lab/campaign), rollouts (train), and
 * ranks that share one simulation. Only this room includes <mpi.h>; without Open MPI at build time
 * a world has one process, and starting several is refused. All of it is called from the main
 * thread. */
#ifndef SIM_PARALLEL_MPI_WORLD_H
#define SIM_PARALLEL_MPI_WORLD_H
#include "weir/error.h"

/* What whoever started this process says of it, in the environment; nothing is begun by asking. */
struct world_notice {
	int size; /* 1: it was started alone */
	int rank;
};
struct world_notice world_notice(void);

/* 1: this program was built with Open MPI. */
int world_is_built(void);

/* Joins the others, where the notice says that there are some; without any nothing happens. -1:
 * message. */
int world_begin(struct weir_error *e);

/* 1 and 0 outside of begin and end. */
int world_size(void);
int world_rank(void);

/* The name of this machine, for messages. */
struct world_place {
	char name[256];
};
struct world_place world_place(void);

/* Of ranks that were not heard of for long: whoever finds out says so. They may speak up again. */
void world_set_lost(int rank, int is_lost);
int world_is_lost(int rank);
int world_lost(void); /* how many */

/* Waits for all others to end as well; without a world nothing happens. Where some are lost nobody
 * is waited for: the process ends here, with that status. */
void world_end(int status);

/* Ends all of them at once, wherever they are. */
_Noreturn void world_abort(int status);
#endif
