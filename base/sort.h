/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.h -- many numbers in ascending order, in time that grows as their number does. */
#ifndef BASE_SORT_H
#define BASE_SORT_H
#include <stdint.h>

void sort_counts(uint64_t *numbers, uint64_t count);

/* None of them is NAN. */
void sort_reals(double *numbers, uint64_t count);
#endif
