/* SPDX-License-Identifier: BSD-3-Clause */
/* hystart.h -- a slow start that ends before the queue is full: HyStart++, RFC 9406.
 *
 * A round is a window of data. When even the fastest round trip of a round, of at least eight
 * samples, is longer than that of the round before by an eighth (section 4.2), a queue is building
 * up. The window then grows at a quarter of the pace, in conservative slow start, and after five
 * such rounds slow start is over; if round trips have become shorter again by then it goes on as
 * before. For the first slow start of a connection only, as section 4.3 advises; the control whose
 * state this is asks for nothing once its ssthresh is set.
 *
 * Differs: the RFC asks for a rise of 4 ms at least and takes one of 16 ms in any case, which is
 * made for the Internet; in a datacenter a full buffer is less than 4 ms and this would never
 * happen. So both are options, and the first is a thousand times smaller by default, as round-trip
 * times are. */
#ifndef CC_HYSTART_H
#define CC_HYSTART_H
#include "weir/cc.h"

enum {
	HYSTART_SAMPLES = 8,      /* N_RTT_SAMPLE: samples of a round before its minimum counts */
	HYSTART_DIVISOR = 8,      /* MIN_RTT_DIVISOR */
	HYSTART_CSS_ROUNDS = 5,   /* CSS_ROUNDS; the one in which it begins is the first */
	HYSTART_CSS_DIVISOR = 4,  /* CSS_GROWTH_DIVISOR */
	HYSTART_ACK_SEGMENTS = 8, /* L: what one ACK may add at most, as TCP is not paced here */
};

struct hystart_params {
	uint64_t is_on;
	uint64_t min_rise_ns, max_rise_ns; /* MIN_RTT_THRESH, MAX_RTT_THRESH */
};

struct hystart {
	/* Shortest round trips, 0: none; of the round before, of this one, and of the one in which
	 * conservative slow start began, if it has. */
	int64_t last_min_ns, round_min_ns, baseline_ns;
	uint64_t round_end_bytes; /* the round ends when this byte is acknowledged; 0: none began */
	uint32_t samples;         /* of this round */
	uint32_t css_rounds;      /* of conservative slow start that are over */
};

/* An ACK in slow start. Returns by how many bytes a window that may grow grows. */
uint64_t weir_hystart_ack(struct hystart *h, const struct hystart_params *p,
			  const struct weir_cc_ack *a, uint32_t mss_bytes);

/* 1: slow start is over; ssthresh should be the window. */
static inline int hystart_is_over(const struct hystart *h)
{
	return h->css_rounds == HYSTART_CSS_ROUNDS;
}
#endif
