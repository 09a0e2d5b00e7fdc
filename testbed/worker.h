/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.h -- what a host of a testbed is made of, for the files that are one: host.c follows the
 * plan, traffic.c sends and receives, endpoint.c has connections. */
#ifndef TESTBED_WORKER_H
#define TESTBED_WORKER_H
#include "testbed/host.h"
#include <time.h>

enum {
	CHUNK_BYTES = 64 << 10,
	SUBNET = 0x0a4d0000, /* 10.77.0.0 */
};

enum role { LISTENS, SENDS, RECEIVES };

struct endpoint {
	enum role role;
	int fd;
	uint32_t flow;        /* that is being sent or received; BED_NONE: none, all are done */
	uint32_t opener;      /* SENDS: the flow that opened the connection */
	uint64_t moved_bytes; /* of that flow */
	int is_going;         /* SENDS: the flow has begun */
	int is_first;         /* SENDS: what it has sent so far has the class of first bytes */
	struct endpoint *next, *before;
};

struct worker {
	struct bed_board *board;
	uint32_t host;
	int epoll;
	int64_t real_offset_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC */
	uint32_t changing;      /* connections whose class changes when what they have is sent */
	uint32_t opened,
		begun; /* flows of the board that were looked at, in order of their start */
	struct endpoint **sender_of; /* by flow that opens a connection */
	struct endpoint *all;
	uint64_t closed_segments, closed_retransmits; /* of connections that are gone */
	int has_from, has_to;
	char *zeros;
};

/* By the time of the plan. */
int64_t worker_now_ns(const struct worker *w);

/* --- endpoint.c --- */

struct endpoint *endpoint_new(struct worker *w, enum role role, int fd, uint32_t flow);
void endpoint_free(struct worker *w, struct endpoint *p);

/* Data segments that came in there, and what was sent again, are added. */
void endpoint_count(const struct endpoint *p, uint64_t *segments, uint64_t *retransmits);

/* What is asked of every connection of a section, on both ends: also a receiver's control decides
 * what it echoes. */
int endpoint_dress(const struct worker *w, int fd, uint32_t section);
void endpoint_set_tos(int fd, int tos);

/* --- traffic.c --- */

/* The flow opens its connection; its time has come. */
void host_open_flow(struct worker *w, uint32_t number);
void host_begin_flow(struct worker *w, uint32_t number);

/* Connections whose class is to change are looked at. */
void host_change_classes(struct worker *w);

/* Events of epoll at that endpoint, which may be gone after it. */
void host_serve(struct worker *w, struct endpoint *p, uint32_t events);
#endif
