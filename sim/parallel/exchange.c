/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c -- see exchange.h: buffers, votes and streams, which all back-ends share, and the
 * back-end for processes of one machine, with a socket between any two ranks. The one for MPI is
 * mpi_exchange.c. */
#define _GNU_SOURCE
#include "sim/parallel/exchange.h"
#include "base/clock.h"
#include "base/memory.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void exchange_init(struct exchange *x, const struct exchange_ops *ops, uint32_t rank,
		   uint32_t ranks)
{
	x->ops = ops;
	x->rank = rank;
	x->ranks = ranks;
	x->is_neighbour = memory_zeroed(ranks, sizeof(*x->is_neighbour));
	x->out = memory_zeroed(ranks, sizeof(*x->out));
	x->in = memory_zeroed(ranks, sizeof(*x->in));
}

void exchange_free(struct exchange *x)
{
	for (uint32_t i = 0; i < x->ranks; i++) {
		free(x->out[i].bytes);
		free(x->in[i].bytes);
	}
	free(x->is_neighbour);
	free(x->out);
	free(x->in);
}

void exchange_close(struct exchange *x)
{
	if (x)
		x->ops->close(x);
}

void exchange_votes_add(struct exchange_votes *sum, const struct exchange_votes *v)
{
	if (v->least < sum->least)
		sum->least = v->least;
	if (v->most > sum->most)
		sum->most = v->most;
	sum->any |= v->any;
	for (uint32_t i = 0; i < sizeof(v->sums) / sizeof(v->sums[0]); i++)
		sum->sums[i] += v->sums[i];
}

void exchange_reserve(struct exchange_buffer *p, size_t size)
{
	if (size <= p->room)
		return;
	p->room = size < 4096 ? 4096 : 2 * size;
	p->bytes = memory_grow(p->bytes, p->room, 1);
}

void *exchange_extend(struct exchange_buffer *p, size_t size)
{
	exchange_reserve(p, p->size + size);
	p->size += size;
	return p->bytes + p->size - size;
}

void exchange_append(struct exchange_buffer *p, const void *bytes, size_t size)
{
	if (size)
		memcpy(exchange_extend(p, size), bytes, size);
}

/* --- streams --- */

enum { STREAM_BYTES = 1 << 16 };

void exchange_flush(struct exchange_stream *s)
{
	uint64_t size = s->buffer.size;

	if (!size)
		return;
	exchange_send(s->x, &size, sizeof(size));
	exchange_send(s->x, s->buffer.bytes, s->buffer.size);
	s->buffer.size = 0;
}

void exchange_put(struct exchange_stream *s, const void *bytes, size_t size)
{
	if (!size)
		return;
	exchange_append(&s->buffer, bytes, size);
	if (s->buffer.size >= STREAM_BYTES)
		exchange_flush(s);
}

void exchange_get(struct exchange_stream *s, void *bytes, size_t size)
{
	uint64_t coming;

	if (!size)
		return;
	if (s->taken == s->buffer.size) {
		exchange_receive(s->x, s->from, &coming, sizeof(coming));
		exchange_reserve(&s->buffer, coming);
		exchange_receive(s->x, s->from, s->buffer.bytes, coming);
		s->buffer.size = coming;
		s->taken = 0;
	}
	memcpy(bytes, s->buffer.bytes + s->taken, size);
	s->taken += size;
}

void exchange_lost(const struct exchange *x, uint32_t rank, const char *why)
{
	fprintf(stderr, "weir: rank %u of %u is gone (%s), so that rank %u ends without a result\n",
		rank, x->ranks, why, x->rank);
	exit(EXIT_FAILURE);
}

/* --- processes of one machine ---
 *
 * A message is a head, with the votes, and a buffer. All messages of a round are sent and received
 * without blocking, so two ranks with large buffers for each other do not deadlock. */

/* Polls before a rank sleeps: enough where each rank has a core. */
enum { SPINS_BEFORE_SLEEP = 10 };

struct local_head {
	struct exchange_votes votes;
	uint64_t size;
};

/* The connection to another rank, and the progress of this round's messages. */
struct local_peer {
	int fd;
	pid_t pid; /* in rank 0: the process */
	struct local_head out, in;
	size_t sent, received; /* of head and buffer */
	const struct exchange_buffer *buffer;
};

struct local {
	struct exchange x;        /* first: back-ends are cast from it */
	struct local_peer *peers; /* by rank; this rank's own has no socket */
	struct pollfd *polls;
};

/* The number of bytes that a system call moved; 0: it would block. */
static size_t local_moved(const struct exchange *x, uint32_t rank, ssize_t result)
{
	if (result > 0)
		return (size_t)result;
	if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	exchange_lost(x, rank, result == 0 ? "its process ended" : strerror(errno));
}

/* Sends what is left of head and buffer, as far as the socket takes it. 1: all is sent. */
static int local_send_some(struct local *l, uint32_t rank)
{
	struct local_peer *w = &l->peers[rank];
	size_t total = sizeof(w->out) + w->out.size;

	while (w->sent < total) {
		int in_head = w->sent < sizeof(w->out);
		const char *from = in_head ? (const char *)&w->out + w->sent
					   : w->buffer->bytes + (w->sent - sizeof(w->out));
		size_t left = (in_head ? sizeof(w->out) : total) - w->sent;
		size_t sent = local_moved(&l->x, rank,
					  send(w->fd, from, left, MSG_NOSIGNAL | MSG_DONTWAIT));

		if (!sent)
			return 0;
		w->sent += sent;
	}
	return 1;
}

static int local_receive_some(struct local *l, uint32_t rank)
{
	struct local_peer *w = &l->peers[rank];
	struct exchange_buffer *in = &l->x.in[rank];

	for (;;) {
		int in_head = w->received < sizeof(w->in);
		size_t total = sizeof(w->in) + (in_head ? 0 : w->in.size);
		char *to = (char *)&w->in + w->received;
		size_t got;

		if (!in_head && w->received == total)
			return 1;
		if (!in_head) {
			exchange_reserve(in, w->in.size);
			to = in->bytes + (w->received - sizeof(w->in));
		}
		got = local_moved(&l->x, rank, recv(w->fd, to, total - w->received, MSG_DONTWAIT));
		if (!got)
			return 0;
		w->received += got;
		in->size = w->received < sizeof(w->in) ? 0 : w->in.size;
	}
}

/* Sends and receives the messages of all other ranks. */
static void local_swap_all(struct local *l)
{
	uint32_t open = 0, spins = 0;
	int64_t began_ns = clock_ns();

	do {
		nfds_t waiting = 0;

		open = 0;
		for (uint32_t i = 0; i < l->x.ranks; i++) {
			int sent, received;

			if (i == l->x.rank)
				continue;
			sent = local_send_some(l, i);
			received = local_receive_some(l, i);
			if (sent && received)
				continue;
			open++;
			l->polls[waiting++] = (struct pollfd){
				.fd = l->peers[i].fd,
				.events = (short)((sent ? 0 : POLLOUT) | (received ? 0 : POLLIN)),
			};
		}
		if (open && ++spins > SPINS_BEFORE_SLEEP)
			poll(l->polls, waiting, -1);
	} while (open);
	l->x.waited_seconds += 1e-9 * (double)(clock_ns() - began_ns);
}

static void local_prepare_message(struct local *l, uint32_t rank,
				  const struct exchange_votes *votes,
				  const struct exchange_buffer *buffer)
{
	struct local_peer *w = &l->peers[rank];

	memset(&w->out, 0, sizeof(w->out));
	if (votes)
		w->out.votes = *votes;
	w->out.size = buffer ? buffer->size : 0;
	w->buffer = buffer;
	w->sent = w->received = 0;
	l->x.sent_bytes += sizeof(w->out) + w->out.size;
}

static void local_round(struct exchange *x, struct exchange_votes *votes)
{
	struct local *l = (struct local *)x;

	for (uint32_t i = 0; i < x->ranks; i++)
		if (i != x->rank)
			local_prepare_message(l, i, votes, x->is_neighbour[i] ? &x->out[i] : NULL);
	local_swap_all(l);
	for (uint32_t i = 0; i < x->ranks; i++) {
		x->out[i].size = 0;
		if (i != x->rank)
			exchange_votes_add(votes, &l->peers[i].in.votes);
	}
}

static void local_allgather(struct exchange *x)
{
	struct local *l = (struct local *)x;
	struct exchange_buffer own = x->in[x->rank];

	for (uint32_t i = 0; i < x->ranks; i++)
		if (i != x->rank)
			local_prepare_message(l, i, NULL, &x->out[x->rank]);
	local_swap_all(l);
	x->in[x->rank] = x->out[x->rank];
	own.size = 0;
	x->out[x->rank] = own;
}

/* Outside of rounds, when the sockets are idle. */
static void local_send(struct exchange *x, const void *bytes, size_t size)
{
	const struct local *l = (const struct local *)x;

	for (size_t done = 0; done < size;)
		done += local_moved(x, 0,
				    send(l->peers[0].fd, (const char *)bytes + done, size - done,
					 MSG_NOSIGNAL));
	x->sent_bytes += size;
}

static void local_receive(struct exchange *x, uint32_t from, void *bytes, size_t size)
{
	const struct local *l = (const struct local *)x;

	for (size_t done = 0; done < size;)
		done += local_moved(x, from,
				    recv(l->peers[from].fd, (char *)bytes + done, size - done, 0));
}

static void local_join(struct exchange *x)
{
	const struct local *l = (const struct local *)x;

	for (uint32_t i = 1; i < x->ranks; i++)
		while (waitpid(l->peers[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
}

static void local_close(struct exchange *x)
{
	struct local *l = (struct local *)x;

	for (uint32_t i = 0; i < x->ranks; i++)
		if (l->peers[i].fd >= 0)
			close(l->peers[i].fd);
	exchange_free(x);
	free(l->peers);
	free(l->polls);
	free(l);
}

static const struct exchange_ops local_ops = {
	.name = "processes of this machine",
	.round = local_round,
	.allgather = local_allgather,
	.send = local_send,
	.receive = local_receive,
	.join = local_join,
	.close = local_close,
};

/* --- forking --- */

/* Ends of sockets: of rank i to rank j at [i * ranks + j]; -1: none. */
static void local_close_ends(int *ends, uint32_t ranks)
{
	for (uint32_t i = 0; i < ranks * ranks; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

static int local_connect(int *ends, uint32_t ranks)
{
	for (uint32_t i = 0; i < ranks * ranks; i++)
		ends[i] = -1;
	for (uint32_t i = 0; i < ranks; i++)
		for (uint32_t j = i + 1; j < ranks; j++) {
			int pair[2];

			if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
				return -1;
			ends[i * ranks + j] = pair[0];
			ends[j * ranks + i] = pair[1];
		}
	return 0;
}

/* Makes this process the rank. It closes the ends of others, so that a lost process is noticed. */
static struct local *local_become_rank(int *ends, uint32_t rank, uint32_t ranks)
{
	struct local *l = memory_zeroed(1, sizeof(*l));

	exchange_init(&l->x, &local_ops, rank, ranks);
	l->peers = memory_zeroed(ranks, sizeof(*l->peers));
	l->polls = memory_zeroed(ranks, sizeof(*l->polls));
	for (uint32_t i = 0; i < ranks; i++) {
		l->peers[i].fd = ends[rank * ranks + i];
		ends[rank * ranks + i] = -1;
	}
	local_close_ends(ends, ranks);
	return l;
}

int exchange_fork(struct exchange **out, uint32_t ranks, struct weir_error *e)
{
	int *ends = memory_zeroed((uint64_t)ranks * ranks, sizeof(*ends));
	pid_t *pids = memory_zeroed(ranks, sizeof(*pids));
	uint32_t rank = 0;
	struct local *l;

	if (local_connect(ends, ranks)) {
		weir_error_set(e, "no sockets for %u ranks: %s", ranks, strerror(errno));
		local_close_ends(ends, ranks);
		free(ends);
		free(pids);
		return -1;
	}
	for (uint32_t i = 1; i < ranks && rank == 0; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			rank = i;
		if (pids[i] < 0) {
			weir_error_set(e, "no process for rank %u of %u: %s", i, ranks,
				       strerror(errno));
			local_close_ends(ends, ranks); /* those that run exit by themselves */
			free(ends);
			free(pids);
			return -1;
		}
	}
	l = local_become_rank(ends, rank, ranks);
	for (uint32_t i = 0; i < ranks && rank == 0; i++)
		l->peers[i].pid = pids[i];
	free(ends);
	free(pids);
	*out = &l->x;
	return 0;
}
