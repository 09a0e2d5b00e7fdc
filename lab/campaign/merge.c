/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c -- see merge.h.
 *
 * One store is open at a time, besides the one that is written: there may be thousands of
 * shards. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/merge.h"
#include "base/text.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What was seen so far. */
struct sight {
	struct merge *m;
	struct planned_run *plan; /* of the first folder; NULL: none yet */
	uint64_t count;
	const char *first; /* the folder it is of */
	struct holder {    /* who has each run */
		const char *folder;
		int64_t id; /* 0: nobody yet */
	} * holders;
};

/* --- is it of the same sweep? --- */

/* What a run says of itself. */
struct head {
	char *version, *title;
};

static int keep_head(void *context, const void *row)
{
	const struct run_head *head = row;
	struct head *h = context;

	text_print(&h->version, "%s", head->version);
	text_print(&h->title, "%s", head->title);
	return 0;
}

/* Of the first run that is there, empty where none is. */
static struct head head_of(struct store *s, const struct planned_run *runs, uint64_t count)
{
	struct head h = { text_copy(""), text_copy("") };
	struct weir_error unheard;

	for (uint64_t i = 0; i < count && !h.version[0]; i++)
		if (runs[i].id)
			store_each(s, runs[i].id, TABLE_RUN, &(struct row_visitor){ keep_head, &h },
				   &unheard);
	return h;
}

static void head_free(struct head *h)
{
	free(h->version);
	free(h->title);
}

static struct head head_of_folder(const char *folder)
{
	struct head h = { text_copy(""), text_copy("") };
	struct planned_run *runs = NULL;
	struct weir_error unheard;
	struct store *s;
	uint64_t count;

	if (store_open(&s, folder, STORE_READ, &unheard))
		return h;
	if (store_planned(s, &runs, &count, &unheard) == 0) {
		head_free(&h);
		h = head_of(s, runs, count);
	}
	free(runs);
	store_close(s);
	return h;
}

static int refuse_foreign(const struct sight *v, const char *folder, uint64_t count,
			  struct weir_error *e)
{
	struct head own = head_of_folder(v->first), other = head_of_folder(folder);

	if (own.version[0] && other.version[0] && strcmp(own.version, other.version) != 0)
		weir_error_set(e, "%.200s: was made by another program (%s) than %.200s (%s)",
			       folder, other.version, v->first, own.version);
	else
		weir_error_set(
			e,
			"%.200s: holds another sweep (%" PRIu64
			" runs%s%.80s) than %.200s (%" PRIu64
			" runs%s%.80s); only shards of one scenario, with the same settings, are "
			"merged",
			folder, count, other.title[0] ? ", " : "", other.title, v->first, v->count,
			own.title[0] ? ", " : "", own.title);
	head_free(&own);
	head_free(&other);
	return -1;
}

static int check_plan(struct sight *v, const char *folder, struct planned_run *runs, uint64_t count,
		      struct weir_error *e)
{
	int differs = v->plan && count != v->count;

	if (count == 0)
		return weir_error_set(e, "%.200s: no sweep is planned in it", folder);
	for (uint64_t i = 0; v->plan && i < count && !differs; i++)
		differs = strcmp(runs[i].key, v->plan[i].key) != 0;
	if (differs)
		return refuse_foreign(v, folder, count, e);
	if (v->plan)
		return 0;
	v->first = folder;
	v->count = count;
	v->plan = memory_zeroed(count, sizeof(*v->plan));
	memcpy(v->plan, runs, count * sizeof(*runs));
	v->holders = memory_zeroed(count, sizeof(*v->holders));
	return 0;
}

/* --- what several have must be the same --- */

static int digest_in(const struct holder *h, uint64_t *digest, struct weir_error *e)
{
	struct store *s;
	int failed;

	if (store_open(&s, h->folder, STORE_READ, e))
		return -1;
	failed = store_run_digest(s, h->id, digest, e);
	store_close(s);
	return failed;
}

static int check_same(const struct sight *v, uint64_t run, const struct holder *other,
		      struct weir_error *e)
{
	const struct holder *own = &v->holders[run];
	uint64_t one, two;

	if (digest_in(own, &one, e) || digest_in(other, &two, e))
		return -1;
	if (one == two)
		return 0;
	return weir_error_set(
		e,
		"run %s is not the same in %.200s and %.200s, though the same program "
		"and settings made it: one of them was changed or is of a machine that "
		"errs; nothing was merged",
		v->plan[run].key, own->folder, other->folder);
}

/* --- looking --- */

static void note_shard(struct merge *m, const char *folder, int *is_first)
{
	struct shard s = shard_of_folder(folder);

	if (*is_first)
		m->shard_count = s.count;
	else if (s.count != m->shard_count)
		m->shard_count = 0;
	*is_first = 0;
}

static int look_into(struct sight *v, const char *folder, struct weir_error *e)
{
	struct planned_run *runs = NULL;
	struct store *s;
	uint64_t count;
	int failed;

	if (store_open(&s, folder, STORE_READ, e))
		return -1;
	failed = store_planned(s, &runs, &count, e);
	store_close(s);
	failed = failed || check_plan(v, folder, runs, count, e);
	for (uint64_t i = 0; !failed && i < count; i++) {
		const struct holder here = { folder, runs[i].id };

		if (!here.id)
			continue;
		if (!v->holders[i].id) {
			v->holders[i] = here;
			continue;
		}
		v->m->again++;
		failed = check_same(v, i, &here, e);
	}
	free(runs);
	return failed ? -1 : 0;
}

static int is_there(const char *folder)
{
	struct stat st;
	char *path = NULL;
	int found;

	text_print(&path, "%s/results.db", folder);
	found = stat(path, &st) == 0 && st.st_size > 0;
	free(path);
	return found;
}

static int look_everywhere(struct sight *v, struct weir_error *e)
{
	struct merge *m = v->m;
	int is_first = 1;

	if (is_there(m->out)) {
		if (look_into(v, m->out, e))
			return -1;
		for (uint64_t i = 0; i < v->count; i++)
			m->before += v->holders[i].id != 0;
	}
	for (uint32_t i = 0; i < m->folder_count; i++) {
		if (look_into(v, m->folders[i], e))
			return -1;
		note_shard(m, m->folders[i], &is_first);
	}
	return 0;
}

/* --- writing --- */

static int take_from(struct store *out, const struct sight *v, const char *folder,
		     struct weir_error *e)
{
	struct planned_run *runs = memory_zeroed(v->count, sizeof(*runs));
	uint64_t count = 0;
	struct store *from;
	int failed = 0;

	for (uint64_t i = 0; i < v->count; i++)
		if (v->holders[i].id && v->holders[i].folder == folder) {
			runs[count] = v->plan[i];
			runs[count++].id = v->holders[i].id;
		}
	if (count && store_open(&from, folder, STORE_READ, e) == 0) {
		failed = store_copy(out, from, runs, count, COPY_LACKING, e);
		store_close(from);
		v->m->added += failed ? 0 : count;
	} else if (count) {
		failed = -1;
	}
	free(runs);
	return failed;
}

static int write_out(const struct sight *v, struct weir_error *e)
{
	char(*keys)[RUN_KEY_SIZE] = memory_zeroed(v->count, sizeof(*keys));
	struct store *out;
	int failed;

	for (uint64_t i = 0; i < v->count; i++)
		memcpy(keys[i], v->plan[i].key, RUN_KEY_SIZE);
	failed = store_open(&out, v->m->out, STORE_WRITE, e);
	if (!failed) {
		failed = store_plan(out, (const char(*)[RUN_KEY_SIZE])keys, v->count, e);
		for (uint32_t i = 0; i < v->m->folder_count && !failed; i++)
			failed = take_from(out, v, v->m->folders[i], e);
		store_close(out);
	}
	free(keys);
	return failed ? -1 : 0;
}

static void count_missing(const struct sight *v)
{
	struct merge *m = v->m;

	m->planned = v->count;
	m->lacking = memory_zeroed(m->shard_count, sizeof(*m->lacking));
	for (uint64_t i = 0; i < v->count; i++) {
		if (v->holders[i].id)
			continue;
		m->missing++;
		if (m->shard_count)
			m->lacking[i % m->shard_count]++;
	}
}

int merge_folders(struct merge *m, struct weir_error *e)
{
	struct sight v = { .m = m };
	int failed = look_everywhere(&v, e);

	if (!failed) {
		count_missing(&v);
		failed = write_out(&v, e);
	}
	free(v.plan);
	free(v.holders);
	return failed ? -1 : 0;
}

void merge_free(struct merge *m)
{
	free(m->lacking);
}
