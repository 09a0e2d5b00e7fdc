/* SPDX-License-Identifier: BSD-3-Clause */
/* store_plan.c -- the list of runs, the plan of the latest sweep, and pruning of unplanned runs. */
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the list of runs, in the order of the plan --- */

struct planned_key {
	char key[RUN_KEY_SIZE];
	int64_t place;
};

struct plan_list {
	uint64_t count, room;
	struct planned_key *keys;
};

/* Grows the array if it is full. */
static void *plan_grow(void *array, uint64_t count, uint64_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	return memory_grow(array, *room, size);
}

static void plan_copy_key(char key[RUN_KEY_SIZE], sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	snprintf(key, RUN_KEY_SIZE, "%s", text ? text : "");
}

static void plan_add_key(void *context, sqlite3_value *const *values)
{
	struct plan_list *p = context;

	p->keys = plan_grow(p->keys, p->count, &p->room, sizeof(*p->keys));
	p->keys[p->count].place = sqlite3_value_int64(values[0]);
	plan_copy_key(p->keys[p->count++].key, values[1]);
}

static void run_list_add(void *context, sqlite3_value *const *values)
{
	struct run_list *l = context;

	l->runs = plan_grow(l->runs, l->count, &l->room, sizeof(*l->runs));
	l->runs[l->count].id = sqlite3_value_int64(values[0]);
	plan_copy_key(l->runs[l->count++].key, values[1]);
}

static int plan_compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct planned_key *)a)->key, ((const struct planned_key *)b)->key);
}

static int run_list_compare(const void *a, const void *b)
{
	const struct listed_run *p = a, *q = b;

	if (p->is_planned != q->is_planned)
		return p->is_planned ? -1 : 1;
	if (p->is_planned && p->place != q->place)
		return p->place < q->place ? -1 : 1;
	return (p->id > q->id) - (p->id < q->id);
}

static void run_list_set_places(struct run_list *l, struct plan_list *p)
{
	if (p->count)
		qsort(p->keys, p->count, sizeof(*p->keys), plan_compare_keys);
	for (uint64_t i = 0; i < l->count; i++) {
		struct planned_key wanted = { .place = 0 }, *found = NULL;

		memcpy(wanted.key, l->runs[i].key, sizeof(wanted.key));
		if (p->count)
			found = bsearch(&wanted, p->keys, p->count, sizeof(wanted),
					plan_compare_keys);
		l->runs[i].is_planned = found != NULL;
		l->runs[i].place = found ? found->place : 0;
		l->done += found != NULL;
	}
	l->planned = p->count;
	if (l->count)
		qsort(l->runs, l->count, sizeof(*l->runs), run_list_compare);
}

int store_list(struct store *s, struct run_list *l, struct weir_error *e)
{
	struct plan_list p = { .count = 0 };
	const struct row_receiver runs = { run_list_add, l }, plan = { plan_add_key, &p };
	int failed;

	memset(l, 0, sizeof(*l));
	failed = store_each_row(s, STORE_LIST, &runs, e) ||
		 store_each_row(s, STORE_PLANNED_KEYS, &plan, e);
	if (failed)
		run_list_free(l);
	else
		run_list_set_places(l, &p);
	free(p.keys);
	return failed ? -1 : 0;
}

void run_list_free(struct run_list *l)
{
	free(l->runs);
	memset(l, 0, sizeof(*l));
}

int store_planned(struct store *s, struct planned_run **runs, uint64_t *count, struct weir_error *e)
{
	struct plan_list p = { .count = 0 };
	const struct row_receiver plan = { plan_add_key, &p };
	struct run_list l;

	if (store_list(s, &l, e))
		return -1;
	if (store_each_row(s, STORE_PLANNED_KEYS, &plan, e)) {
		run_list_free(&l);
		free(p.keys);
		return -1;
	}
	*runs = memory_zeroed(p.count, sizeof(**runs));
	*count = p.count;
	for (uint64_t i = 0; i < p.count; i++)
		memcpy((*runs)[i].key, p.keys[i].key, RUN_KEY_SIZE);
	/* The store may be damaged, so places may not be consecutive. */
	for (uint64_t i = 0; i < l.done; i++)
		if (l.runs[i].place >= 0 && (uint64_t)l.runs[i].place < p.count)
			(*runs)[l.runs[i].place].id = l.runs[i].id;
	run_list_free(&l);
	free(p.keys);
	return 0;
}

/* --- is it there? --- */

int store_find_run(struct store *s, const char *key, int64_t *id, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "SELECT id FROM run WHERE key = ?", e);
	int code;

	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		*id = sqlite3_column_int64(q, 0);
	else if (code != SQLITE_DONE)
		store_fail(s, e);
	sqlite3_finalize(q);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

int store_has(struct store *s, const char *key, struct weir_error *e)
{
	int64_t id;

	return store_find_run(s, key, &id, e);
}

int store_progress(struct store *s, uint64_t *planned, uint64_t *done, struct weir_error *e)
{
	struct run_list l;

	if (store_list(s, &l, e))
		return -1;
	*planned = l.planned;
	*done = l.done;
	run_list_free(&l);
	return 0;
}

/* --- the plan --- */

static int store_insert_plan(struct store *s, const char (*keys)[RUN_KEY_SIZE], uint64_t count,
			     struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "INSERT INTO plan VALUES (?, ?)", e);
	int failed = q == NULL;

	for (uint64_t i = 0; i < count && !failed; i++) {
		sqlite3_bind_int64(q, 1, (int64_t)i);
		sqlite3_bind_text(q, 2, keys[i], -1, SQLITE_STATIC);
		failed = store_step(s, q, e);
	}
	sqlite3_finalize(q);
	return failed;
}

int store_plan(struct store *s, const char (*keys)[RUN_KEY_SIZE], uint64_t count,
	       struct weir_error *e)
{
	int failed = store_exec(s, "BEGIN IMMEDIATE; DELETE FROM plan", e) ||
		     store_insert_plan(s, keys, count, e) ||
		     store_write_digest(s, STORE_PLANNED_KEYS, e) || store_exec(s, "COMMIT", e);

	return store_end(s, failed);
}

/* --- pruning --- */

int store_prune(struct store *s, enum prune_mode mode, uint64_t *pruned, struct weir_error *e)
{
	struct run_list l = { .count = 0 };
	int failed = (mode == PRUNE && store_exec(s, "BEGIN IMMEDIATE", e)) || store_list(s, &l, e);

	*pruned = l.count - l.done;
	if (!failed && l.planned == 0)
		failed = weir_error_set(e, "%.300s: no sweep is planned in it; nothing is deleted",
					s->path);
	for (uint64_t i = l.done; mode == PRUNE && i < l.count && !failed; i++)
		failed = store_remove(s, l.runs[i].id, e); /* runs of the plan come first */
	run_list_free(&l);
	if (mode != PRUNE)
		return failed;
	failed = failed || store_write_digest(s, STORE_LIST, e) || store_exec(s, "COMMIT", e);
	if (store_end(s, failed))
		return -1;
	return *pruned ? store_exec(s, "VACUUM", e) : 0;
}
