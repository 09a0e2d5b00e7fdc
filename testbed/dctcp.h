/* SPDX-License-Identifier: BSD-3-Clause */
/* dctcp.h -- DCTCP for kernels that have none: dctcp.bpf.c, given to the kernel while somebody
 * holds it.
 *
 * It takes the right to load such programs, a kernel that describes its types
 * (/sys/kernel/btf/vmlinux), and a build that found clang and libbpf. */
#ifndef TESTBED_DCTCP_H
#define TESTBED_DCTCP_H
#include "weir/error.h"

struct own_dctcp;

/* alpha_start is that of new connections, 0 to 1. From here on every namespace has it, under the
 * name OWN_DCTCP, until it is freed or the process ends, however that comes. NULL with a message:
 * what is missing. */
struct own_dctcp *own_dctcp_new(double alpha_start, struct weir_error *e);
void own_dctcp_free(struct own_dctcp *d);
#endif
