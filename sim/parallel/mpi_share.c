/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_share.c -- see share.h. */
#include "sim/parallel/mpi_share.h"
#include "sim/parallel/mpi_world.h"
#include <stdlib.h>
#ifdef WEIR_HAVE_MPI
#include <mpi.h>

enum { PIECE_BYTES = 1 << 30 };

/* Nobody can go on alone from where the others are not. */
static void check(int code)
{
	if (code != MPI_SUCCESS)
		world_abort(EXIT_FAILURE);
}

void share_bytes(void *bytes, size_t size, int from)
{
	char *at = bytes;

	if (world_size() == 1)
		return;
	while (size) {
		int piece = size < PIECE_BYTES ? (int)size : PIECE_BYTES;

		check(MPI_Bcast(at, piece, MPI_BYTE, from, MPI_COMM_WORLD));
		at += piece;
		size -= (size_t)piece;
	}
}

int share_all(int holds)
{
	int own = holds != 0, all = own;

	if (world_size() > 1)
		check(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
	return all;
}

#else

void share_bytes(void *bytes, size_t size, int from)
{
	(void)bytes, (void)size, (void)from;
}

int share_all(int holds)
{
	return holds != 0;
}

#endif

int share_same(uint64_t number)
{
	uint64_t first = number;

	share_bytes(&first, sizeof(first), 0);
	return share_all(first == number);
}
