/* reno.h -- what the congestion controls of the Reno family have in common: how the window grows and
 * what a loss does to it. RFC 5681, in bytes. */
#ifndef CC_RENO_H
#define CC_RENO_H
#include "weir/cc.h"

/* Begins the state of every control that grows like Reno. */
struct reno_window {
	struct cc_window cc;
	uint64_t credit; /* what the last division of congestion avoidance left */
};

static inline uint64_t larger_bytes(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t smaller_bytes(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline void reno_init(struct reno_window *w, const struct cc_env *env)
{
	w->cc.window_bytes = env->initial_window_bytes;
	w->cc.ssthresh_bytes = CC_SSTHRESH_START;
}

/* Slow start: as many bytes more as were acknowledged, up to ssthresh. Returns what is left over for
 * congestion avoidance. */
static inline uint64_t slow_start_grow(struct cc_window *w, uint64_t acked_bytes)
{
	uint64_t step = 0;

	if (w->window_bytes < w->ssthresh_bytes)
		step = smaller_bytes(acked_bytes, w->ssthresh_bytes - w->window_bytes);
	w->window_bytes += step;
	return acked_bytes - step;
}

/* Congestion avoidance: window += mss * acked / window, a segment for each window of data (RFC 5681,
 * equation 3), with what the division leaves kept for the next time. mss * acked < 2^16 * 2^40. */
static inline void reno_grow(struct reno_window *w, uint32_t mss_bytes, uint64_t acked_bytes)
{
	acked_bytes = slow_start_grow(&w->cc, acked_bytes);
	if (acked_bytes == 0)
		return;
	w->credit += mss_bytes * acked_bytes;

	uint64_t step = w->credit / w->cc.window_bytes;

	w->credit -= step * w->cc.window_bytes;
	w->cc.window_bytes += step;
}

/* After a cut the window is ssthresh; one that is already smaller, because a floor is above it, stays
 * as it is. */
static inline void reno_cut(struct reno_window *w, uint64_t to_bytes)
{
	w->cc.ssthresh_bytes = to_bytes;
	w->cc.window_bytes = smaller_bytes(w->cc.window_bytes, to_bytes);
}

/* Half, but at least two segments (RFC 5681, equation 4). */
static inline uint64_t half_window(const struct cc_window *w, uint32_t mss_bytes)
{
	return larger_bytes(w->window_bytes / 2, 2 * (uint64_t)mss_bytes);
}

static inline void reno_loss(struct reno_window *w, uint32_t mss_bytes)
{
	reno_cut(w, half_window(&w->cc, mss_bytes));
}

/* Everything is taken for lost: start again from one segment. */
static inline void reno_timeout(struct reno_window *w, uint32_t mss_bytes, const struct cc_ack *a)
{
	if (!a->timed_out_again)
		reno_cut(w, half_window(&w->cc, mss_bytes));
	w->cc.window_bytes = smaller_bytes(w->cc.window_bytes, mss_bytes);
}

/* Hooks of struct cc_ops for controls that differ from Reno only in their cuts. */
void reno_start(void *state, const void *params, const struct cc_env *env);
void reno_ack(void *state, const void *params, const struct cc_env *env, const struct cc_ack *a);

/* An OPT_LENGTH whose packets are full segments. */
static inline uint64_t segments_to_bytes(uint64_t length, uint32_t mss_bytes)
{
	return length_is_packets(length) ? length_number(length) * mss_bytes : length;
}

/* Smallest window that an option may ask for; a segment is at most 2^16 bytes. */
#define MIN_WINDOW_MAX (UINT64_C(1000) * 1000)

#define MIN_WINDOW_OPTION(type, member) \
	{ \
		"min-window", OPT_LENGTH, offsetof(type, member), "1pkts", 1, MIN_WINDOW_MAX, \
			"marks do not cut the window below this; packets are full segments", NULL \
	}
#endif
