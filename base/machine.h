/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h -- what is known of the machine: for progress and for how much is done at a time, never
 * for results. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
#include <stdint.h>

#define NS_PER_SECOND INT64_C(1000000000)

/* Since some moment in the past; never goes back. */
int64_t clock_ns(void);

/* At least 1. */
uint32_t core_count(void);
#endif
