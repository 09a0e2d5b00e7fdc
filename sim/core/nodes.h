/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h -- one thread's nodes in one window: those that have something to do, and what they need
 * fetched before. */
#ifndef SIM_CORE_NODES_H
#define SIM_CORE_NODES_H

struct worker;

/* Its own, in order. */
void nodes_run(struct worker *w);

/* Then switches of others, which even out uneven traffic. */
void nodes_help(struct worker *w);
#endif
