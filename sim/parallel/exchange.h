/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.h -- several processes that work on one thing in step: each is a rank, from 0 on.
 *
 * Whoever works in step fills parcels for other ranks and calls exchange_round, as often as all
 * others do; then it has their parcels, and what all of them together say to a few questions
 * (votes). How bytes get from one process to another is a table of a few functions: sockets between
 * processes of one machine (exchange_local.c), or MPI. One thread at a time may call, any one.
 *
 * A rank that is lost ends the others with a sentence and exit status 1: no caller could do
 * better. */
#ifndef SIM_PARALLEL_EXCHANGE_H
#define SIM_PARALLEL_EXCHANGE_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* Bytes under way; the room is used again. */
struct exchange_parcel {
	char *bytes;
	size_t size, room;
};

/* What a rank says in a round, and after it what all say together. */
struct exchange_votes {
	uint64_t least; /* the smallest */
	uint64_t most;  /* the largest */
	uint64_t any;   /* every bit that somebody has set */
	uint64_t sums[4];
};

struct exchange;

struct exchange_ops {
	const char *name;
	/* Parcels go to neighbours and come from them; out is empty afterwards, in has what
	 * came. */
	void (*round)(struct exchange *x, struct exchange_votes *votes);
	/* What every rank has put into out[its own number] is in everybody's in[that number]. */
	void (*share)(struct exchange *x);
	/* From another rank to rank 0, in order. */
	void (*give)(struct exchange *x, const void *bytes, size_t size);
	void (*take)(struct exchange *x, uint32_t from, void *bytes, size_t size);
	/* NULL, or in rank 0, once it is done: waits for the processes that were made for this. */
	void (*join)(struct exchange *x);
	void (*close)(struct exchange *x);
};

struct exchange {
	const struct exchange_ops *ops;
	uint32_t rank, ranks;
	uint8_t *is_neighbour;            /* by rank: parcels go to it and come from it */
	struct exchange_parcel *out, *in; /* by rank */
	/* For whoever wants to know what it cost. */
	uint64_t rounds, sent_bytes;
	double waited_seconds;
};

/* For back-ends: what all of them have, and how votes add up. */
void exchange_init(struct exchange *x, const struct exchange_ops *ops, uint32_t rank,
		   uint32_t ranks);
void exchange_free(struct exchange *x);
void exchange_votes_add(struct exchange_votes *sum, const struct exchange_votes *v);
void parcel_room(struct exchange_parcel *p, size_t size);

/* The sentence, and the end: a rank is gone, and why. */
_Noreturn void exchange_lost(const struct exchange *x, uint32_t rank, const char *why);

/* More at the end of a parcel: where it is to be written. */
void *parcel_more(struct exchange_parcel *p, size_t size);

static inline void exchange_round(struct exchange *x, struct exchange_votes *votes)
{
	x->rounds++;
	x->ops->round(x, votes);
}

static inline void exchange_share(struct exchange *x)
{
	x->ops->share(x);
}

static inline void exchange_give(struct exchange *x, const void *bytes, size_t size)
{
	if (size)
		x->ops->give(x, bytes, size);
}

static inline void exchange_take(struct exchange *x, uint32_t from, void *bytes, size_t size)
{
	if (size)
		x->ops->take(x, from, bytes, size);
}

/* Many small things from another rank to rank 0, in order: collected into larger ones. Both sides
 * say the same sizes in the same order; whoever gives ends with exchange_flush. */
struct exchange_stream {
	struct exchange *x;
	uint32_t from;
	struct exchange_parcel parcel;
	size_t taken; /* of it, by the side that takes */
};

void exchange_put(struct exchange_stream *s, const void *bytes, size_t size);
void exchange_flush(struct exchange_stream *s);
void exchange_get(struct exchange_stream *s, void *bytes, size_t size);

/* NULL is fine. */
void exchange_close(struct exchange *x);

/* --- exchange_local.c: processes of this machine --- */

/* Starts ranks - 1 processes more, each a copy of this one that goes on where this returns, with
 * its own number. -1: the system refuses; the message says what, and this process is alone. */
int exchange_fork(struct exchange **out, uint32_t ranks, struct weir_error *e);
#endif
