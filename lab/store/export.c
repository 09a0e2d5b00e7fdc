/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c -- whose rows are written. */
#include "lab/store/export.h"
#include "lab/store/exported.h"
#include "lab/store/results.h"
#include <string.h>

int exported_each(const struct exported *x, uint32_t run, enum table_id table,
		  const struct row_visitor *v, struct weir_error *e)
{
	const struct rows_from from = { x->store, x->runs->runs[run].id, x->finished };

	return rows_each(&from, table, v, e);
}

int exported_has(const struct exported *x, const struct column *c, enum view view)
{
	unsigned views = (unsigned)view | (x->store ? VIEW_KEPT : 0);

	return (c->hidden_in & views) == 0;
}

struct run_head exported_head(const struct stored_run *run)
{
	return (struct run_head){ run->key,          run->title,   run->version,
				  run->wall_seconds, run->held_up, run->partial };
}

/* --- runs of a store --- */

int export_csv(const char *folder, struct store *s, const struct stored_runs *runs,
	       struct weir_error *e)
{
	return exported_csv(folder, &(struct exported){ runs, s, NULL }, e);
}

int export_json(FILE *f, struct store *s, const struct stored_runs *runs, struct weir_error *e)
{
	return exported_json(f, &(struct exported){ runs, s, NULL }, e);
}

/* --- a run that has just ended --- */

/* Destination: one of the two. */
struct target {
	FILE *json;
	const char *folder;
};

static int write_finished(struct target to, const struct config *c, const struct run_result *r,
			  struct weir_error *e)
{
	struct stored_run run;
	const struct stored_runs runs = { .count = 1, .runs = &run };
	const struct finished_run finished = { run.key, c, r };
	const struct rows_from from = { .finished = &finished };
	const struct exported x = { &runs, NULL, &finished };
	int failed;

	memset(&run, 0, sizeof(run));
	failed = run_key(c, run.key, e) || stored_run_fill(&run, &from, e) ||
		 (to.json ? exported_json(to.json, &x, e) : exported_csv(to.folder, &x, e));
	stored_run_free(&run);
	return failed ? -1 : 0;
}

int results_json(FILE *f, const struct config *c, const struct run_result *r, struct weir_error *e)
{
	return write_finished((struct target){ .json = f }, c, r, e);
}

int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct weir_error *e)
{
	return write_finished((struct target){ .folder = folder }, c, r, e);
}

int results_csv_probe(const char *folder, struct weir_error *e)
{
	return exported_csv_probe(folder, e);
}
