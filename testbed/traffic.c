/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c -- connections of a testbed's host: opening, sending, receiving. Contract in host.h. */
#define _GNU_SOURCE
#include "testbed/host.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FIRST_PORT = 5001,
	UNSENT_BYTES = 256 << 10, /* unsent bytes of the application in the kernel's send buffer */
};

struct sockaddr_in host_address(uint32_t host, uint32_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)port),
				     .sin_addr.s_addr = htonl(SUBNET + 1 + host) };
}

uint32_t host_port(uint32_t section)
{
	return FIRST_PORT + section;
}

int64_t worker_now_ns(const struct worker *w)
{
	return clock_ns() - w->board->epoch_ns;
}

struct endpoint *endpoint_new(struct worker *w, enum role role, int fd, uint32_t flow)
{
	struct endpoint *p = memory_zeroed(1, sizeof(*p));
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = p };

	if (role == SENDS)
		event.events |= EPOLLOUT;
	if (role == LISTENS)
		event.events = EPOLLIN;
	*p = (struct endpoint){
		.role = role, .fd = fd, .flow = flow, .opener = flow, .next = w->all
	};
	if (w->all)
		w->all->before = p;
	w->all = p;
	epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event);
	return p;
}

void endpoint_count(const struct endpoint *p, uint64_t *segments, uint64_t *retransmits)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(p->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return;
	if (p->role == RECEIVES)
		*segments += info.tcpi_data_segs_in;
	*retransmits += info.tcpi_total_retrans;
}

void endpoint_free(struct worker *w, struct endpoint *p)
{
	endpoint_count(p, &w->closed_segments, &w->closed_retransmits);
	close(p->fd);
	if (p->role == SENDS)
		w->sender_of[p->opener] = NULL;
	if (p->before)
		p->before->next = p->next;
	else
		w->all = p->next;
	if (p->next)
		p->next->before = p->before;
	free(p);
}

/* The host's veth pair has no rate limit, so connections are paced at most at the simulated link's
 * rate. */
int endpoint_set_options(const struct worker *w, int fd, uint32_t section)
{
	const struct bed_section *s = &w->board->sections[section];
	const int yes = 1, unsent = UNSENT_BYTES;
	uint64_t pacing_Bps = w->board->hosts[w->host].line_Bps;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
	if (s->pacing_Bps && s->pacing_Bps < pacing_Bps)
		pacing_Bps = s->pacing_Bps;
	setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_Bps, sizeof(pacing_Bps));
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, s->cc, (socklen_t)strlen(s->cc));
}

void endpoint_set_tos(int fd, int tos)
{
	setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
}

/* --- sending --- */

/* Opens the flow's connection. */
void host_open_flow(struct worker *w, uint32_t number)
{
	const struct bed_flow *f = &w->board->flows[number];
	struct sockaddr_in from = host_address(w->host, 0);
	struct sockaddr_in to = host_address(f->dst, host_port(f->section));
	socklen_t size = sizeof(from);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || endpoint_set_options(w, fd, f->section) ||
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

/* The kernel assigns the class when a packet leaves, so the class changes only once the first bytes
 * have left. Returns 0 until then; the event loop polls again soon. */
static int endpoint_change_class(struct worker *w, struct endpoint *p, const struct bed_flow *f)
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

/* Bytes of the flow that may be passed to the kernel now. */
static uint64_t endpoint_sendable(const struct bed_flow *f, const struct endpoint *p,
				  int64_t now_ns)
{
	if (f->size_bytes == BED_UNLIMITED)
		return now_ns < f->stop_ns ? CHUNK_BYTES : 0;
	return f->size_bytes - p->moved_bytes;
}

/* Continues with the next flow of the connection, which may not be due yet. */
static void endpoint_next_flow(struct worker *w, struct endpoint *p, int64_t now_ns)
{
	uint32_t next = w->board->flows[p->flow].next;

	p->flow = next;
	p->moved_bytes = 0;
	if (next == BED_NONE)
		shutdown(p->fd, SHUT_WR);
	else
		p->is_started = w->board->flows[next].start_ns <= now_ns;
	if (next != BED_NONE && p->is_started)
		w->board->flows[next].began_ns = now_ns;
}

static void endpoint_send(struct worker *w, struct endpoint *p)
{
	int64_t now_ns = worker_now_ns(w);

	while (p->flow != BED_NONE && p->is_started) {
		const struct bed_flow *f = &w->board->flows[p->flow];
		uint64_t left = endpoint_sendable(f, p, now_ns);
		ssize_t sent;

		if (left == 0) {
			endpoint_next_flow(w, p, now_ns);
			continue;
		}
		if (p->is_first && p->moved_bytes >= f->first_bytes &&
		    !endpoint_change_class(w, p, f))
			return;
		if (p->is_first && left > f->first_bytes - p->moved_bytes)
			left = f->first_bytes - p->moved_bytes;
		sent = send(p->fd, w->zeros, left < CHUNK_BYTES ? left : CHUNK_BYTES, MSG_NOSIGNAL);
		if (sent < 0)
			return;
		p->moved_bytes += (uint64_t)sent;
	}
}

/* The flow's start time has come. */
void host_start_flow(struct worker *w, uint32_t number)
{
	struct bed_flow *f = &w->board->flows[number];
	struct endpoint *p = w->sender_of[f->connection];

	if (!p || p->flow != number)
		return; /* earlier flows of the connection are not done; it follows them */
	p->is_started = 1;
	f->began_ns = worker_now_ns(w);
	endpoint_send(w, p);
}

void host_change_classes(struct worker *w)
{
	if (!w->changing)
		return;
	w->changing = 0;
	for (struct endpoint *p = w->all; p; p = p->next)
		if (p->role == SENDS && p->is_first)
			endpoint_send(w, p);
}

/* --- receiving --- */

static void endpoint_accept(struct worker *w, const struct endpoint *listener)
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

/* Kernel timestamp of the last packet read; the current time if there is none. */
static int64_t endpoint_arrival_ns(const struct worker *w, struct msghdr *m)
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

/* Adds to the bins of sections with a throughput probe. */
static void endpoint_count_bins(const struct bed_board *b, uint32_t section, uint64_t bytes,
				int64_t time_ns)
{
	for (uint32_t i = 0; i < b->probe_count; i++) {
		const struct bed_probe *p = &b->probes[i];

		if (p->section == section && time_ns >= 0 && time_ns / p->every_ns < p->bins)
			atomic_fetch_add(&bed_bins(b)[p->first_bin + time_ns / p->every_ns], bytes);
	}
}

/* Attributes received bytes to the connection's flows in their order. */
static void endpoint_take_bytes(struct worker *w, struct endpoint *p, uint64_t bytes,
				int64_t time_ns)
{
	while (bytes > 0 && p->flow != BED_NONE) {
		struct bed_flow *f = &w->board->flows[p->flow];
		uint64_t left = f->size_bytes - f->received_bytes;
		uint64_t taken = bytes < left ? bytes : left;

		f->received_bytes += taken;
		endpoint_count_bins(w->board, f->section, taken, time_ns);
		bytes -= taken;
		if (taken < left)
			return;
		f->finish_ns = time_ns;
		atomic_fetch_add(&w->board->finished, 1);
		p->flow = f->next;
	}
}

static void endpoint_receive(struct worker *w, struct endpoint *p)
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
			endpoint_take_bytes(w, p, (uint64_t)got, endpoint_arrival_ns(w, &m));
			continue;
		}
		if (got == 0 || errno != EAGAIN)
			endpoint_free(w, p);
		return;
	}
}

/* For a sender, the only event is that the peer is done or gone. */
static void endpoint_handle_events(struct worker *w, struct endpoint *p, uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
		if (p->flow != BED_NONE)
			atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		endpoint_free(w, p);
		return;
	}
	if (events & EPOLLOUT)
		endpoint_send(w, p);
}

void host_serve(struct worker *w, struct endpoint *p, uint32_t events)
{
	if (p->role == LISTENS)
		endpoint_accept(w, p);
	else if (p->role == RECEIVES)
		endpoint_receive(w, p);
	else
		endpoint_handle_events(w, p, events);
}
