/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_local.c -- ranks that are processes of one machine, each with a socket to every other
 * one.
 *
 * A message is its head, with the votes, and the buffer. All messages of a round are sent and
 * received without blocking: two ranks with large buffers for each other do not deadlock. */
#define _GNU_SOURCE
#include "sim/parallel/exchange.h"
#include "base/memory.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Polls before it sleeps: a rank is seldom late by more, where each has a core. */
enum { SPINS_BEFORE_SLEEP = 10 };

struct head {
	struct exchange_votes votes;
	uint64_t size;
};

/* The connection to another rank, and how far the messages of this round are. */
struct way {
	int fd;
	pid_t pid; /* in rank 0: the process */
	struct head out, in;
	size_t sent, received; /* of head and buffer */
	const struct exchange_buffer *buffer;
};

struct local {
	struct exchange x; /* first: what others see */
	struct way *ways;  /* by rank; the own one has no socket */
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
	struct way *w = &l->ways[rank];
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
	struct way *w = &l->ways[rank];
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

/* Every message to and from every other rank. */
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
				.fd = l->ways[i].fd,
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
	struct way *w = &l->ways[rank];

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
			exchange_votes_add(votes, &l->ways[i].in.votes);
	}
}

static void local_share(struct exchange *x)
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

/* Big things, in order; the sockets are idle otherwise. */
static void local_give(struct exchange *x, const void *bytes, size_t size)
{
	const struct local *l = (const struct local *)x;

	for (size_t done = 0; done < size;)
		done += local_moved(
			x, 0,
			send(l->ways[0].fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL));
	x->sent_bytes += size;
}

static void local_take(struct exchange *x, uint32_t from, void *bytes, size_t size)
{
	const struct local *l = (const struct local *)x;

	for (size_t done = 0; done < size;)
		done += local_moved(x, from,
				    recv(l->ways[from].fd, (char *)bytes + done, size - done, 0));
}

static void local_join(struct exchange *x)
{
	const struct local *l = (const struct local *)x;

	for (uint32_t i = 1; i < x->ranks; i++)
		while (waitpid(l->ways[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
}

static void local_close(struct exchange *x)
{
	struct local *l = (struct local *)x;

	for (uint32_t i = 0; i < x->ranks; i++)
		if (l->ways[i].fd >= 0)
			close(l->ways[i].fd);
	exchange_free(x);
	free(l->ways);
	free(l->polls);
	free(l);
}

static const struct exchange_ops local_ops = {
	.name = "processes of this machine",
	.round = local_round,
	.share = local_share,
	.give = local_give,
	.take = local_take,
	.join = local_join,
	.close = local_close,
};

/* --- the start --- */

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

/* This process is the rank: it keeps its own ends alone, so that everybody notices who is gone. */
static struct local *local_become_rank(int *ends, uint32_t rank, uint32_t ranks)
{
	struct local *l = memory_zeroed(1, sizeof(*l));

	exchange_init(&l->x, &local_ops, rank, ranks);
	l->ways = memory_zeroed(ranks, sizeof(*l->ways));
	l->polls = memory_zeroed(ranks, sizeof(*l->polls));
	for (uint32_t i = 0; i < ranks; i++) {
		l->ways[i].fd = ends[rank * ranks + i];
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
			local_close_ends(ends, ranks); /* those that are there end by themselves */
			free(ends);
			free(pids);
			return -1;
		}
	}
	l = local_become_rank(ends, rank, ranks);
	for (uint32_t i = 0; i < ranks && rank == 0; i++)
		l->ways[i].pid = pids[i];
	free(ends);
	free(pids);
	*out = &l->x;
	return 0;
}
