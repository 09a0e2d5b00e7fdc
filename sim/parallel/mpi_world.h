/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_world.h -- the processes that one mpirun has started: their number, this one's rank, messages
 * between them, collective calls, and a common start and end.
 *
 * Used by the MPI executor of runs (lab/campaign), by rollouts (train), and by ranks that share one
 * simulation. Only files named sim/parallel/mpi_*.c include <mpi.h>; without Open MPI at build time
 * a world has one process, and starting several is refused. All of it is called from the main
 * thread. There is one world in a process, as there is one MPI. */
#ifndef SIM_PARALLEL_MPI_WORLD_H
#define SIM_PARALLEL_MPI_WORLD_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* Number of processes and rank, from the environment that the launcher (mpirun) has set. */
struct world_launch {
	int size; /* 1: no launcher */
	int rank;
};
struct world_launch world_launch(void);

/* 1: this program was built with Open MPI. */
int world_is_built(void);

/* Initialises MPI if world_launch finds several processes; otherwise does nothing. -1: message. */
int world_begin(struct weir_error *e);

/* 1 and 0 before world_begin and after world_end. */
int world_size(void);
int world_rank(void);

/* The name of this machine, for messages. */
struct world_place {
	char name[256];
};
struct world_place world_place(void);

/* Ranks that have not answered for too long, as marked by the caller that noticed. A later message
 * may clear the mark. */
void world_set_lost(int rank, int is_lost);
int world_is_lost(int rank);
int world_lost(void); /* how many */

/* Finalises MPI, which waits for all others; without a world it does nothing. Where ranks are lost,
 * for which MPI would wait, the process exits here with that status. */
void world_end(int status);

/* Ends all processes at once. */
_Noreturn void world_abort(int status);

/* --- messages: bytes of any length, sent without blocking ---
 *
 * world_send copies the message and returns at once; messages that arrive are kept until they are
 * received. Messages of one sender may overtake each other where they differ much in size. When a
 * process is lost, messages in flight to and from it are lost, and no others. */

#define WORLD_MESSAGE_BYTES_MAX ((size_t)1 << 30)

struct world_message {
	int from, kind;
	unsigned char *bytes; /* the receiver's to free; NULL: none */
	size_t size;
};

/* -1: the rank cannot be reached, or the message is too large. */
int world_send(int to, int kind, const void *bytes, size_t size);

/* 1: m is the next message; 0: none has arrived. Also makes progress on messages in flight. */
int world_receive(struct world_message *m);

/* Waits, five seconds at most, until all messages that were sent have arrived. */
void world_flush(void);

/* --- collective calls: all processes make each of them, in the same order ---
 *
 * In a world of one they cost nothing. A failure aborts the world: no process can go on alone. */

/* Gives all processes the bytes of the process `from`. */
void world_broadcast(void *bytes, size_t size, int from);

/* 1: it holds for all of them. */
int world_all(int holds);

/* 1: it is the same number for all of them. */
int world_same(uint64_t number);
#endif
