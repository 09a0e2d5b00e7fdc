/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h -- what a testbed requires of its machine: processors without idle-state latency, and
 * DCTCP. */
#ifndef TESTBED_MACHINE_H
#define TESTBED_MACHINE_H
#include "weir/error.h"
#include <pthread.h>
#include <stdint.h>

/* --- keeping processors awake ---
 *
 * An idle processor enters a sleep state, and that of a virtual machine wakes late: by more than
 * the serialisation delay of a packet at 100 Mb/s, enough to change the decisions of a scheme with
 * state (docs/results/testbed.md). Each processor therefore runs a spinning thread of the lowest
 * priority (SCHED_IDLE), which any other work preempts at once. */

enum { AWAKE_MAX = 64 }; /* processors; more than these may sleep */

struct awake {
	pthread_t threads[AWAKE_MAX];
	uint32_t count;
};

/* Starts one thread per processor of this process's affinity mask; none if SCHED_IDLE is not
 * available. */
void awake_start(struct awake *a);
void awake_end(struct awake *a);

/* --- DCTCP for kernels without it: dctcp.bpf.c, loaded while a process holds it ---
 *
 * Requires the right to load BPF programs, a kernel with type information
 * (/sys/kernel/btf/vmlinux), and a build that found clang and libbpf. */

struct own_dctcp;

/* Registers the congestion control OWN_DCTCP for all namespaces, with alpha_start (0 to 1) for new
 * connections, until it is freed or the process ends in any way. NULL with a message that names
 * what is missing. */
struct own_dctcp *own_dctcp_new(double alpha_start, struct weir_error *e);
void own_dctcp_free(struct own_dctcp *d);
#endif
