/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_share.h -- for processes of a world that all do the same: what one of them knows, and whether
 * they are of one mind. Each of these is called by all of them, in the same order; in a world of
 * one they cost nothing. */
#ifndef SIM_PARALLEL_MPI_SHARE_H
#define SIM_PARALLEL_MPI_SHARE_H
#include <stddef.h>
#include <stdint.h>

/* What these bytes are for one of them they become for all. */
void share_bytes(void *bytes, size_t size, int from);

/* 1: it holds for all of them. */
int share_all(int holds);

/* 1: it is the same number for all of them. */
int share_same(uint64_t number);
#endif
