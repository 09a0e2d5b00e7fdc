/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_exchange.h -- sim/parallel/exchange.h over MPI: the ranks are those of the world
 * (world.h). */
#ifndef SIM_PARALLEL_MPI_EXCHANGE_H
#define SIM_PARALLEL_MPI_EXCHANGE_H
#include "sim/parallel/exchange.h"

/* All processes of the world call it. -1: there is one process only, or the program was built
 * without Open MPI; the message says so. */
int exchange_world(struct exchange **out, struct weir_error *e);
#endif
