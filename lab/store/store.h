/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h -- the results of many runs in one file, results.db (SQLite), in a result folder.
 *
 * A run is identified by its full effective settings, seed and program version (run_key). It is
 * added whole, with its flows, ports, pauses, reasons and series, in one transaction, or not at
 * all. Any number of processes may read and add at the same time. Readers see only whole runs, and
 * what they read is compared with digests that were added with it: a run that is damaged is an
 * error that names it, and what a visitor has seen of it counts for nothing. */
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H
#include "lab/scenario/key.h"
#include "lab/store/rows.h"

struct store;

/* WRITE makes folder and file where they are missing. ADD is for the processes of a sweep: the file
 * is there and was found good, so it is not looked through again. FOLLOW is for whoever reads again
 * and again while a sweep adds: the same as READ, but not looked through either, and a run may be
 * replaced between two reads, which then says that it is damaged. Nobody who adds ever waits longer
 * than one table of one run is read. */
enum store_mode { STORE_READ, STORE_WRITE, STORE_ADD, STORE_FOLLOW };

/* Refuses a file that is damaged, is no store or is of another schema, saying which, and leaves it
 * as it was. */
int store_open(struct store **out, const char *folder, enum store_mode mode, struct weir_error *e);
void store_close(struct store *s);

/* 0: it was written by an earlier version, without digests, and damage cannot be noticed. Opening
 * it for WRITE adds them. */
int store_has_digests(const struct store *s);

/* The path of its file, "FOLDER/results.db". */
const char *store_file(const struct store *s);

/* 1: it is there; 0: not; -1: message. */
int store_has(struct store *s, const char *key, struct weir_error *e);

/* Replaces a run of the same key. A partial run is refused by the caller, not here. */
int store_add(struct store *s, const char *key, const struct config *c, const struct run_result *r,
	      struct weir_error *e);

/* Which runs the latest sweep consists of, in its order, done or not. Replaces the plan before. */
int store_plan(struct store *s, const char (*keys)[RUN_KEY_SIZE], uint64_t count,
	       struct weir_error *e);

/* The runs of the plan in its order, and the number of each in this store; 0: it is not there. For
 * the caller to free. */
struct planned_run {
	char key[RUN_KEY_SIZE];
	int64_t id;
};
int store_planned(struct store *s, struct planned_run **runs, uint64_t *count,
		  struct weir_error *e);

/* How many runs are planned, and how many of these are there. */
int store_progress(struct store *s, uint64_t *planned, uint64_t *done, struct weir_error *e);

/* Deletes the runs that the plan does not name and gives their room back; DRY only counts them,
 * also in a store that is open for reading. Refuses a store without a plan. */
enum prune_mode { PRUNE_DRY, PRUNE };
int store_prune(struct store *s, enum prune_mode mode, uint64_t *pruned, struct weir_error *e);

/* --- from one store to another: store_copy.c --- */

/* What came out of a run, in 64 bits that are the same in every store and on every machine: not its
 * number, and not what it cost. */
int store_run_digest(struct store *s, int64_t run, uint64_t *digest, struct weir_error *e);

/* Adds those of the runs that are in from, all of them or none: where s has them they stay as they
 * are, or are replaced. What is copied is compared with its digests. */
enum store_copying { COPY_LACKING, COPY_ALL };
int store_copy(struct store *s, struct store *from, const struct planned_run *runs, uint64_t count,
	       enum store_copying copying, struct weir_error *e);

/* A store that is no file but lies in memory: of these bytes, or an empty one; and the bytes of
 * such a one, as its file would have them. */
int store_open_bytes(struct store **out, const void *bytes, size_t size, struct weir_error *e);
unsigned char *store_bytes(struct store *s, size_t *size, struct weir_error *e);
void store_bytes_free(unsigned char *bytes);

/* --- reading --- */

struct stored_setting {
	char *path, *value; /* "switch.marking", "ecn(k=65pkts, scope=queue, at=enqueue)" */
};

struct stored_run {
	int64_t id;
	char key[RUN_KEY_SIZE];
	int planned; /* 1: part of the plan */
	char *title, *version;
	uint32_t setting_count;
	struct stored_setting *settings; /* all, also "seed" */
	double value[METRICS_MAX];       /* by metric_all; NAN: unknown */
	/* 1: unknown, because the folder has it by an earlier definition (metric.stored) alone */
	unsigned char is_outdated[METRICS_MAX];
	double wall_seconds;
	char *held_up; /* of a real run, why its numbers are not to be trusted; NULL: they may be */
	uint32_t reason_count;
	struct reason_count *reasons; /* their names belong to the run */
	int partial;                  /* 1: has just ended, before its time; never of a store */
};

struct stored_runs {
	uint32_t count;
	struct stored_run *runs; /* in the order of the plan; others after these, as added */
	uint32_t left_out;       /* runs that are there, but are not asked for */
};

/* PLANNED: only the runs of the latest plan, where there is one. What an earlier version or other
 * settings left in the folder is then not read. */
enum store_scope { STORE_PLANNED, STORE_ALL };

int store_runs(struct store *s, enum store_scope scope, struct stored_runs *runs,
	       struct weir_error *e);

/* The run of that key, also of a store to which others add meanwhile; it counts as planned. In any
 * case for the caller to free. -1: it is not there, or is damaged. */
int store_run_of_key(struct store *s, const char *key, struct stored_run *run,
		     struct weir_error *e);

/* Compares all of a run with its digests, before anything of it is shown. */
int store_check_run(struct store *s, int64_t run, struct weir_error *e);

void stored_run_free(struct stored_run *run);
void stored_runs_free(struct stored_runs *runs);

/* The value of a setting, or NULL. */
const char *stored_setting(const struct stored_run *run, const char *path);

/* The rows of one of a run's tables, as rows.h has them. A row is valid only during the call. */
int store_each(struct store *s, int64_t run, enum table_id table, const struct row_visitor *v,
	       struct weir_error *e);

/* Whose rows: those of a run of a store, or of one that has just ended. */
struct rows_from {
	struct store *store; /* NULL: of the finished one */
	int64_t run;
	const struct finished_run *finished;
};

int rows_each(const struct rows_from *from, enum table_id table, const struct row_visitor *v,
	      struct weir_error *e);

/* All of a run but its long tables; on -1 what it has is still to be freed. */
int stored_run_fill(struct stored_run *run, const struct rows_from *from, struct weir_error *e);

/* The same by their types; a visitor that returns non-zero ends the visit, which is no failure. */
int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct weir_error *e);
int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct weir_error *e);
int store_each_pause(struct store *s, int64_t run,
		     int (*visit)(void *, const struct stored_pause *), void *context,
		     struct weir_error *e);
int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct weir_error *e);
#endif
