/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h -- the results of many runs in one file, results.db (SQLite), in a result folder.
 *
 * A run is identified by all its effective settings, its seed and the program's version (run_key).
 * It is added in one transaction with its flows, ports, pauses, reasons and series. Any number of
 * processes may read and add concurrently. Readers see complete runs only, and everything they read
 * is compared with digests that were stored with it: a damaged run is an error that names it, and
 * rows visited so far must be discarded.
 *
 * A struct store belongs to one thread. Functions return 0, or -1 with a message. */
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H
#include "lab/scenario/scenario.h"
#include "lab/store/columns.h"

struct store;

/* WRITE creates folder and file if they are missing. ADD is for the worker processes of a sweep:
 * the file exists and was checked, so opening skips the check. FOLLOW is for readers that poll
 * while a sweep adds: like READ without the check, and without a common snapshot, so that a run
 * replaced between two reads is reported as damaged. With FOLLOW, a writer waits at most for the
 * read of one table of one run. */
enum store_mode { STORE_READ, STORE_WRITE, STORE_ADD, STORE_FOLLOW };

/* Refuses a file that is damaged, is not a store or has another schema, and leaves it unchanged.
 * The caller closes the store with store_close; a store belongs to one thread. */
int store_open(struct store **out, const char *folder, enum store_mode mode, struct weir_error *e);
void store_close(struct store *s);

/* 0: written by an earlier version without digests, so damage cannot be detected. Opening it with
 * STORE_WRITE adds them. */
int store_has_digests(const struct store *s);

/* Path of the file, "FOLDER/results.db". */
const char *store_file(const struct store *s);

/* 1: found; 0: not found; -1: message. */
int store_has(struct store *s, const char *key, struct weir_error *e);

/* The same; sets the id of the run. A run that is replaced gets another id. */
int store_find_run(struct store *s, const char *key, int64_t *id, struct weir_error *e);

/* Adds a run in one transaction; replaces a run of the same key. The caller must not add partial
 * runs. */
int store_add(struct store *s, const char *key, const struct config *c, const struct run_result *r,
	      struct weir_error *e);

/* Replaces the plan: the runs of the latest sweep in its order, done or not. */
int store_plan(struct store *s, const char (*keys)[RUN_KEY_SIZE], uint64_t count,
	       struct weir_error *e);

/* The runs of the plan in its order with their ids; id 0: not in this store. The caller frees
 * *runs. */
struct planned_run {
	char key[RUN_KEY_SIZE];
	int64_t id;
};
int store_planned(struct store *s, struct planned_run **runs, uint64_t *count,
		  struct weir_error *e);

/* Number of planned runs, and of these the number in the store. */
int store_progress(struct store *s, uint64_t *planned, uint64_t *done, struct weir_error *e);

/* Deletes the runs that are not in the plan and shrinks the file. DRY only counts them and also
 * works with STORE_READ. Refuses a store without a plan. */
enum prune_mode { PRUNE_DRY, PRUNE };
int store_prune(struct store *s, enum prune_mode mode, uint64_t *pruned, struct weir_error *e);

/* --- from one store to another: store_add.c --- */

/* Digest of a run's results, equal in every store and on every machine: excludes its id and
 * METRIC_COST. */
int store_run_digest(struct store *s, int64_t run, uint64_t *digest, struct weir_error *e);

/* Copies the runs that `from` has, all or none, and checks their digests. Runs that s already has
 * are kept (COPY_LACKING) or replaced (COPY_ALL). */
enum store_copying { COPY_LACKING, COPY_ALL };
int store_copy(struct store *s, struct store *from, const struct planned_run *runs, uint64_t count,
	       enum store_copying copying, struct weir_error *e);

/* A store in memory, from the bytes of a file or empty (bytes NULL); and the bytes of such a store,
 * which the caller frees with store_bytes_free. */
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
	struct stored_setting *settings; /* all settings, including "seed" */
	double value[METRICS_MAX];       /* indexed as metric_all; NAN: unknown */
	/* 1: unknown, because the folder has only the value of an earlier definition
	 * (metric.stored) */
	unsigned char is_outdated[METRICS_MAX];
	double wall_seconds;
	char *held_up; /* why the machine disturbed a real-time run; NULL: it did not */
	uint32_t reason_count;
	struct reason_count *reasons; /* names are owned by the run */
	int partial;                  /* 1: interrupted before its end; never in a store */
};

struct stored_runs {
	uint32_t count;
	struct stored_run *runs; /* in plan order, then others in the order of their addition */
	uint32_t left_out;       /* number of runs outside the scope */
};

/* PLANNED: only the runs of the latest plan, if there is one; runs left by an earlier version or
 * other settings are ignored. */
enum store_scope { STORE_PLANNED, STORE_ALL };

int store_runs(struct store *s, enum store_scope scope, struct stored_runs *runs,
	       struct weir_error *e);

/* Reads the run of that key; works with STORE_FOLLOW. The run counts as planned. -1: not found, or
 * damaged. The caller frees it in any case. */
int store_run_of_key(struct store *s, const char *key, struct stored_run *run,
		     struct weir_error *e);

/* Checks all tables of a run against their digests. */
int store_check_run(struct store *s, int64_t run, struct weir_error *e);

void stored_run_free(struct stored_run *run);
void stored_runs_free(struct stored_runs *runs);

/* The value of a setting; NULL: the run has none. */
const char *stored_setting(const struct stored_run *run, const char *path);

/* Visits the rows of one of a run's tables. A row is valid only during the call. -1: damaged; then
 * the visited rows must be discarded. */
int store_each(struct store *s, int64_t run, enum table_id table, const struct row_visitor *v,
	       struct weir_error *e);

/* Source of rows: a stored run, or one that has just ended. */
struct row_source {
	struct store *store; /* NULL: `finished` is the source */
	int64_t run;
	const struct finished_run *finished;
};

int rows_each(const struct row_source *from, enum table_id table, const struct row_visitor *v,
	      struct weir_error *e);

/* Reads all of a run except its long tables. The caller frees it, also on -1. */
int stored_run_fill(struct stored_run *run, const struct row_source *from, struct weir_error *e);

/* store_each by row type. A visitor that returns non-zero ends the visit, which is not an error. */
int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct weir_error *e);
int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct weir_error *e);
int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct weir_error *e);

/* --- health of runs ---
 *
 * Completion times are those of flows that completed. If other flows did not, or if PFC pauses form
 * a deadlock, every output marks the affected numbers. */

struct health {
	uint32_t runs;
	uint32_t incomplete, deadlocked; /* runs with unfinished flows; runs with a PFC deadlock */
	uint32_t held_up;                /* real-time runs that the machine disturbed */
	double completed, unfinished;    /* numbers of flows, summed over the runs */
	uint32_t starved;                /* runs with starved unlimited flows */
};

void health_add(struct health *h, const struct stored_run *run);

/* Adds the counts of other runs. */
void health_join(struct health *h, const struct health *other);

/* Do unfinished flows or a deadlock affect metrics of this kind? Never METRIC_COST. */
int health_is_doubtful(const struct health *h, enum metric_kind kind);

/* "in 2 of 8 runs 14 of 800 flows did not end; 1 of 8 runs ended in a deadlock; the machine held up
 * 1 of 8 runs"; "": nothing to report. */
struct health_text {
	char text[192];
};

struct health_text health_text(const struct health *h);
#endif
