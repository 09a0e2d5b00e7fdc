/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h -- bulk-synchronous communication between the processes that simulate one network.
 * Each process is a rank, numbered from 0.
 *
 * A rank fills buffers for other ranks and calls exchange_round as often as all others do; then it
 * has their buffers and the combined votes of all ranks. A back-end moves the bytes: sockets
 * between processes of one machine (exchange.c), or MPI (mpi_exchange.c).
 *
 * Ownership: exchange_fork or exchange_world makes an exchange, exchange_close ends it. Threads:
 * any, one at a time. Errors: when a rank is lost the others exit with a message and status 1,
 * since no caller could continue. */
#ifndef SIM_PARALLEL_EXCHANGE_H
#define SIM_PARALLEL_EXCHANGE_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* A growing run of bytes; its memory is reused from round to round. */
struct exchange_buffer {
	char *bytes;
	size_t size, room;
};

/* A rank's votes in a round, and after the round the combined votes of all ranks. */
struct exchange_votes {
	uint64_t least; /* the smallest */
	uint64_t most;  /* the largest */
	uint64_t any;   /* the bits that any rank has set */
	uint64_t sums[4];
};

struct exchange;

struct exchange_ops {
	const char *name;
	/* Sends out[i] to each neighbour i and receives in[i]; out is empty afterwards. */
	void (*round)(struct exchange *x, struct exchange_votes *votes);
	/* All-gather: gives every rank the out[i] of rank i as in[i]. */
	void (*allgather)(struct exchange *x);
	/* A stream of bytes from another rank to rank 0, in order. */
	void (*send)(struct exchange *x, const void *bytes, size_t size);
	void (*receive)(struct exchange *x, uint32_t from, void *bytes, size_t size);
	/* Rank 0 waits for the processes that exchange_fork has made. NULL: none. */
	void (*join)(struct exchange *x);
	void (*close)(struct exchange *x);
};

struct exchange {
	const struct exchange_ops *ops;
	uint32_t rank, ranks;
	uint8_t *is_neighbour;            /* by rank: buffers go to it and come from it */
	struct exchange_buffer *out, *in; /* by rank */
	/* Cost, for statistics. */
	uint64_t rounds, sent_bytes;
	double waited_seconds;
};

/* For back-ends: construction, and combining votes. */
void exchange_init(struct exchange *x, const struct exchange_ops *ops, uint32_t rank,
		   uint32_t ranks);
void exchange_free(struct exchange *x);
void exchange_votes_add(struct exchange_votes *sum, const struct exchange_votes *v);
void exchange_reserve(struct exchange_buffer *p, size_t size);

/* Exits with a message that says which rank is lost, and why. */
_Noreturn void exchange_lost(const struct exchange *x, uint32_t rank, const char *why);

/* Makes the buffer longer by size bytes and returns where they are. */
void *exchange_extend(struct exchange_buffer *p, size_t size);
void exchange_append(struct exchange_buffer *p, const void *bytes, size_t size);

/* Appends to what this rank contributes to the next exchange_allgather. */
static inline void exchange_append_own(struct exchange *x, const void *bytes, size_t size)
{
	exchange_append(&x->out[x->rank], bytes, size);
}

static inline void exchange_round(struct exchange *x, struct exchange_votes *votes)
{
	x->rounds++;
	x->ops->round(x, votes);
}

static inline void exchange_allgather(struct exchange *x)
{
	x->ops->allgather(x);
}

static inline void exchange_send(struct exchange *x, const void *bytes, size_t size)
{
	if (size)
		x->ops->send(x, bytes, size);
}

static inline void exchange_receive(struct exchange *x, uint32_t from, void *bytes, size_t size)
{
	if (size)
		x->ops->receive(x, from, bytes, size);
}

/* Small pieces from another rank to rank 0, in order, buffered into larger messages. Both sides
 * use the same sizes in the same order; the sender ends with exchange_flush. */
struct exchange_stream {
	struct exchange *x;
	uint32_t from;
	struct exchange_buffer buffer;
	size_t taken; /* bytes of the buffer that the receiver has read */
};

void exchange_put(struct exchange_stream *s, const void *bytes, size_t size);
void exchange_flush(struct exchange_stream *s);
void exchange_get(struct exchange_stream *s, void *bytes, size_t size);

/* NULL: nothing to do. */
void exchange_close(struct exchange *x);

/* --- exchange.c: processes of this machine --- */

/* Forks ranks - 1 processes; each returns from here with its own rank. -1: the system refuses, with
 * a message; this process is alone. */
int exchange_fork(struct exchange **out, uint32_t ranks, struct weir_error *e);

/* --- mpi_exchange.c: processes of an mpirun (mpi_world.h) --- */

/* Collective: all processes of the world call it. -1: there is one process only, or the program was
 * built without Open MPI; message. */
int exchange_world(struct exchange **out, struct weir_error *e);
#endif
