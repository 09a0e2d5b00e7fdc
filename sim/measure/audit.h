/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.h -- does everything add up? Packets, and the bytes of every queue, switch and receiver.
 *
 * Each account that a run keeps is compared with what there is: a queue's bytes with the packets in
 * it, the shared memory of a switch with its queues, the accounts of a lossless switch's inputs
 * with the packets that came in there and are still there, what receivers have with what arrived. A
 * difference is a bug of ours; the run is then no result. */
#ifndef SIM_MEASURE_AUDIT_H
#define SIM_MEASURE_AUDIT_H
#include "sim/core/engine.h"

/* With every thread at rest. Walks all packets; -1: something does not add up, and the message says
 * what. */
int audit(struct engine *e, struct weir_error *error);
#endif
