/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_world.c -- the processes of one mpirun: start, end, messages and collective calls. */
#define _POSIX_C_SOURCE 200809L
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WEIR_HAVE_MPI
#include <mpi.h>
#endif

#define SLURM_SIZE "SLURM_STEP_NUM_TASKS"

/* Variables of the environment, by launcher. Slurm's are those of a step: a batch script is one
 * process, although it sees the size of its allocation. */
static const struct {
	const char *size, *rank;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
	{ "PMI_SIZE", "PMI_RANK" },                         /* MPICH's */
	{ SLURM_SIZE, "SLURM_PROCID" },                     /* srun */
};

static int world_read_number(const char *name, int otherwise)
{
	const char *text = getenv(name);
	char *end;
	long number = text ? strtol(text, &end, 10) : 0;

	return text && end != text && *end == '\0' && number >= 0 && number < 1 << 24 ? (int)number
										      : otherwise;
}

struct world_launch world_launch(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		int size = world_read_number(launchers[i].size, 1);

		if (size > 1)
			return (struct world_launch){ size,
						      world_read_number(launchers[i].rank, 0) };
	}
	return (struct world_launch){ 1, 0 };
}

struct world_place world_place(void)
{
	struct world_place p;

	if (gethostname(p.name, sizeof(p.name)) != 0)
		strcpy(p.name, "a machine without a name");
	p.name[sizeof(p.name) - 1] = '\0';
	return p;
}

#ifdef WEIR_HAVE_MPI

/* By rank; NULL: no rank is lost. A mutable global: MPI is one for the process. */
static unsigned char *lost;

int world_is_built(void)
{
	return 1;
}

static int world_is_open(void)
{
	int begun, ended;

	MPI_Initialized(&begun);
	MPI_Finalized(&ended);
	return begun && !ended;
}

static int world_refuse_start(struct weir_error *e)
{
	return weir_error_set(e,
			      "%d processes were started, but not as Open MPI knows them; take its "
			      "mpirun, or srun --mpi=pmix",
			      world_launch().size);
}

int world_begin(struct weir_error *e)
{
	int given;

	if (world_launch().size == 1)
		return 0;
	/* Open MPI would take this process for a single one, or abort it with its own message. */
	if (world_read_number(SLURM_SIZE, 1) > 1 && !getenv("OMPI_COMM_WORLD_SIZE") &&
	    !getenv("PMIX_RANK"))
		return world_refuse_start(e);
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS)
		return weir_error_set(e, "Open MPI could not be started");
	/* Callers check return values: losing a rank need not end the program. */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (world_size() == world_launch().size)
		return 0;
	MPI_Finalize();
	return world_refuse_start(e);
}

int world_size(void)
{
	int size = 1;

	if (world_is_open())
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	return size;
}

int world_rank(void)
{
	int rank = 0;

	if (world_is_open())
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

void world_set_lost(int rank, int is_lost)
{
	if (!lost && is_lost)
		lost = memory_zeroed((uint64_t)world_size(), sizeof(*lost));
	if (lost)
		lost[rank] = is_lost != 0;
}

int world_is_lost(int rank)
{
	return lost && lost[rank];
}

int world_lost(void)
{
	int count = 0;

	for (int i = 0; lost && i < world_size(); i++)
		count += lost[i];
	return count;
}

void world_end(int status)
{
	if (!world_is_open())
		return;
	if (world_lost()) { /* MPI would wait for them */
		fflush(NULL);
		_exit(status);
	}
	MPI_Finalize();
}

void world_abort(int status)
{
	if (world_is_open())
		MPI_Abort(MPI_COMM_WORLD, status);
	_exit(status);
}

/* --- messages --- */

enum { FLUSH_TRIES = 5000, FLUSH_NAP_NS = 1000 * 1000 };

/* A message in flight, outgoing or incoming. */
struct transit {
	struct world_message message;
	MPI_Request request;
	struct transit *next;
};

/* Mutable globals: MPI is one for the process. */
static struct transit *outgoing, *incoming;

int world_send(int to, int kind, const void *bytes, size_t size)
{
	struct transit *t;

	if (size > WORLD_MESSAGE_BYTES_MAX)
		return -1;
	t = memory_zeroed(1, sizeof(*t));
	t->message.bytes = memory_grow(NULL, size + 1, 1);
	t->message.size = size;
	if (size)
		memcpy(t->message.bytes, bytes, size);
	if (MPI_Isend(t->message.bytes, (int)size, MPI_BYTE, to, kind, MPI_COMM_WORLD,
		      &t->request) != MPI_SUCCESS) {
		free(t->message.bytes);
		free(t);
		return -1;
	}
	t->next = outgoing;
	outgoing = t;
	return 0;
}

static int transit_is_over(struct transit *t)
{
	int over = 0;

	/* A failed transfer is over, too: it will not arrive. */
	return MPI_Test(&t->request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS || over;
}

static void world_forget_sent(void)
{
	for (struct transit **at = &outgoing; *at;) {
		struct transit *t = *at;

		if (!transit_is_over(t)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free(t->message.bytes);
		free(t);
	}
}

/* Starts to receive announced messages, and appends them to incoming: the oldest comes first. */
static void world_accept_announced(void)
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
		t->message = (struct world_message){ status.MPI_SOURCE, status.MPI_TAG,
						     memory_grow(NULL, (uint64_t)size + 1, 1),
						     (size_t)size };
		MPI_Imrecv(t->message.bytes, size, MPI_BYTE, &message, &t->request);
		*last = t;
		last = &t->next;
	}
}

int world_receive(struct world_message *m)
{
	if (world_size() == 1)
		return 0;
	world_forget_sent();
	world_accept_announced();
	for (struct transit **at = &incoming; *at; at = &(*at)->next) {
		struct transit *t = *at;

		if (!transit_is_over(t))
			continue;
		*at = t->next;
		*m = t->message;
		free(t);
		return 1;
	}
	return 0;
}

void world_flush(void)
{
	const struct timespec nap = { 0, FLUSH_NAP_NS };

	for (int i = 0; outgoing && i < FLUSH_TRIES; i++) {
		world_forget_sent();
		if (outgoing)
			nanosleep(&nap, NULL);
	}
}

/* --- collective calls --- */

enum { PIECE_BYTES = 1 << 30 };

/* After a failed collective call processes are out of step: none can continue. */
static void world_check(int code)
{
	if (code != MPI_SUCCESS)
		world_abort(EXIT_FAILURE);
}

void world_broadcast(void *bytes, size_t size, int from)
{
	char *at = bytes;

	if (world_size() == 1)
		return;
	while (size) {
		int piece = size < PIECE_BYTES ? (int)size : PIECE_BYTES;

		world_check(MPI_Bcast(at, piece, MPI_BYTE, from, MPI_COMM_WORLD));
		at += piece;
		size -= (size_t)piece;
	}
}

int world_all(int holds)
{
	int own = holds != 0, all = own;

	if (world_size() > 1)
		world_check(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
	return all;
}

#else

int world_is_built(void)
{
	return 0;
}

int world_begin(struct weir_error *e)
{
	int size = world_launch().size;

	if (size == 1)
		return 0;
	return weir_error_set(e,
			      "%d processes were started, but this program was built without Open "
			      "MPI; install libopenmpi-dev and make it again, or start one process",
			      size);
}

int world_size(void)
{
	return 1;
}

int world_rank(void)
{
	return 0;
}

void world_set_lost(int rank, int is_lost)
{
	(void)rank, (void)is_lost;
}

int world_is_lost(int rank)
{
	(void)rank;
	return 0;
}

int world_lost(void)
{
	return 0;
}

void world_end(int status)
{
	(void)status;
}

void world_abort(int status)
{
	_exit(status);
}

int world_send(int to, int kind, const void *bytes, size_t size)
{
	(void)to, (void)kind, (void)bytes, (void)size;
	return -1;
}

int world_receive(struct world_message *m)
{
	memset(m, 0, sizeof(*m));
	return 0;
}

void world_flush(void)
{
}

void world_broadcast(void *bytes, size_t size, int from)
{
	(void)bytes, (void)size, (void)from;
}

int world_all(int holds)
{
	return holds != 0;
}

#endif

int world_same(uint64_t number)
{
	uint64_t first = number;

	world_broadcast(&first, sizeof(first), 0);
	return world_all(first == number);
}
