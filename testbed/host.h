/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h -- a host of a testbed at work: real connections that carry the flows of the plan. host.c
 * follows the plan, traffic.c has connections, and sends and receives on them. */
#ifndef TESTBED_HOST_H
#define TESTBED_HOST_H
#include "testbed/bed.h"
#include "weir/error.h"
#include <netinet/in.h>
#include <time.h>

/* Where a host is reached, and where it listens for the connections of a section. */
struct sockaddr_in host_address(uint32_t host, uint32_t port);
uint32_t host_port(uint32_t section);

/* In the namespace of that host, whose interface is up: listens, says that it is ready, and sends
 * and receives from the epoch on until it is killed. Returns only where it cannot. */
int host_work(struct bed_board *b, uint32_t host, struct weir_error *e);

/* --- between the files of a host --- */

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

/* --- traffic.c: connections --- */

struct endpoint *endpoint_new(struct worker *w, enum role role, int fd, uint32_t flow);
void endpoint_free(struct worker *w, struct endpoint *p);

/* Data segments that came in there, and what was sent again, are added. */
void endpoint_count(const struct endpoint *p, uint64_t *segments, uint64_t *retransmits);

/* What is asked of every connection of a section, on both ends: also a receiver's control decides
 * what it echoes. */
int endpoint_dress(const struct worker *w, int fd, uint32_t section);
void endpoint_set_tos(int fd, int tos);

/* --- traffic.c: what is sent and received on them --- */

/* The flow opens its connection; its time has come. */
void host_open_flow(struct worker *w, uint32_t number);
void host_begin_flow(struct worker *w, uint32_t number);

/* Connections whose class is to change are looked at. */
void host_change_classes(struct worker *w);

/* Events of epoll at that endpoint, which may be gone after it. */
void host_serve(struct worker *w, struct endpoint *p, uint32_t events);
#endif
