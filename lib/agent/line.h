/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h -- a setting as switches have it, (K_min, K_max, P_max), as knobs. */
#ifndef AGENT_LINE_H
#define AGENT_LINE_H
#include "weir/tune.h"

/* Slope P_max / (K_max - K_min), per MB, rounded to the nearest. Where both thresholds are the same
 * nothing lies between them; the line then rises to P_max within a byte. p_q32 <= 2^32, so the
 * product is below 2^52. */
static inline struct weir_tune_knobs agent_line(uint64_t min_bytes, uint64_t max_bytes,
						uint64_t p_q32)
{
	const uint64_t mb_bytes = 1000 * 1000;
	uint64_t width = max_bytes > min_bytes ? max_bytes - min_bytes : 1;

	return (struct weir_tune_knobs){ min_bytes, max_bytes,
					 (p_q32 * mb_bytes + width / 2) / width };
}
#endif
