/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c -- what all back-ends of exchange.h share: buffers, votes, streams. */
#include "sim/parallel/exchange.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void exchange_init(struct exchange *x, const struct exchange_ops *ops, uint32_t rank,
		   uint32_t ranks)
{
	x->ops = ops;
	x->rank = rank;
	x->ranks = ranks;
	x->is_neighbour = memory_zeroed(ranks, sizeof(*x->is_neighbour));
	x->out = memory_zeroed(ranks, sizeof(*x->out));
	x->in = memory_zeroed(ranks, sizeof(*x->in));
}

void exchange_free(struct exchange *x)
{
	for (uint32_t i = 0; i < x->ranks; i++) {
		free(x->out[i].bytes);
		free(x->in[i].bytes);
	}
	free(x->is_neighbour);
	free(x->out);
	free(x->in);
}

void exchange_close(struct exchange *x)
{
	if (x)
		x->ops->close(x);
}

void exchange_votes_add(struct exchange_votes *sum, const struct exchange_votes *v)
{
	if (v->least < sum->least)
		sum->least = v->least;
	if (v->most > sum->most)
		sum->most = v->most;
	sum->any |= v->any;
	for (uint32_t i = 0; i < sizeof(v->sums) / sizeof(v->sums[0]); i++)
		sum->sums[i] += v->sums[i];
}

void exchange_reserve(struct exchange_buffer *p, size_t size)
{
	if (size <= p->room)
		return;
	p->room = size < 4096 ? 4096 : 2 * size;
	p->bytes = memory_grow(p->bytes, p->room, 1);
}

void *exchange_extend(struct exchange_buffer *p, size_t size)
{
	exchange_reserve(p, p->size + size);
	p->size += size;
	return p->bytes + p->size - size;
}

void exchange_append(struct exchange_buffer *p, const void *bytes, size_t size)
{
	if (size)
		memcpy(exchange_extend(p, size), bytes, size);
}

/* --- streams --- */

enum { STREAM_BYTES = 1 << 16 };

void exchange_flush(struct exchange_stream *s)
{
	uint64_t size = s->buffer.size;

	if (!size)
		return;
	exchange_send(s->x, &size, sizeof(size));
	exchange_send(s->x, s->buffer.bytes, s->buffer.size);
	s->buffer.size = 0;
}

void exchange_put(struct exchange_stream *s, const void *bytes, size_t size)
{
	if (!size)
		return;
	exchange_append(&s->buffer, bytes, size);
	if (s->buffer.size >= STREAM_BYTES)
		exchange_flush(s);
}

void exchange_get(struct exchange_stream *s, void *bytes, size_t size)
{
	uint64_t coming;

	if (!size)
		return;
	if (s->taken == s->buffer.size) {
		exchange_receive(s->x, s->from, &coming, sizeof(coming));
		exchange_reserve(&s->buffer, coming);
		exchange_receive(s->x, s->from, s->buffer.bytes, coming);
		s->buffer.size = coming;
		s->taken = 0;
	}
	memcpy(bytes, s->buffer.bytes + s->taken, size);
	s->taken += size;
}

void exchange_lost(const struct exchange *x, uint32_t rank, const char *why)
{
	fprintf(stderr, "weir: rank %u of %u is gone (%s), so that rank %u ends without a result\n",
		rank, x->ranks, why, x->rank);
	exit(EXIT_FAILURE);
}
