/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h -- the clocks and processors of this machine. For progress, deadlines and real packets;
 * results of a simulation never depend on them. All functions are thread-safe. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H
#include <stdint.h>

/* Monotonic; stops while the machine is suspended (CLOCK_MONOTONIC). */
int64_t clock_ns(void);

/* Monotonic; advances while the machine is suspended (CLOCK_BOOTTIME). */
int64_t clock_boot_ns(void);

/* Since 1970 (UTC); jumps when the clock is set. */
int64_t clock_wall_ns(void);

/* CPU time of this process, over all threads. */
int64_t clock_cpu_ns(void);

/* Online processors; at least 1. */
uint32_t cpu_count(void);
#endif
