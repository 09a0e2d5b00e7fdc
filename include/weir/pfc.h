/* SPDX-License-Identifier: BSD-3-Clause */
/* pfc.h -- priority flow control (IEEE 802.1Qbb): ingress accounting, XOFF and XON.
 *
 * The memory of a switch has three parts: a reserved part for each class of each ingress, a shared
 * buffer, and headroom at each ingress for packets that still arrive after a pause frame was sent.
 * A class of an ingress is paused when its part of the shared buffer reaches the XOFF threshold,
 *
 *	XOFF = alpha (shared buffer - used),
 *
 * and packets that arrive above it go to headroom. It is resumed when its headroom is empty and its
 * part is at or below XON = XOFF - xon_offset; the offset is the hysteresis that keeps pause and
 * resume frames from alternating. (The shared-memory switch of Li et al., "HPCC", SIGCOMM 2019;
 * alpha = 1/16 is the rule of Zhang, "An Investigation on Data Center Congestion Control
 * Algorithms", 2023, section 3.3.)
 *
 * Accounting only, in bytes: the owner of the switch sends the frames. One thread at a time per
 * switch; nothing allocates or fails. */
#ifndef WEIR_PFC_H
#define WEIR_PFC_H
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

enum { WEIR_PFC_CLASSES = 8, WEIR_PFC_FRAME_BYTES = 64 };

enum weir_pfc_signal { WEIR_PFC_NOTHING, WEIR_PFC_PAUSE, WEIR_PFC_RESUME };

struct weir_pfc_params {
	uint64_t alpha_q32;
	uint64_t reserved_bytes;   /* for each class of each ingress */
	uint64_t xon_offset_bytes; /* XOFF - XON */
};

/* The memory of a switch. */
struct weir_pfc_memory {
	const struct weir_pfc_params *params;
	uint64_t shared_buffer_bytes; /* all that can be shared: without what is reserved, and
					 headroom */
	uint64_t used_bytes;          /* of that */
};

/* One class of one ingress. */
struct weir_pfc_ingress {
	uint64_t bytes;         /* in the reserved part and the shared buffer */
	uint64_t headroom_used; /* bytes in headroom */
	uint64_t headroom_bytes;
	uint32_t paused; /* 1: the upstream neighbour was sent a pause frame */
};

/* The XOFF threshold, once that many bytes more of the shared buffer are in use. used <= buffer <
 * 2^40 and alpha <= 2^7: with eight fractional bits of alpha no overflow. */
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

/* A class's part of the shared buffer. */
static inline uint64_t weir_pfc_shared(const struct weir_pfc_memory *m,
				       const struct weir_pfc_ingress *in)
{
	uint64_t reserved = m->params->reserved_bytes;

	return in->bytes > reserved ? in->bytes - reserved : 0;
}

/* A class's part of the shared buffer with that many bytes more. */
static inline uint64_t weir_pfc_shared_with(const struct weir_pfc_memory *m,
					    const struct weir_pfc_ingress *in, uint64_t bytes)
{
	uint64_t all = in->bytes + bytes, reserved = m->params->reserved_bytes;

	return all > reserved ? all - reserved : 0;
}

/* Does a packet fit the reserved part and the shared buffer? With alpha above 1 the threshold may
 * exceed the free bytes, so these are checked as well. */
static inline int weir_pfc_fits(const struct weir_pfc_memory *m, const struct weir_pfc_ingress *in,
				uint64_t bytes)
{
	uint64_t shared = weir_pfc_shared_with(m, in, bytes);

	return shared == 0 ||
	       (shared <= weir_pfc_xoff_threshold(m) &&
		m->used_bytes + shared - weir_pfc_shared(m, in) <= m->shared_buffer_bytes);
}

/* Is there room for a packet? If not, headroom is too small. Headroom must hold one packet at
 * least, or the neighbour might never be paused. */
static inline int weir_pfc_admits(const struct weir_pfc_memory *m,
				  const struct weir_pfc_ingress *in, uint64_t bytes)
{
	return in->headroom_used + bytes <= in->headroom_bytes || weir_pfc_fits(m, in, bytes);
}

/* Fast path: with this packet the class stays below the XOFF threshold that then holds, so there is
 * room for it and no pause frame to send. */
static inline int weir_pfc_admits_fast(const struct weir_pfc_memory *m,
				       const struct weir_pfc_ingress *in, uint64_t bytes)
{
	uint64_t shared = weir_pfc_shared_with(m, in, bytes);

	return shared < weir_pfc_xoff_threshold_with(m, shared - weir_pfc_shared(m, in));
}

/* Stores a packet in, or releases it from, the reserved part and the shared buffer. */
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

/* Stores a packet that was admitted. WEIR_PFC_PAUSE: the neighbour has to be paused (XOFF). */
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

/* Releases a packet, from headroom first. WEIR_PFC_RESUME: the neighbour can be resumed (XON). */
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
