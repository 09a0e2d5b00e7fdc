/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_post.c -- see post.h. */
#define _POSIX_C_SOURCE 200809L
#include "sim/parallel/mpi_post.h"
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WEIR_HAVE_MPI
#include <mpi.h>

enum { FLUSH_TRIES = 5000, FLUSH_NAP_NS = 1000 * 1000 };

/* A letter on its way, out or in. */
struct transit {
	struct letter letter;
	MPI_Request request;
	struct transit *next;
};

/* MPI is one for the process, and so is what it has of ours. */
static struct transit *outgoing, *incoming;

int post_send(int to, int kind, const void *bytes, size_t size)
{
	struct transit *t;

	if (size > POST_BYTES_MAX)
		return -1;
	t = memory_zeroed(1, sizeof(*t));
	t->letter.bytes = memory_grow(NULL, size + 1, 1);
	t->letter.size = size;
	if (size)
		memcpy(t->letter.bytes, bytes, size);
	if (MPI_Isend(t->letter.bytes, (int)size, MPI_BYTE, to, kind, MPI_COMM_WORLD,
		      &t->request) != MPI_SUCCESS) {
		free(t->letter.bytes);
		free(t);
		return -1;
	}
	t->next = outgoing;
	outgoing = t;
	return 0;
}

static int is_over(struct transit *t)
{
	int over = 0;

	/* What failed is over, too: it will not arrive. */
	return MPI_Test(&t->request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS || over;
}

static void forget_sent(void)
{
	for (struct transit **at = &outgoing; *at;) {
		struct transit *t = *at;

		if (!is_over(t)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free(t->letter.bytes);
		free(t);
	}
}

/* Begins to receive what has been announced; the oldest comes first. */
static void accept_announced(void)
{
	struct transit **last = &incoming;
	MPI_Message message;
	MPI_Status status;
	int found = 0, size = 0;

	while (*last)
		last = &(*last)->next;
	while (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message,
			   &status) == MPI_SUCCESS &&
	       found) {
		struct transit *t = memory_zeroed(1, sizeof(*t));

		MPI_Get_count(&status, MPI_BYTE, &size);
		t->letter =
			(struct letter){ status.MPI_SOURCE, status.MPI_TAG,
					 memory_grow(NULL, (uint64_t)size + 1, 1), (size_t)size };
		MPI_Imrecv(t->letter.bytes, size, MPI_BYTE, &message, &t->request);
		*last = t;
		last = &t->next;
	}
}

int post_take(struct letter *l)
{
	if (world_size() == 1)
		return 0;
	forget_sent();
	accept_announced();
	for (struct transit **at = &incoming; *at; at = &(*at)->next) {
		struct transit *t = *at;

		if (!is_over(t))
			continue;
		*at = t->next;
		*l = t->letter;
		free(t);
		return 1;
	}
	return 0;
}

void post_flush(void)
{
	const struct timespec nap = { 0, FLUSH_NAP_NS };

	for (int i = 0; outgoing && i < FLUSH_TRIES; i++) {
		forget_sent();
		if (outgoing)
			nanosleep(&nap, NULL);
	}
}

#else

int post_send(int to, int kind, const void *bytes, size_t size)
{
	(void)to, (void)kind, (void)bytes, (void)size;
	return -1;
}

int post_take(struct letter *l)
{
	memset(l, 0, sizeof(*l));
	return 0;
}

void post_flush(void)
{
}

#endif
