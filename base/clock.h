/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h -- the machine's clocks, in nanoseconds, and its processors. For progress, deadlines and
 * real packets; never for simulated results. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H
#include <stdint.h>

/* Time since an arbitrary moment; never goes back. Does not advance while the machine is suspended.
 */
int64_t clock_ns(void);

/* The same, but advances while the machine is suspended. */
int64_t clock_boot_ns(void);

/* Time since 1970 (UTC), as it is set: it may jump. */
int64_t clock_wall_ns(void);

/* Processor time that this process has used. */
int64_t clock_cpu_ns(void);

/* Processors that are online; at least 1. */
uint32_t cpu_count(void);
#endif
