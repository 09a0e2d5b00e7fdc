/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h -- what a testbed needs of its machine: processors that do not sleep, and DCTCP. */
#ifndef TESTBED_MACHINE_H
#define TESTBED_MACHINE_H
#include "weir/error.h"
#include <pthread.h>
#include <stdint.h>

/* --- keeping processors awake ---
 *
 * An idle processor sleeps, and one of a virtual machine wakes up late: by more than a packet of
 * 100 Mb/s takes, which is enough to change the decisions of a scheme with memory
 * (docs/manual/09b-testbed.md). So every processor gets a thread that does nothing, of the lowest
 * priority that there is; any other work preempts it at once. */

enum { AWAKE_MAX = 64 }; /* processors; those beyond may sleep */

struct awake {
	pthread_t threads[AWAKE_MAX];
	uint32_t count;
};

/* One for each processor that this process may use; none where that priority is not to be had. */
void awake_start(struct awake *a);
void awake_end(struct awake *a);

/* --- DCTCP for kernels that have none: dctcp.bpf.c, loaded while somebody holds it ---
 *
 * It takes the right to load such programs, a kernel that describes its types
 * (/sys/kernel/btf/vmlinux), and a build that found clang and libbpf. */

struct own_dctcp;

/* alpha_start is that of new connections, 0 to 1. From here on every namespace has it, under the
 * name OWN_DCTCP, until it is freed or the process ends, however that comes. NULL with a message:
 * what is missing. */
struct own_dctcp *own_dctcp_new(double alpha_start, struct weir_error *e);
void own_dctcp_free(struct own_dctcp *d);
#endif
