/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_post.h -- letters between the processes of a world (sim/parallel/mpi_world.h): bytes of any
 * length, which nobody waits for.
 *
 * What is sent is copied and on its way when post_send returns; what arrives lies there until it is
 * taken. Letters of one sender may overtake each other where they differ much in size. A process
 * that is lost takes with it what was on its way to and from it, and no more. There is one post
 * office in a process, as there is one MPI. */
#ifndef SIM_PARALLEL_MPI_POST_H
#define SIM_PARALLEL_MPI_POST_H
#include <stddef.h>

#define POST_BYTES_MAX ((size_t)1 << 30) /* of one letter */

struct letter {
	int from, kind;
	unsigned char *bytes; /* the taker's to free; NULL: none */
	size_t size;
};

/* -1: nobody is there to whom it could be sent. */
int post_send(int to, int kind, const void *bytes, size_t size);

/* 1: here is one; 0: none has arrived. Also moves what is on its way. */
int post_take(struct letter *l);

/* Waits, a while at most, until all that was sent has arrived. */
void post_flush(void);
#endif
