/* SPDX-License-Identifier: BSD-3-Clause */
/* hystart.c -- rounds of HyStart++; see hystart.h. */
#include "lib/cc/hystart.h"

/* Section 4.2: RttThresh = max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR,
 * MAX_RTT_THRESH)). */
static int64_t hystart_rise_ns(const struct hystart *h, const struct hystart_params *p)
{
	int64_t rise = h->last_min_ns / HYSTART_DIVISOR;

	if (rise > (int64_t)p->max_rise_ns)
		rise = (int64_t)p->max_rise_ns;
	return rise > (int64_t)p->min_rise_ns ? rise : (int64_t)p->min_rise_ns;
}

/* After HYSTART_SAMPLES samples of a round: enters conservative slow start, or leaves it again. */
static void hystart_update_phase(struct hystart *h, const struct hystart_params *p)
{
	if (h->baseline_ns) {
		if (h->round_min_ns < h->baseline_ns)
			h->baseline_ns = 0;
	} else if (h->last_min_ns && h->round_min_ns >= h->last_min_ns + hystart_rise_ns(h, p)) {
		h->baseline_ns = h->round_min_ns;
		h->css_rounds = 0;
	}
}

static void hystart_end_round(struct hystart *h, uint64_t next_bytes)
{
	h->css_rounds += h->baseline_ns != 0;
	h->last_min_ns = h->round_min_ns;
	h->round_min_ns = 0;
	h->samples = 0;
	h->round_end_bytes = next_bytes;
}

/* The first round is what was sent before the first ACK. */
uint64_t weir_hystart_ack(struct hystart *h, const struct hystart_params *p,
			  const struct weir_cc_ack *a, uint32_t mss_bytes)
{
	uint64_t most_bytes = HYSTART_ACK_SEGMENTS * (uint64_t)mss_bytes;
	uint64_t bytes = a->acked_bytes < most_bytes ? a->acked_bytes : most_bytes;

	if (!h->round_end_bytes)
		h->round_end_bytes = a->next_bytes;
	if (a->rtt_ns > 0) {
		if (!h->round_min_ns || a->rtt_ns < h->round_min_ns)
			h->round_min_ns = a->rtt_ns;
		h->samples++;
	}
	if (h->samples >= HYSTART_SAMPLES)
		hystart_update_phase(h, p);
	if (h->baseline_ns)
		bytes /= HYSTART_CSS_DIVISOR;
	if (a->una_bytes >= h->round_end_bytes)
		hystart_end_round(h, a->next_bytes);
	return bytes;
}
