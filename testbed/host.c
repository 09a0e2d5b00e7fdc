/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c -- the event loop of a testbed host. Contract in host.h.
 *
 * One thread waits for sockets (epoll) and for the start times of the plan. A connection belongs to
 * the flow that opens it. Flows that share it follow each other on it, and the receiver separates
 * them by their sizes, so that no byte is sent that the simulated run does not send, too. The
 * receiver identifies a connection's flow by the sender's source port, which is on the board before
 * the first packet leaves. */
#define _GNU_SOURCE
#include "testbed/host.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, BACKLOG = 1024 };

/* Polling interval of connections whose class is about to change. */
#define CHANGE_NS ((int64_t)100 * WEIR_NS_PER_US)
#define LONGEST_WAIT_NS ((int64_t)50 * WEIR_NS_PER_MS)

/* --- counters --- */

/* Reads /proc/net/netstat: a line "Name: a b c" and below it "Name: 1 2 3"; returns the value under
 * the column. */
static uint64_t host_read_netstat(const char *line, const char *column)
{
	FILE *f = fopen("/proc/net/netstat", "r");
	char names[8192], values[8192];
	uint64_t value = 0;

	while (f && fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f)) {
		char *n = names, *v = values, *name, *number;

		if (strncmp(names, line, strlen(line)) != 0)
			continue;
		while ((name = strsep(&n, " \n")) && (number = strsep(&v, " \n")))
			if (strcmp(name, column) == 0)
				value = strtoull(number, NULL, 10);
	}
	if (f)
		fclose(f);
	return value;
}

static void host_count(struct worker *w, struct bed_counts *c)
{
	c->time_ns = worker_now_ns(w);
	c->data_segments = w->closed_segments;
	c->retransmits = w->closed_retransmits;
	for (const struct endpoint *p = w->all; p; p = p->next)
		if (p->role != LISTENS)
			endpoint_count(p, &c->data_segments, &c->retransmits);
	c->timeouts = host_read_netstat("TcpExt:", "TCPTimeouts");
}

static void host_measure(struct worker *w, int64_t now_ns)
{
	struct bed_board *b = w->board;

	if (!w->has_from && now_ns >= b->from_ns) {
		w->has_from = 1;
		host_count(w, &b->hosts[w->host].from);
		for (uint32_t i = 0; i < b->flow_count; i++)
			if (b->flows[i].dst == w->host)
				b->flows[i].from_bytes = b->flows[i].received_bytes;
	}
	if (!w->has_to && now_ns >= b->to_ns) {
		w->has_to = 1;
		host_count(w, &b->hosts[w->host].to);
		for (uint32_t i = 0; i < b->flow_count; i++)
			if (b->flows[i].dst == w->host)
				b->flows[i].to_bytes = b->flows[i].received_bytes;
		atomic_store(&b->hosts[w->host].has_counted, 1);
	}
}

/* --- the plan --- */

/* The first flow from *at on that this host sends, BED_NONE: no more. */
static uint32_t host_next_flow(const struct worker *w, uint32_t *at)
{
	while (*at < w->board->flow_count && w->board->flows[*at].src != w->host)
		++*at;
	return *at < w->board->flow_count ? *at : BED_NONE;
}

/* Starts flows that are due and returns the time of the next one. */
static int64_t host_follow_plan(struct worker *w)
{
	const struct bed_board *b = w->board;
	int64_t now_ns = worker_now_ns(w), next_ns = now_ns + LONGEST_WAIT_NS;
	uint32_t f;

	host_measure(w, now_ns);
	host_change_classes(w);
	if (w->changing)
		next_ns = now_ns + CHANGE_NS;
	if (!w->has_from && b->from_ns < next_ns)
		next_ns = b->from_ns;
	if (!w->has_to && b->to_ns < next_ns)
		next_ns = b->to_ns;
	while ((f = host_next_flow(w, &w->opened)) != BED_NONE &&
	       b->flows[f].start_ns - b->lead_ns <= now_ns) {
		if (b->flows[f].connection == f)
			host_open_flow(w, f);
		w->opened++;
	}
	if (f != BED_NONE && b->flows[f].start_ns - b->lead_ns < next_ns)
		next_ns = b->flows[f].start_ns - b->lead_ns;
	while ((f = host_next_flow(w, &w->begun)) != BED_NONE && b->flows[f].start_ns <= now_ns) {
		host_start_flow(w, f);
		w->begun++;
	}
	if (f != BED_NONE && b->flows[f].start_ns < next_ns)
		next_ns = b->flows[f].start_ns;
	return next_ns;
}

static int host_listen(struct worker *w, struct weir_error *e)
{
	for (uint32_t i = 0; i < w->board->section_count; i++) {
		struct sockaddr_in at = host_address(w->host, host_port(i));
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
			return weir_error_set(e, "a host cannot listen: %s", strerror(errno));
		if (endpoint_set_options(w, fd, i))
			return weir_error_set(e, "the kernel refused %s to a host: %s",
					      w->board->sections[i].cc, strerror(errno));
		if (listen(fd, BACKLOG))
			return weir_error_set(e, "a host cannot listen: %s", strerror(errno));
		endpoint_new(w, LISTENS, fd, BED_NONE);
	}
	return 0;
}

static void host_wait_for_epoch(const struct worker *w)
{
	const struct timespec moment = { 0, WEIR_NS_PER_MS };

	while (!atomic_load(&w->board->epoch_ns))
		nanosleep(&moment, NULL);
}

int testbed_host_run(struct bed_board *b, uint32_t host, struct weir_error *e)
{
	struct worker w = { .board = b, .host = host, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	struct epoll_event events[EVENTS];

	w.zeros = memory_zeroed(1, CHUNK_BYTES);
	w.sender_of = memory_zeroed(b->flow_count + UINT64_C(1), sizeof(struct endpoint *));
	w.real_offset_ns = clock_wall_ns() - clock_ns();
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	setpriority(PRIO_PROCESS, 0, -20);
	if (w.epoll < 0)
		return weir_error_set(e, "epoll failed in a host: %s", strerror(errno));
	if (host_listen(&w, e))
		return -1;
	atomic_store(&b->hosts[host].is_ready, 1);
	host_wait_for_epoch(&w);
	for (;;) {
		int64_t wait_ns = host_follow_plan(&w) - worker_now_ns(&w);
		struct timespec t = { 0, wait_ns > 0 ? wait_ns : 0 };
		int count = epoll_pwait2(w.epoll, events, EVENTS, &t, NULL);

		for (int i = 0; i < count; i++)
			host_serve(&w, events[i].data.ptr, events[i].events);
	}
}
