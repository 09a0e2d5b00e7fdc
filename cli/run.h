/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h -- running scenarios: one run whose results are shown (run_one.c), in one process or in
 * ranks, or runs that go into a result folder (run_sweep.c). For weir run, choose and reproduce. */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include "cli/commands.h"
#include "lab/campaign/shard.h"
#include "lab/scenario/sweep.h"
#include "sim/parallel/exchange.h"

/* --- one run --- */

/* What the command line of weir run asks for, besides the scenario. */
struct run_request {
	const char *json, *csv, *out, *by, *sort; /* NULL: not asked for */
	int quiet;
	struct shard shard;
	uint64_t threads; /* 0: as many as are faster */
	int is_auto;      /* 1: --threads says so, the user did not leave it open */
	uint64_t jobs;    /* 0: as many as there are cores */
	uint32_t ranks;
};

/* Returns an exit status. */
int run_one(const struct arguments *a, const struct run_request *q, const struct scenario *s);

/* Reports a mistake that all ranks found; the first one prints it. */
int run_error(enum exit_status status, const struct weir_error *e);

/* --- ranks: processes that share the network of one run, of this machine or of mpirun --- */

enum { RANKS_OF_WORLD = 0, RANKS_MAX = 64 };

/* What --ranks says; 1 where it is not given. What does not go with it is refused. */
int ranks_read(const struct arguments *a, uint32_t *ranks, struct weir_error *e);

/* Does the command line ask mpirun's processes to share one run? */
int ranks_share_one(const struct arguments *a);

/* The others are there, each in this function and with the same command; or *out is NULL, where
 * this process does all. Ready: whether this one is; -1 where somebody is not, who has said so, or
 * with a message. Only rank 0 shows and writes. */
enum ranks_ready { RANKS_READY, RANKS_NOT_READY };
int ranks_start(struct exchange **out, uint32_t ranks, enum ranks_ready ready,
		struct weir_error *e);

/* --- runs that go into a result folder: weir run of a [sweep], or with --out, and others --- */

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

/* Returns an exit status. */
int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w);
#endif
