/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_world.c -- see world.h. */
#define _POSIX_C_SOURCE 200809L
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WEIR_HAVE_MPI
#include <mpi.h>
#endif

#define SLURM_SIZE "SLURM_STEP_NUM_TASKS"

/* Names in the environment, by who started us. Slurm's are those of a step: a batch script, which
 * is one process, has the others of its allocation around it, too. */
static const struct {
	const char *size, *rank;
} starters[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, /* Open MPI's mpirun */
	{ "PMI_SIZE", "PMI_RANK" },                         /* MPICH's */
	{ SLURM_SIZE, "SLURM_PROCID" },                     /* srun */
};

static int number_of(const char *name, int otherwise)
{
	const char *text = getenv(name);
	char *end;
	long number = text ? strtol(text, &end, 10) : 0;

	return text && end != text && *end == '\0' && number >= 0 && number < 1 << 24 ? (int)number
										      : otherwise;
}

struct world_notice world_notice(void)
{
	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++) {
		int size = number_of(starters[i].size, 1);

		if (size > 1)
			return (struct world_notice){ size, number_of(starters[i].rank, 0) };
	}
	return (struct world_notice){ 1, 0 };
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

/* By rank; NULL: all are there. A process has one world, and this belongs to it. */
static unsigned char *lost;

int world_is_built(void)
{
	return 1;
}

static int is_there(void)
{
	int begun, ended;

	MPI_Initialized(&begun);
	MPI_Finalized(&ended);
	return begun && !ended;
}

static int refuse_start(struct weir_error *e)
{
	return weir_error_set(e,
			      "%d processes were started, but not as Open MPI knows them; take its "
			      "mpirun, or srun --mpi=pmix",
			      world_notice().size);
}

int world_begin(struct weir_error *e)
{
	int given;

	if (world_notice().size == 1)
		return 0;
	/* It would take itself for alone, or end the program in words of its own. */
	if (number_of(SLURM_SIZE, 1) > 1 && !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK"))
		return refuse_start(e);
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS)
		return weir_error_set(e, "Open MPI could not be started");
	/* Whoever sends or receives looks at what comes back: a lost rank need not be the end. */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (world_size() == world_notice().size)
		return 0;
	MPI_Finalize();
	return refuse_start(e);
}

int world_size(void)
{
	int size = 1;

	if (is_there())
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	return size;
}

int world_rank(void)
{
	int rank = 0;

	if (is_there())
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
	if (!is_there())
		return;
	if (world_lost()) { /* MPI would wait for them */
		fflush(NULL);
		_exit(status);
	}
	MPI_Finalize();
}

void world_abort(int status)
{
	if (is_there())
		MPI_Abort(MPI_COMM_WORLD, status);
	_exit(status);
}

#else

int world_is_built(void)
{
	return 0;
}

int world_begin(struct weir_error *e)
{
	int size = world_notice().size;

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

#endif
