/* SPDX-License-Identifier: BSD-3-Clause */
/* weir_water_fill.h -- max-min fair shares of a capacity: whoever asks for less than an equal share
 * of what is left has what it asks for, and the others have that equal share.
 *
 * Bertsekas and Gallager, Data Networks, section 6.5.2; the filling that Huang et al., "DiffECN",
 * ToN 2024, section III-B describes. Whole numbers: rates in bit/s or bytes of one period, as the
 * caller likes. Demands may add up to no more than UINT64_MAX. */
#ifndef BASE_WATER_FILL_H
#define BASE_WATER_FILL_H
#include <stdint.h>

/* Everyone who asks for more than this has this; UINT64_MAX where all demands can be met. Rounded
 * down, so that less than one unit a demand is left over. */
uint64_t weir_water_level(const uint64_t *demand, uint32_t count, uint64_t capacity);

/* The share of each; what rounding left goes to the first unmet demands, one unit each, so that the
 * shares add up to the capacity or to all demands. */
void weir_water_fill(const uint64_t *demand, uint64_t *share, uint32_t count, uint64_t capacity);
#endif
