/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c -- what a testbed's hosts send and receive. See worker.h. */
#define _GNU_SOURCE
#include "testbed/worker.h"
#include "weir/units.h"
#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- sending --- */

/* The flow opens its connection. */
void host_open_flow(struct worker *w, uint32_t number)
{
	const struct bed_flow *f = &w->board->flows[number];
	struct sockaddr_in from = host_address(w->host, 0);
	struct sockaddr_in to = host_address(f->dst, host_port(f->section));
	socklen_t size = sizeof(from);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || endpoint_dress(w, fd, f->section) ||
	    bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	    getsockname(fd, (struct sockaddr *)&from, &size)) {
		atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		if (fd >= 0)
			close(fd);
		return;
	}
	endpoint_set_tos(fd, f->first_bytes ? f->first_tos : f->tos);
	atomic_store(&w->board->hosts[w->host].flow_of_port[ntohs(from.sin_port)], number);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS) {
		atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		close(fd);
		return;
	}
	w->sender_of[number] = endpoint_new(w, SENDS, fd, number);
	w->sender_of[number]->is_first = f->first_bytes != 0;
}

/* Packets get the class that a connection has when they leave: it changes when the first bytes have
 * left. Returns 0 until then; the plan looks again soon. */
static int change_class(struct worker *w, struct endpoint *p, const struct bed_flow *f)
{
	int unsent = 0;

	ioctl(p->fd, SIOCOUTQNSD, &unsent);
	if (unsent > 0) {
		w->changing = 1;
		return 0;
	}
	endpoint_set_tos(p->fd, f->tos);
	p->is_first = 0;
	return 1;
}

/* How much of the flow may be handed over now. */
static uint64_t sendable(const struct bed_flow *f, const struct endpoint *p, int64_t now_ns)
{
	if (f->size_bytes == BED_UNLIMITED)
		return now_ns < f->stop_ns ? CHUNK_BYTES : 0;
	return f->size_bytes - p->moved_bytes;
}

/* The flow that is done makes place for the next one on its connection, which may not have
 * begun. */
static void next_flow(struct worker *w, struct endpoint *p, int64_t now_ns)
{
	uint32_t next = w->board->flows[p->flow].next;

	p->flow = next;
	p->moved_bytes = 0;
	if (next == BED_NONE)
		shutdown(p->fd, SHUT_WR);
	else
		p->is_going = w->board->flows[next].start_ns <= now_ns;
	if (next != BED_NONE && p->is_going)
		w->board->flows[next].began_ns = now_ns;
}

static void send_more(struct worker *w, struct endpoint *p)
{
	int64_t now_ns = worker_now_ns(w);

	while (p->flow != BED_NONE && p->is_going) {
		const struct bed_flow *f = &w->board->flows[p->flow];
		uint64_t left = sendable(f, p, now_ns);
		ssize_t sent;

		if (left == 0) {
			next_flow(w, p, now_ns);
			continue;
		}
		if (p->is_first && p->moved_bytes >= f->first_bytes && !change_class(w, p, f))
			return;
		if (p->is_first && left > f->first_bytes - p->moved_bytes)
			left = f->first_bytes - p->moved_bytes;
		sent = send(p->fd, w->zeros, left < CHUNK_BYTES ? left : CHUNK_BYTES, MSG_NOSIGNAL);
		if (sent < 0)
			return;
		p->moved_bytes += (uint64_t)sent;
	}
}

/* Its time has come. */
void host_begin_flow(struct worker *w, uint32_t number)
{
	struct bed_flow *f = &w->board->flows[number];
	struct endpoint *p = w->sender_of[f->connection];

	if (!p || p->flow != number)
		return; /* those before it on the connection are not done; its turn comes */
	p->is_going = 1;
	f->began_ns = worker_now_ns(w);
	send_more(w, p);
}

void host_change_classes(struct worker *w)
{
	if (!w->changing)
		return;
	w->changing = 0;
	for (struct endpoint *p = w->all; p; p = p->next)
		if (p->role == SENDS && p->is_first)
			send_more(w, p);
}

/* --- receiving --- */

static void accept_all(struct worker *w, const struct endpoint *listener)
{
	for (;;) {
		struct sockaddr_in from;
		socklen_t size = sizeof(from);
		const int yes = 1;
		uint32_t host, number;
		int fd = accept4(listener->fd, (struct sockaddr *)&from, &size,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		host = ntohl(from.sin_addr.s_addr) - SUBNET - 1;
		number = host < w->board->host_count
				 ? w->board->hosts[host].flow_of_port[ntohs(from.sin_port)]
				 : BED_NONE;
		if (number >= w->board->flow_count) {
			close(fd);
			continue;
		}
		endpoint_set_tos(fd, w->board->flows[number].ack_tos);
		setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
		endpoint_new(w, RECEIVES, fd, number);
	}
}

/* When the kernel saw the last packet of what was read come in; now, where it does not say. */
static int64_t came_ns(const struct worker *w, struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct timespec t;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&t, CMSG_DATA(c), sizeof(t));
		return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec - w->real_offset_ns -
		       w->board->epoch_ns;
	}
	return worker_now_ns(w);
}

/* Those that are watched over time. */
static void count_in_bins(const struct bed_board *b, uint32_t section, uint64_t bytes,
			  int64_t time_ns)
{
	for (uint32_t i = 0; i < b->probe_count; i++) {
		const struct bed_probe *p = &b->probes[i];

		if (p->section == section && time_ns >= 0 && time_ns / p->every_ns < p->bins)
			atomic_fetch_add(&bed_bins(b)[p->first_bin + time_ns / p->every_ns], bytes);
	}
}

/* Bytes of the connection belong to its flows in their order. */
static void take_bytes(struct worker *w, struct endpoint *p, uint64_t bytes, int64_t time_ns)
{
	while (bytes > 0 && p->flow != BED_NONE) {
		struct bed_flow *f = &w->board->flows[p->flow];
		uint64_t left = f->size_bytes - f->received_bytes;
		uint64_t taken = bytes < left ? bytes : left;

		f->received_bytes += taken;
		count_in_bins(w->board, f->section, taken, time_ns);
		bytes -= taken;
		if (taken < left)
			return;
		f->finish_ns = time_ns;
		atomic_fetch_add(&w->board->finished, 1);
		p->flow = f->next;
	}
}

static void receive_all(struct worker *w, struct endpoint *p)
{
	char control[256];

	for (;;) {
		struct iovec into = { w->zeros, CHUNK_BYTES };
		struct msghdr m = { .msg_iov = &into,
				    .msg_iovlen = 1,
				    .msg_control = control,
				    .msg_controllen = sizeof(control) };
		ssize_t got = recvmsg(p->fd, &m, MSG_TRUNC);

		if (got > 0) {
			take_bytes(w, p, (uint64_t)got, came_ns(w, &m));
			continue;
		}
		if (got == 0 || errno != EAGAIN)
			endpoint_free(w, p);
		return;
	}
}

/* A sender hears only that the other side is done, too, or gone. */
static void hear(struct worker *w, struct endpoint *p, uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
		if (p->flow != BED_NONE)
			atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		endpoint_free(w, p);
		return;
	}
	if (events & EPOLLOUT)
		send_more(w, p);
}

void host_serve(struct worker *w, struct endpoint *p, uint32_t events)
{
	if (p->role == LISTENS)
		accept_all(w, p);
	else if (p->role == RECEIVES)
		receive_all(w, p);
	else
		hear(w, p, events);
}
