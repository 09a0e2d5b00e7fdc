/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h -- a host of a testbed: TCP connections of the kernel that carry the flows of the plan.
 * host.c runs the event loop, traffic.c owns the connections, sends and receives. */
#ifndef TESTBED_HOST_H
#define TESTBED_HOST_H
#include "testbed/bed.h"
#include "weir/error.h"
#include <netinet/in.h>
#include <time.h>

/* Address of a host, and the port on which it listens for connections of a section. */
struct sockaddr_in host_address(uint32_t host, uint32_t port);
uint32_t host_port(uint32_t section);

/* Runs in the namespace of that host with its interface up: listens, reports ready, then sends and
 * receives from the epoch on until it is killed. Returns only on failure. */
int testbed_host_run(struct bed_board *b, uint32_t host, struct weir_error *e);

/* --- shared by the files of a host --- */

enum {
	CHUNK_BYTES = 64 << 10,
	SUBNET = 0x0a4d0000, /* 10.77.0.0 */
};

enum role { LISTENS, SENDS, RECEIVES };

struct endpoint {
	enum role role;
	int fd;
	uint32_t flow;        /* being sent or received; BED_NONE: all are done */
	uint32_t opener;      /* SENDS: the flow that opened the connection */
	uint64_t moved_bytes; /* of that flow */
	int is_started;       /* SENDS: the flow has started */
	int is_first;         /* SENDS: everything sent so far has the class of the first bytes */
	struct endpoint *next, *before;
};

struct worker {
	struct bed_board *board;
	uint32_t host;
	int epoll;
	int64_t real_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	uint32_t changing;      /* connections whose class changes when their unsent data is gone */
	uint32_t opened, begun; /* flows of the board already examined, in order of start */
	struct endpoint **sender_of; /* indexed by the flow that opens the connection */
	struct endpoint *all;
	uint64_t closed_segments, closed_retransmits; /* of closed connections */
	int has_from, has_to;
	char *zeros;
};

/* Current time of the plan. */
int64_t worker_now_ns(const struct worker *w);

/* --- traffic.c: connections --- */

struct endpoint *endpoint_new(struct worker *w, enum role role, int fd, uint32_t flow);
void endpoint_free(struct worker *w, struct endpoint *p);

/* Adds the data segments received and the retransmissions of that connection. */
void endpoint_count(const struct endpoint *p, uint64_t *segments, uint64_t *retransmits);

/* Sets the socket options of a section, on both ends: the receiver's congestion control, too,
 * decides what it echoes. */
int endpoint_set_options(const struct worker *w, int fd, uint32_t section);
void endpoint_set_tos(int fd, int tos);

/* --- traffic.c: sending and receiving --- */

/* Opens the flow's connection, lead_ns before its start. */
void host_open_flow(struct worker *w, uint32_t number);
void host_start_flow(struct worker *w, uint32_t number);

/* Checks connections whose class is about to change. */
void host_change_classes(struct worker *w);

/* Handles epoll events of an endpoint, which may be freed by this. */
void host_serve(struct worker *w, struct endpoint *p, uint32_t events);
#endif
