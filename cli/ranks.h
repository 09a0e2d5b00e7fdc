/* ranks.h -- the other processes of one run, where --ranks asks for them. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H
#include "sim/base/exchange.h"

enum { RANKS_MAX = 1024 };

/* What --ranks says: how many processes of this machine; NULL: one. */
int ranks_read(const char *text, uint32_t *ranks, struct weir_error *e);

/* The others are there, or *out is NULL where this process does all. Only rank 0 shows and writes. */
int ranks_start(struct exchange **out, uint32_t ranks, struct weir_error *e);

/* Rank 0 has shown everything: waits for the others, and returns its status. Another rank ends here. */
int ranks_end(struct exchange *x, int status);
#endif
