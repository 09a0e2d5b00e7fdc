/* host.c -- see host.h.
 *
 * One thread that waits for sockets and for the times of the plan. A connection belongs to the flow that opens
 * it; flows that share one follow each other on it, and the receiver tells them apart by their sizes, so that
 * not a byte goes over the wire that the simulated world does not send. Which flow a connection is for, the
 * receiver knows by the sender's port, which is on the board before the first packet leaves. */
#define _GNU_SOURCE
#include "switch/testbed/host.h"
#include "sim/base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	FIRST_PORT = 5001,
	SUBNET = 0x0a4d0000, /* 10.77.0.0 */
	CHUNK_BYTES = 64 << 10,
	EVENTS = 64,
	BACKLOG = 1024,
	UNSENT_BYTES = 256 << 10, /* that an application has handed over and the kernel not sent */
};

/* How often a connection is looked at whose class is to change. */
#define CHANGE_NS ((int64_t)100 * WEIR_NS_PER_US)
#define LONGEST_WAIT_NS ((int64_t)50 * WEIR_NS_PER_MS)

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

static int64_t clock_of_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec;
}

static int64_t since_epoch_ns(const struct worker *w)
{
	return clock_of_ns(CLOCK_MONOTONIC) - w->board->epoch_ns;
}

/* --- endpoints --- */

static struct endpoint *endpoint_new(struct worker *w, enum role role, int fd, uint32_t flow)
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

static void count_connection(const struct endpoint *p, uint64_t *segments, uint64_t *retransmits)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(p->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return;
	if (p->role == RECEIVES)
		*segments += info.tcpi_data_segs_in;
	*retransmits += info.tcpi_total_retrans;
}

static void endpoint_free(struct worker *w, struct endpoint *p)
{
	count_connection(p, &w->closed_segments, &w->closed_retransmits);
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

/* What is asked of every connection, on both ends: also a receiver's control decides what it echoes. A real
 * host's cable has no rate; its connections have, so that none sends faster than its line in the other world. */
static int dress(const struct worker *w, int fd, uint32_t section)
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

static void set_tos(int fd, int tos)
{
	setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
}

/* --- sending --- */

/* The flow opens its connection. */
static void open_connection(struct worker *w, uint32_t number)
{
	const struct bed_flow *f = &w->board->flows[number];
	struct sockaddr_in from = host_address(w->host, 0);
	struct sockaddr_in to = host_address(f->dst, host_port(f->section));
	socklen_t size = sizeof(from);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || dress(w, fd, f->section) ||
	    bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	    getsockname(fd, (struct sockaddr *)&from, &size)) {
		atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		if (fd >= 0)
			close(fd);
		return;
	}
	set_tos(fd, f->first_bytes ? f->first_tos : f->tos);
	atomic_store(&w->board->hosts[w->host].flow_of_port[ntohs(from.sin_port)], number);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno != EINPROGRESS) {
		atomic_fetch_add(&w->board->hosts[w->host].connections, 1);
		close(fd);
		return;
	}
	w->sender_of[number] = endpoint_new(w, SENDS, fd, number);
	w->sender_of[number]->is_first = f->first_bytes != 0;
}

/* Packets get the class that a connection has when they leave: it changes when the first bytes have left. Returns 0
 * until then; the plan looks again soon. */
static int change_class(struct worker *w, struct endpoint *p, const struct bed_flow *f)
{
	int unsent = 0;

	ioctl(p->fd, SIOCOUTQNSD, &unsent);
	if (unsent > 0) {
		w->changing = 1;
		return 0;
	}
	set_tos(p->fd, f->tos);
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

/* The flow that is done makes place for the next one on its connection, which may not have begun. */
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
	int64_t now_ns = since_epoch_ns(w);

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
static void begin_flow(struct worker *w, uint32_t number)
{
	struct bed_flow *f = &w->board->flows[number];
	struct endpoint *p = w->sender_of[f->connection];

	if (!p || p->flow != number)
		return; /* those before it on the connection are not done; its turn comes */
	p->is_going = 1;
	f->began_ns = since_epoch_ns(w);
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
		set_tos(fd, w->board->flows[number].ack_tos);
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
	return since_epoch_ns(w);
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

/* --- counting --- */

/* "Name: a b c" and below it "Name: 1 2 3": the value under that column. */
static uint64_t netstat(const char *line, const char *column)
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

static void count_all(struct worker *w, struct bed_counts *c)
{
	c->time_ns = since_epoch_ns(w);
	c->data_segments = w->closed_segments;
	c->retransmits = w->closed_retransmits;
	for (const struct endpoint *p = w->all; p; p = p->next)
		if (p->role != LISTENS)
			count_connection(p, &c->data_segments, &c->retransmits);
	c->timeouts = netstat("TcpExt:", "TCPTimeouts");
}

static void measure(struct worker *w, int64_t now_ns)
{
	struct bed_board *b = w->board;

	if (!w->has_from && now_ns >= b->from_ns) {
		w->has_from = 1;
		count_all(w, &b->hosts[w->host].from);
		for (uint32_t i = 0; i < b->flow_count; i++)
			if (b->flows[i].dst == w->host)
				b->flows[i].from_bytes = b->flows[i].received_bytes;
	}
	if (!w->has_to && now_ns >= b->to_ns) {
		w->has_to = 1;
		count_all(w, &b->hosts[w->host].to);
		for (uint32_t i = 0; i < b->flow_count; i++)
			if (b->flows[i].dst == w->host)
				b->flows[i].to_bytes = b->flows[i].received_bytes;
	}
}

/* --- the plan --- */

/* The first flow from *at on that this host sends, BED_NONE: there is no more. */
static uint32_t own_flow(const struct worker *w, uint32_t *at)
{
	while (*at < w->board->flow_count && w->board->flows[*at].src != w->host)
		++*at;
	return *at < w->board->flow_count ? *at : BED_NONE;
}

static void send_changing(struct worker *w)
{
	if (!w->changing)
		return;
	w->changing = 0;
	for (struct endpoint *p = w->all; p; p = p->next)
		if (p->role == SENDS && p->is_first)
			send_more(w, p);
}

/* Does what is due and returns when something will be. */
static int64_t follow_plan(struct worker *w)
{
	const struct bed_board *b = w->board;
	int64_t now_ns = since_epoch_ns(w), next_ns = now_ns + LONGEST_WAIT_NS;
	uint32_t f;

	measure(w, now_ns);
	send_changing(w);
	if (w->changing)
		next_ns = now_ns + CHANGE_NS;
	if (!w->has_from && b->from_ns < next_ns)
		next_ns = b->from_ns;
	if (!w->has_to && b->to_ns < next_ns)
		next_ns = b->to_ns;
	while ((f = own_flow(w, &w->opened)) != BED_NONE &&
	       b->flows[f].start_ns - b->lead_ns <= now_ns) {
		if (b->flows[f].connection == f)
			open_connection(w, f);
		w->opened++;
	}
	if (f != BED_NONE && b->flows[f].start_ns - b->lead_ns < next_ns)
		next_ns = b->flows[f].start_ns - b->lead_ns;
	while ((f = own_flow(w, &w->begun)) != BED_NONE && b->flows[f].start_ns <= now_ns) {
		begin_flow(w, f);
		w->begun++;
	}
	if (f != BED_NONE && b->flows[f].start_ns < next_ns)
		next_ns = b->flows[f].start_ns;
	return next_ns;
}

static int listen_all(struct worker *w, struct weir_error *e)
{
	for (uint32_t i = 0; i < w->board->section_count; i++) {
		struct sockaddr_in at = host_address(w->host, host_port(i));
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
			return weir_error_set(e, "a host cannot listen: %s", strerror(errno));
		if (dress(w, fd, i))
			return weir_error_set(e, "the kernel does not give a host %s: %s",
					      w->board->sections[i].cc, strerror(errno));
		if (listen(fd, BACKLOG))
			return weir_error_set(e, "a host cannot listen: %s", strerror(errno));
		endpoint_new(w, LISTENS, fd, BED_NONE);
	}
	return 0;
}

static void serve(struct worker *w, const struct epoll_event *event)
{
	struct endpoint *p = event->data.ptr;

	if (p->role == LISTENS)
		accept_all(w, p);
	else if (p->role == RECEIVES)
		receive_all(w, p);
	else
		hear(w, p, event->events);
}

static void wait_for_epoch(const struct worker *w)
{
	const struct timespec moment = { 0, WEIR_NS_PER_MS };

	while (!atomic_load(&w->board->epoch_ns))
		nanosleep(&moment, NULL);
}

int host_work(struct bed_board *b, uint32_t host, struct weir_error *e)
{
	struct worker w = { .board = b, .host = host, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	struct epoll_event events[EVENTS];

	w.zeros = memory_zeroed(1, CHUNK_BYTES);
	w.sender_of = memory_zeroed(b->flow_count + UINT64_C(1), sizeof(struct endpoint *));
	w.real_offset_ns = clock_of_ns(CLOCK_REALTIME) - clock_of_ns(CLOCK_MONOTONIC);
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	setpriority(PRIO_PROCESS, 0, -20);
	if (w.epoll < 0)
		return weir_error_set(e, "a host cannot wait: %s", strerror(errno));
	if (listen_all(&w, e))
		return -1;
	atomic_store(&b->hosts[host].is_ready, 1);
	wait_for_epoch(&w);
	for (;;) {
		int64_t wait_ns = follow_plan(&w) - since_epoch_ns(&w);
		struct timespec t = { 0, wait_ns > 0 ? wait_ns : 0 };
		int count = epoll_pwait2(w.epoll, events, EVENTS, &t, NULL);

		for (int i = 0; i < count; i++)
			serve(&w, &events[i]);
	}
}
