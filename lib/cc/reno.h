/* SPDX-License-Identifier: BSD-3-Clause */
/* reno.h -- window growth and reduction of the Reno family: RFC 5681, in bytes or, as an option, in
 * whole segments. */
#ifndef CC_RENO_H
#define CC_RENO_H
#include "weir/cc.h"

enum reno_growth { GROWTH_BYTES, GROWTH_SEGMENTS };

/* First member of the params of every control that grows like Reno. */
struct reno_params {
	uint64_t growth;     /* enum reno_growth */
	uint64_t min_window; /* WEIR_OPT_LENGTH: marks do not reduce the window below it */
};

/* First member of the state of every control that grows like Reno. */
struct reno_window {
	struct weir_cc_window cc;
	/* Congestion avoidance: remainder of the last division, or bytes acknowledged since the
	 * last segment was added. */
	uint64_t credit;
};

static inline uint64_t larger_bytes(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t smaller_bytes(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline void reno_init(struct reno_window *w, const struct weir_cc_env *env)
{
	w->cc.window_bytes = env->initial_window_bytes;
	w->cc.ssthresh_bytes = WEIR_CC_SSTHRESH_START;
}

/* Slow start: as many bytes more as were acknowledged, up to ssthresh. Returns what is left over
 * for congestion avoidance. */
static inline uint64_t slow_start_grow(struct weir_cc_window *w, uint64_t acked_bytes)
{
	uint64_t step = 0;

	if (w->window_bytes < w->ssthresh_bytes)
		step = smaller_bytes(acked_bytes, w->ssthresh_bytes - w->window_bytes);
	w->window_bytes += step;
	return acked_bytes - step;
}

/* window += mss * acked / window, a segment for each window of data (RFC 5681, equation 3), with
 * what the division leaves kept for the next time. mss * acked < 2^16 * 2^40. */
static inline void grow_by_bytes(struct reno_window *w, uint32_t mss_bytes, uint64_t acked_bytes)
{
	w->credit += mss_bytes * acked_bytes;

	uint64_t step = w->credit / w->cc.window_bytes;

	w->credit -= step * w->cc.window_bytes;
	w->cc.window_bytes += step;
}

/* A whole segment whenever as many segments were acknowledged as the window has whole ones, as
 * Linux (tcp_cong_avoid_ai) and ns-3 (TcpLinuxReno) do. Credit from a time when the window was
 * larger is worth one segment at most. Cuts leave the credit alone, as in ns-3; Linux counts from 0
 * after each. */
void weir_reno_grow_by_segments(struct reno_window *w, uint32_t mss_bytes, uint64_t acked_bytes);

/* Slow start, and congestion avoidance with what is left over. */
static inline void reno_grow(struct reno_window *w, const struct reno_params *p, uint32_t mss_bytes,
			     uint64_t acked_bytes)
{
	acked_bytes = slow_start_grow(&w->cc, acked_bytes);
	if (acked_bytes == 0)
		return;
	if (p->growth == GROWTH_SEGMENTS)
		weir_reno_grow_by_segments(w, mss_bytes, acked_bytes);
	else
		grow_by_bytes(w, mss_bytes, acked_bytes);
}

/* After a cut the window is ssthresh; one that is already smaller, because a floor is above it,
 * stays as it is. */
static inline void reno_cut(struct reno_window *w, uint64_t to_bytes)
{
	w->cc.ssthresh_bytes = to_bytes;
	w->cc.window_bytes = smaller_bytes(w->cc.window_bytes, to_bytes);
}

/* Half, but at least two segments (RFC 5681, equation 4). */
static inline uint64_t half_window(const struct weir_cc_window *w, uint32_t mss_bytes)
{
	return larger_bytes(w->window_bytes / 2, 2 * (uint64_t)mss_bytes);
}

/* A WEIR_OPT_LENGTH in bytes; its packets are full segments. */
static inline uint64_t segments_to_bytes(uint64_t length, uint32_t mss_bytes)
{
	return weir_length_is_packets(length) ? weir_length_number(length) * mss_bytes : length;
}

static inline void reno_loss(struct reno_window *w, uint32_t mss_bytes)
{
	reno_cut(w, half_window(&w->cc, mss_bytes));
}

/* RTO: starts again from one segment. */
static inline void reno_timeout(struct reno_window *w, uint32_t mss_bytes,
				const struct weir_cc_ack *a)
{
	if (!a->timed_out_again)
		reno_cut(w, half_window(&w->cc, mss_bytes));
	w->cc.window_bytes = smaller_bytes(w->cc.window_bytes, mss_bytes);
}

extern const char *const weir_reno_growth_choices[];

/* --- options --- */

/* Largest lower bound of the window in an option; a segment is at most 2^16 bytes. */
#define MIN_WINDOW_MAX (UINT64_C(1000) * 1000)

/* RFC 5681 and Linux have two segments for every control; ns-3 has two for Reno, for DCTCP's
 * ssthresh none. */
#define MIN_WINDOW_OPTION(type, member, default_length) \
	{ \
		"min-window", WEIR_OPT_LENGTH, offsetof(type, member), default_length, 1, \
			MIN_WINDOW_MAX, \
			"marks do not cut the window below this; packets are full segments " \
			"(Linux: 2)", \
			NULL \
	}

#define GROWTH_OPTION(type, member) \
	{ \
		"growth", WEIR_OPT_CHOICE, offsetof(type, member), "bytes", 0, 1, \
			"congestion avoidance adds to the window by bytes (RFC 5681), or a whole " \
			"segment for every window of segments (ns-3; Linux counts anew after a " \
			"cut)", \
			weir_reno_growth_choices \
	}
#endif
