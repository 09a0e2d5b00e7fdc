/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h -- runs that go into a result folder: weir run of a [sweep], or with --out, and weir
 * reproduce. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H
#include "cli/commands.h"
#include "lab/campaign/shard.h"
#include "sim/parallel/exchange.h"
#include "lab/scenario/sweep.h"

/* Sees each run as soon as it is in the folder, those first that were there before; other than 0:
 * the sweep stops with the message, and with EXIT_MISTAKE, or EXIT_WORLD where it is -1. */
struct sweep_watch {
	void *context;
	int (*see)(void *context, uint64_t run, const char *key, struct weir_error *e);
};

struct sweep_request {
	const char *out;           /* NULL: the default folder */
	uint64_t jobs;             /* processes; 0: what the machine has */
	uint64_t threads;          /* of each */
	uint32_t adapts;           /* 1: more, where that is faster than processors that rest */
	struct shard shard;        /* count 0: all of it */
	uint32_t ranks;            /* processes that share each run; 0 or 1: one does it */
	struct exchange *exchange; /* NULL, or those that share them with this one */
	int again, quiet;
	const char *by;   /* NULL, or a part of runs that the table has rows for */
	const char *sort; /* NULL, or a metric that orders them */
	int no_table;     /* 1: the caller shows what came out */
	/* What sees each run, and a line of progress that comes first; either may be NULL. */
	const struct sweep_watch *watch;
	const char *stage;
};

/* --jobs of a command line; 0: not given. */
int read_jobs(const struct arguments *a, uint64_t *jobs, struct weir_error *e);

/* Returns an exit status. */
int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w);
#endif
