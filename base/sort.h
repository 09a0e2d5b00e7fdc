/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.h -- radix sort of numbers, ascending, in O(n) time and O(n) scratch memory. */
#ifndef BASE_SORT_H
#define BASE_SORT_H
#include <stdint.h>

void sort_counts(uint64_t *numbers, uint64_t count);

/* No number may be NAN. O(n) comparisons if they are sorted already. */
void sort_reals(double *numbers, uint64_t count);
#endif
