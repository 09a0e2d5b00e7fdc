/* SPDX-License-Identifier: BSD-3-Clause */
/* pfc.h -- when does a switch tell a neighbour to stop? Priority flow control (IEEE 802.1Qbb).
 *
 * The memory of a switch has three parts: a little reserved for each (input, class), a shared part,
 * and headroom at each input for what still comes after the neighbour was told to stop. A class of
 * an input that uses more than alpha times what is free of the shared part is paused; what then
 * arrives goes to headroom. It may go on when its headroom is empty again and its share is below
 * the threshold by a margin. (The shared-memory switch of Li et al., "HPCC", SIGCOMM 2019; alpha =
 * 1/16 is the rule of Zhang, "An Investigation on Data Center Congestion Control Algorithms", 2023,
 * section 3.3.)
 *
 * Only accounts: whoever owns the switch sends the frames. */
#ifndef WEIR_PFC_H
#define WEIR_PFC_H
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

enum { WEIR_PFC_CLASSES = 8, WEIR_PFC_FRAME_BYTES = 64 };

enum weir_pfc_signal { WEIR_PFC_NOTHING, WEIR_PFC_PAUSE, WEIR_PFC_RESUME };

struct weir_pfc_params {
	uint64_t alpha_q32;
	uint64_t reserved_bytes;   /* for each class of each input */
	uint64_t xon_offset_bytes; /* below the threshold, before a class goes on */
};

/* One for a switch. */
struct weir_pfc_memory {
	const struct weir_pfc_params *params;
	uint64_t shared_buffer_bytes; /* all that can be shared: without what is reserved, and
					 headroom */
	uint64_t used_bytes;          /* of that */
};

/* One class of one input. */
struct weir_pfc_ingress {
	uint64_t bytes;         /* reserved and shared */
	uint64_t headroom_used; /* beyond */
	uint64_t headroom_bytes;
	uint32_t paused; /* 1: the neighbour was told to stop */
};

/* Most that a class may have of the shared part. used <= pool, alpha <= 2^7, pool < 2^40: with
 * eight bits of alpha behind the point no overflow. Here: when so many bytes more of it are
 * taken. */
static inline uint64_t weir_pfc_xoff_threshold_with(const struct weir_pfc_memory *m, uint64_t bytes)
{
	uint64_t used_bytes = m->used_bytes + bytes;
	uint64_t free_bytes =
		m->shared_buffer_bytes > used_bytes ? m->shared_buffer_bytes - used_bytes : 0;

	return (free_bytes * (m->params->alpha_q32 >> 24)) >> 8;
}

static inline uint64_t weir_pfc_xoff_threshold(const struct weir_pfc_memory *m)
{
	return weir_pfc_xoff_threshold_with(m, 0);
}

static inline uint64_t weir_pfc_shared(const struct weir_pfc_memory *m,
				       const struct weir_pfc_ingress *in)
{
	uint64_t reserved = m->params->reserved_bytes;

	return in->bytes > reserved ? in->bytes - reserved : 0;
}

/* What a class would have of the shared part with so many bytes more. */
static inline uint64_t weir_pfc_shared_with(const struct weir_pfc_memory *m,
					    const struct weir_pfc_ingress *in, uint64_t bytes)
{
	uint64_t all = in->bytes + bytes, reserved = m->params->reserved_bytes;

	return all > reserved ? all - reserved : 0;
}

/* May a packet use what is reserved or shared? With alpha above 1 the threshold is more than is
 * free. */
static inline int weir_pfc_fits(const struct weir_pfc_memory *m, const struct weir_pfc_ingress *in,
				uint64_t bytes)
{
	uint64_t shared = weir_pfc_shared_with(m, in, bytes);

	return shared == 0 ||
	       (shared <= weir_pfc_xoff_threshold(m) &&
		m->used_bytes + shared - weir_pfc_shared(m, in) <= m->shared_buffer_bytes);
}

/* Is there room for a packet? Where not, headroom was too small; it must hold one packet at least,
 * or the neighbour might never be told to stop. */
static inline int weir_pfc_admits(const struct weir_pfc_memory *m,
				  const struct weir_pfc_ingress *in, uint64_t bytes)
{
	return in->headroom_used + bytes <= in->headroom_bytes || weir_pfc_fits(m, in, bytes);
}

/* With a packet more, is the class still below the threshold that there will be then? There is room
 * for it, and nobody has to stop. */
static inline int weir_pfc_admits_fast(const struct weir_pfc_memory *m,
				       const struct weir_pfc_ingress *in, uint64_t bytes)
{
	uint64_t shared = weir_pfc_shared_with(m, in, bytes);

	return shared < weir_pfc_xoff_threshold_with(m, shared - weir_pfc_shared(m, in));
}

/* A packet takes of what is reserved or shared, and gives it back. */
static inline void weir_pfc_store(struct weir_pfc_memory *m, struct weir_pfc_ingress *in,
				  uint64_t bytes)
{
	m->used_bytes += weir_pfc_shared_with(m, in, bytes) - weir_pfc_shared(m, in);
	in->bytes += bytes;
}

static inline void weir_pfc_release(struct weir_pfc_memory *m, struct weir_pfc_ingress *in,
				    uint64_t bytes)
{
	uint64_t before = weir_pfc_shared(m, in);

	in->bytes -= bytes;
	m->used_bytes -= before - weir_pfc_shared(m, in);
}

/* A packet that was admitted is stored; the neighbour may have to stop. */
static inline enum weir_pfc_signal weir_pfc_enter(struct weir_pfc_memory *m,
						  struct weir_pfc_ingress *in, uint64_t bytes)
{
	if (weir_pfc_fits(m, in, bytes))
		weir_pfc_store(m, in, bytes);
	else
		in->headroom_used += bytes;
	if (in->paused ||
	    (in->headroom_used == 0 && weir_pfc_shared(m, in) < weir_pfc_xoff_threshold(m)))
		return WEIR_PFC_NOTHING;
	in->paused = 1;
	return WEIR_PFC_PAUSE;
}

/* A packet leaves, from headroom first; the neighbour may be able to go on. */
static inline enum weir_pfc_signal weir_pfc_leave(struct weir_pfc_memory *m,
						  struct weir_pfc_ingress *in, uint64_t bytes)
{
	uint64_t spare = in->headroom_used < bytes ? in->headroom_used : bytes;
	uint64_t shared;

	in->headroom_used -= spare;
	weir_pfc_release(m, in, bytes - spare);
	shared = weir_pfc_shared(m, in);
	if (!in->paused || in->headroom_used ||
	    (shared && shared + m->params->xon_offset_bytes > weir_pfc_xoff_threshold(m)))
		return WEIR_PFC_NOTHING;
	in->paused = 0;
	return WEIR_PFC_RESUME;
}

WEIR_END
#endif
