/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_exchange.c -- exchange.h over MPI. Buffers go straight to neighbours, which learn their size
 * on arrival; votes are one non-blocking reduction over all ranks, in parallel with that. */
#include "sim/parallel/exchange.h"
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef WEIR_HAVE_MPI
#include <mpi.h>

enum { TAG_BUFFER = 71, TAG_STREAM };

/* MPI counts bytes in int. */
#define PIECE_BYTES ((size_t)1 << 30)

struct by_mpi {
	struct exchange x; /* first: back-ends are cast from it */
	MPI_Comm comm;
	MPI_Op op;
	MPI_Datatype votes;
	MPI_Request *requests;
	int *sizes, *places; /* of an all-gather, by rank */
};

/* Exits when an MPI call failed. */
static void mpi_check(const struct exchange *x, uint32_t rank, int code)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;

	if (code == MPI_SUCCESS)
		return;
	MPI_Error_string(code, text, &length);
	exchange_lost(x, rank, text);
}

static int mpi_count(const struct exchange *x, size_t size)
{
	if (size > INT_MAX)
		exchange_lost(x, x->rank, "a window sends more than 2 GiB to one rank");
	return (int)size;
}

static void mpi_add_votes(void *in, void *sum, int *count, MPI_Datatype *type)
{
	struct exchange_votes *to = sum;
	const struct exchange_votes *from = in;

	(void)type;
	for (int i = 0; i < *count; i++)
		exchange_votes_add(&to[i], &from[i]);
}

static void mpi_receive_buffer(struct by_mpi *m, uint32_t from)
{
	struct exchange_buffer *in = &m->x.in[from];
	MPI_Message message;
	MPI_Status status;
	int size;

	mpi_check(&m->x, from, MPI_Mprobe((int)from, TAG_BUFFER, m->comm, &message, &status));
	MPI_Get_count(&status, MPI_BYTE, &size);
	exchange_reserve(in, (size_t)size + 1);
	mpi_check(&m->x, from, MPI_Mrecv(in->bytes, size, MPI_BYTE, &message, &status));
	in->size = (size_t)size;
}

static void mpi_round(struct exchange *x, struct exchange_votes *votes)
{
	struct by_mpi *m = (struct by_mpi *)x;
	struct exchange_votes own = *votes;
	double began = MPI_Wtime();
	int count = 0;

	for (uint32_t i = 0; i < x->ranks; i++) {
		if (!x->is_neighbour[i])
			continue;
		mpi_check(x, i,
			  MPI_Isend(x->out[i].bytes, mpi_count(x, x->out[i].size), MPI_BYTE, (int)i,
				    TAG_BUFFER, m->comm, &m->requests[count++]));
		x->sent_bytes += x->out[i].size;
	}
	mpi_check(x, x->rank,
		  MPI_Iallreduce(&own, votes, 1, m->votes, m->op, m->comm, &m->requests[count++]));
	for (uint32_t i = 0; i < x->ranks; i++)
		if (x->is_neighbour[i])
			mpi_receive_buffer(m, i);
	mpi_check(x, x->rank, MPI_Waitall(count, m->requests, MPI_STATUSES_IGNORE));
	for (uint32_t i = 0; i < x->ranks; i++)
		x->out[i].size = 0;
	x->waited_seconds += MPI_Wtime() - began;
}

static void mpi_allgather(struct exchange *x)
{
	struct by_mpi *m = (struct by_mpi *)x;
	struct exchange_buffer *out = &x->out[x->rank];
	int own = mpi_count(x, out->size), total = 0;
	char *all;

	mpi_check(x, x->rank, MPI_Allgather(&own, 1, MPI_INT, m->sizes, 1, MPI_INT, m->comm));
	for (uint32_t i = 0; i < x->ranks; i++) {
		m->places[i] = total;
		total = mpi_count(x, (size_t)total + (size_t)m->sizes[i]);
	}
	all = memory_grow(NULL, (uint64_t)total + 1, 1);
	mpi_check(x, x->rank,
		  MPI_Allgatherv(out->bytes, own, MPI_BYTE, all, m->sizes, m->places, MPI_BYTE,
				 m->comm));
	for (uint32_t i = 0; i < x->ranks; i++) {
		struct exchange_buffer *in = &x->in[i];

		in->size = (size_t)m->sizes[i];
		exchange_reserve(in, in->size + 1);
		memcpy(in->bytes, all + m->places[i], in->size);
	}
	free(all);
	out->size = 0;
}

static void mpi_send(struct exchange *x, const void *bytes, size_t size)
{
	const struct by_mpi *m = (const struct by_mpi *)x;

	for (size_t done = 0, piece; done < size; done += piece) {
		piece = size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
		mpi_check(x, 0,
			  MPI_Send((const char *)bytes + done, (int)piece, MPI_BYTE, 0, TAG_STREAM,
				   m->comm));
	}
	x->sent_bytes += size;
}

static void mpi_receive(struct exchange *x, uint32_t from, void *bytes, size_t size)
{
	const struct by_mpi *m = (const struct by_mpi *)x;

	for (size_t done = 0, piece; done < size; done += piece) {
		piece = size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
		mpi_check(x, from,
			  MPI_Recv((char *)bytes + done, (int)piece, MPI_BYTE, (int)from,
				   TAG_STREAM, m->comm, MPI_STATUS_IGNORE));
	}
}

static void mpi_close(struct exchange *x)
{
	struct by_mpi *m = (struct by_mpi *)x;

	MPI_Op_free(&m->op);
	MPI_Type_free(&m->votes);
	MPI_Comm_free(&m->comm);
	free(m->requests);
	free(m->sizes);
	free(m->places);
	exchange_free(x);
	free(m);
}

static const struct exchange_ops mpi_ops = {
	.name = "MPI",
	.round = mpi_round,
	.allgather = mpi_allgather,
	.send = mpi_send,
	.receive = mpi_receive,
	.close = mpi_close,
};

int exchange_world(struct exchange **out, struct weir_error *e)
{
	uint32_t ranks = (uint32_t)world_size();
	struct by_mpi *m;

	if (ranks == 1)
		return weir_error_set(e, "--ranks mpi: one process was started; start several, as "
					 "in 'mpirun -n 4 weir run ...', or say how many of this "
					 "machine, as in --ranks 4");
	m = memory_zeroed(1, sizeof(*m));
	exchange_init(&m->x, &mpi_ops, (uint32_t)world_rank(), ranks);
	MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
	MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
	MPI_Type_contiguous((int)sizeof(struct exchange_votes), MPI_BYTE, &m->votes);
	MPI_Type_commit(&m->votes);
	MPI_Op_create(mpi_add_votes, 1, &m->op);
	m->requests = memory_zeroed(ranks + UINT64_C(1), sizeof(MPI_Request));
	m->sizes = memory_zeroed(ranks, sizeof(*m->sizes));
	m->places = memory_zeroed(ranks, sizeof(*m->places));
	*out = &m->x;
	return 0;
}

#else

int exchange_world(struct exchange **out, struct weir_error *e)
{
	(void)out;
	return weir_error_set(e, "--ranks mpi: this program was built without Open MPI; install "
				 "libopenmpi-dev and make it again, or take processes of this "
				 "machine, as in --ranks 2");
}

#endif
