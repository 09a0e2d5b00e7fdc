/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h -- running scenarios for weir run, choose and reproduce: a single run whose results are
 * printed (run_one.c), in one process or in ranks, or runs that go into a result folder
 * (run_sweep.c). Functions return exit statuses unless they say otherwise. */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include "cli/commands.h"
#include "lab/campaign/shard.h"
#include "lab/scenario/sweep.h"
#include "sim/parallel/exchange.h"

/* --- one run --- */

/* The options of weir run, besides the scenario. */
struct run_request {
	const char *json, *csv, *out, *by, *sort; /* NULL: not given */
	int quiet;
	struct shard shard;
	uint64_t threads; /* 0: tuned at run time */
	int is_auto;      /* 1: --threads auto was given explicitly */
	uint64_t jobs;    /* 0: one per core */
	uint32_t ranks;
};

/* Returns an exit status. */
int run_one(const struct arguments *a, const struct run_request *q, const struct scenario *s);

/* Reports a mistake that all ranks found; only rank 0 prints it. */
int run_error(enum exit_status status, const struct weir_error *e);

/* --- ranks: processes that share the network of one run, of this machine or of mpirun --- */

enum { RANKS_OF_WORLD = 0, RANKS_MAX = 64 };

/* The value of --ranks, 1 if not given. -1 with a message: options that exclude each other. */
int ranks_read(const struct arguments *a, uint32_t *ranks, struct weir_error *e);

/* Is it --ranks mpi? */
int ranks_share_one(const struct arguments *a);

/* Connects the ranks; every rank calls it with the same command. *out NULL: a single process.
 * ready: whether this rank can start; -1 if some rank cannot, which has printed its message, or
 * with a message. Only rank 0 prints and writes results. */
enum ranks_ready { RANKS_READY, RANKS_NOT_READY };
int ranks_start(struct exchange **out, uint32_t ranks, enum ranks_ready ready,
		struct weir_error *e);

/* --- runs that go into a result folder: weir run of a [sweep], or with --out, and others --- */

/* Called for each run once it is stored, first for those stored before. Non-zero stops the sweep
 * with the message: -1 with EXIT_WORLD, others with EXIT_MISTAKE. */
struct sweep_watch {
	void *context;
	int (*see)(void *context, uint64_t run, const char *key, struct weir_error *e);
};

struct sweep_request {
	const char *out;           /* NULL: the default folder */
	uint64_t jobs;             /* parallel runs; 0: one per core */
	uint64_t threads;          /* per run */
	uint32_t adapts;           /* 1: threads are tuned at run time if cores are idle */
	struct shard shard;        /* count 0: the whole sweep */
	uint32_t ranks;            /* processes per run; 0 or 1: one */
	struct exchange *exchange; /* the ranks that share each run; NULL: none */
	int again, quiet;
	const char *by;   /* part of runs that is a row of the table; NULL: whole runs */
	const char *sort; /* metric by which rows are sorted; NULL: unsorted */
	int no_table;     /* 1: the caller prints the results */
	/* Observer of each run, and first line of the progress display; NULL: none. */
	const struct sweep_watch *watch;
	const char *stage;
};

/* Returns an exit status. */
int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w);
#endif
