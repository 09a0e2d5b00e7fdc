/* SPDX-License-Identifier: BSD-3-Clause */
/* team.h -- threads that share out numbered pieces of work: episodes of a round, parts of an
 * update. Who does which piece is chance; so nothing may depend on it. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H
#include <stdint.h>

struct team;

/* So many work at a time, the caller among them; fewer where the system has no thread to give. */
struct team *team_new(uint32_t workers);
void team_free(struct team *t); /* NULL is fine */
uint32_t team_workers(const struct team *t);

/* Calls piece(context, i, worker) once for each i below count and returns when all have returned.
 * No two calls at the same time have the same worker. */
typedef void team_piece(void *context, uint32_t i, uint32_t worker);
void team_do(struct team *t, uint32_t count, team_piece *piece, void *context);
#endif
