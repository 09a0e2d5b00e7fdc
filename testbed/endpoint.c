/* SPDX-License-Identifier: BSD-3-Clause */
/* endpoint.c -- a testbed's hosts: where they are, and their connections. See worker.h. */
#define _GNU_SOURCE
#include "testbed/worker.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <linux/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FIRST_PORT = 5001,
	UNSENT_BYTES = 256 << 10, /* that an application has handed over and the kernel not sent */
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

/* A real host's cable has no rate; its connections have, so that none sends faster than its line in
 * the other world. */
int endpoint_dress(const struct worker *w, int fd, uint32_t section)
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
