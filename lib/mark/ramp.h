/* SPDX-License-Identifier: BSD-3-Clause */
/* ramp.h -- the line from "never" to "always" by which RED and its kin mark, in integers.
 *
 * Two ways to write the same line (Du et al., "PRED", NSDI 2025, section 2.1): two points,
 * probability 0 at min and p at max; or a point and a slope, so much per MB above min. slope = p /
 * (max - min): min 5 KB, max 200 KB, p 0.1 is 0.51 per MB. weir/tune.h makes one of the other. */
#ifndef MARK_RAMP_H
#define MARK_RAMP_H
#include "weir/compiler.h"
#include "weir/units.h"
#include <stdint.h>

enum { RAMP_BYTES_PER_MB = 1000 * 1000 };

/* Does a random 32-bit number fall below rise_q32 * above / run? Compared without dividing, so that
 * the probability is the exact one rounded up to a multiple of 2^-32. Both products fit 128
 * bits. */
static inline int ramp_hits(uint32_t random, uint64_t rise_q32, uint64_t above, uint64_t run)
{
	return (weir_u128)random * run < (weir_u128)rise_q32 * above;
}
#endif
