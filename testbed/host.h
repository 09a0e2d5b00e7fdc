/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h -- a host of a testbed at work: real connections that carry the flows of the plan. */
#ifndef TESTBED_HOST_H
#define TESTBED_HOST_H
#include "testbed/board.h"
#include "weir/error.h"
#include <netinet/in.h>

/* Where a host is reached, and where it listens for the connections of a section. */
struct sockaddr_in host_address(uint32_t host, uint32_t port);
uint32_t host_port(uint32_t section);

/* In the namespace of that host, whose interface is up: listens, says that it is ready, and sends
 * and receives from the epoch on until it is killed. Returns only where it cannot. */
int host_work(struct bed_board *b, uint32_t host, struct weir_error *e);
#endif
