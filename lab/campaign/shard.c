/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.c -- shards of a sweep, and merging their folders.
 *
 * Merging opens one source store at a time, because there may be thousands of shards. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/shard.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char shard_file[] = "shard";

/* Parses a number from 1 to SHARDS_MAX and advances; 0: it is none. */
static uint32_t shard_read_number(const char **text)
{
	uint32_t number = 0;

	while (**text >= '0' && **text <= '9' && number <= SHARDS_MAX)
		number = 10 * number + (uint32_t)(*(*text)++ - '0');
	return number <= SHARDS_MAX ? number : 0;
}

int shard_read(struct shard *s, const char *text, struct weir_error *e)
{
	const char *at = text;

	s->number = shard_read_number(&at);
	s->count = *at == '/' ? (at++, shard_read_number(&at)) : 0;
	if (s->number && s->count && *at == '\0' && s->number <= s->count)
		return 0;
	return weir_error_set(e,
			      "%s is no shard; 3/16 is the third of sixteen, and there are at "
			      "most %d",
			      weir_quote(text).text, SHARDS_MAX);
}

uint64_t shard_runs(const struct shard *s, uint64_t runs)
{
	if (s->count == 0)
		return runs;
	return runs / s->count + (s->number <= runs % s->count);
}

int shard_write(const struct shard *s, const char *folder, struct weir_error *e)
{
	struct output o;

	if (output_open_in(&o, folder, shard_file, e))
		return -1;
	fprintf(o.stream, "%" PRIu32 "/%" PRIu32 "\n", s->number, s->count);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* The shard that a folder is; count 0: it has no such file. */
static struct shard shard_of_folder(const char *folder)
{
	struct shard s = { 0, 0 };
	struct weir_error ignored;
	char text[64] = "", *path = NULL;
	const char *why;
	FILE *f;

	text_print(&path, "%s/%s", folder, shard_file);
	f = input_open(path, &why);
	free(path);
	if (!f)
		return s;
	if (fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = '\0';
	fclose(f);
	if (shard_read(&s, text, &ignored))
		s = (struct shard){ 0, 0 };
	return s;
}

int shard_has_store(const char *folder)
{
	struct stat st;
	char *path = NULL;
	int found;

	text_print(&path, "%s/results.db", folder);
	found = stat(path, &st) == 0 && st.st_size > 0;
	free(path);
	return found;
}

/* --- merging --- */

/* Accumulated over the folders read so far. */
struct merge_state {
	struct merge *m;
	struct planned_run *plan; /* plan of the first folder; NULL: none was read yet */
	uint64_t count;
	const char *first; /* the folder whose plan it is */
	struct holder {    /* the folder that has each run */
		const char *folder;
		int64_t id; /* 0: none yet */
	} * holders;
};

/* --- are all folders of the same sweep? --- */

/* Provenance of a run. */
struct merge_head {
	char *version, *title;
};

static int merge_keep_head(void *context, const void *row)
{
	const struct run_head *head = row;
	struct merge_head *h = context;

	text_print(&h->version, "%s", head->version);
	text_print(&h->title, "%s", head->title);
	return 0;
}

/* Provenance of the first stored run; empty if there is none. */
static struct merge_head merge_head_of(struct store *s, const struct planned_run *runs,
				       uint64_t count)
{
	struct merge_head h = { text_copy(""), text_copy("") };
	struct weir_error ignored;

	for (uint64_t i = 0; i < count && !h.version[0]; i++)
		if (runs[i].id)
			store_each(s, runs[i].id, TABLE_RUN,
				   &(struct row_visitor){ merge_keep_head, &h }, &ignored);
	return h;
}

static void merge_head_free(struct merge_head *h)
{
	free(h->version);
	free(h->title);
}

static struct merge_head merge_head_of_folder(const char *folder)
{
	struct merge_head h = { text_copy(""), text_copy("") };
	struct planned_run *runs = NULL;
	struct weir_error ignored;
	struct store *s;
	uint64_t count;

	if (store_open(&s, folder, STORE_READ, &ignored))
		return h;
	if (store_planned(s, &runs, &count, &ignored) == 0) {
		merge_head_free(&h);
		h = merge_head_of(s, runs, count);
	}
	free(runs);
	store_close(s);
	return h;
}

static int merge_refuse_foreign(const struct merge_state *v, const char *folder, uint64_t count,
				struct weir_error *e)
{
	struct merge_head own = merge_head_of_folder(v->first),
			  other = merge_head_of_folder(folder);

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
	merge_head_free(&own);
	merge_head_free(&other);
	return -1;
}

static int merge_check_plan(struct merge_state *v, const char *folder, struct planned_run *runs,
			    uint64_t count, struct weir_error *e)
{
	int differs = v->plan && count != v->count;

	if (count == 0)
		return weir_error_set(e, "%.200s: no sweep is planned in it", folder);
	for (uint64_t i = 0; v->plan && i < count && !differs; i++)
		differs = strcmp(runs[i].key, v->plan[i].key) != 0;
	if (differs)
		return merge_refuse_foreign(v, folder, count, e);
	if (v->plan)
		return 0;
	v->first = folder;
	v->count = count;
	v->plan = memory_zeroed(count, sizeof(*v->plan));
	memcpy(v->plan, runs, count * sizeof(*runs));
	v->holders = memory_zeroed(count, sizeof(*v->holders));
	return 0;
}

/* --- duplicate runs must be identical --- */

static int merge_digest(const struct holder *h, uint64_t *digest, struct weir_error *e)
{
	struct store *s;
	int failed;

	if (store_open(&s, h->folder, STORE_READ, e))
		return -1;
	failed = store_run_digest(s, h->id, digest, e);
	store_close(s);
	return failed;
}

static int merge_check_same(const struct merge_state *v, uint64_t run, const struct holder *other,
			    struct weir_error *e)
{
	const struct holder *own = &v->holders[run];
	uint64_t one, two;

	if (merge_digest(own, &one, e) || merge_digest(other, &two, e))
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

/* --- reading --- */

static void merge_note_shard(struct merge *m, const char *folder, int *is_first)
{
	struct shard s = shard_of_folder(folder);

	if (*is_first)
		m->shard_count = s.count;
	else if (s.count != m->shard_count)
		m->shard_count = 0;
	*is_first = 0;
}

static int merge_inspect(struct merge_state *v, const char *folder, struct weir_error *e)
{
	struct planned_run *runs = NULL;
	struct store *s;
	uint64_t count;
	int failed;

	if (store_open(&s, folder, STORE_READ, e))
		return -1;
	failed = store_planned(s, &runs, &count, e);
	store_close(s);
	failed = failed || merge_check_plan(v, folder, runs, count, e);
	for (uint64_t i = 0; !failed && i < count; i++) {
		const struct holder here = { folder, runs[i].id };

		if (!here.id)
			continue;
		if (!v->holders[i].id) {
			v->holders[i] = here;
			continue;
		}
		v->m->again++;
		failed = merge_check_same(v, i, &here, e);
	}
	free(runs);
	return failed ? -1 : 0;
}

static int merge_inspect_all(struct merge_state *v, struct weir_error *e)
{
	struct merge *m = v->m;
	int is_first = 1;

	if (shard_has_store(m->out)) {
		if (merge_inspect(v, m->out, e))
			return -1;
		for (uint64_t i = 0; i < v->count; i++)
			m->before += v->holders[i].id != 0;
	}
	for (uint32_t i = 0; i < m->folder_count; i++) {
		if (merge_inspect(v, m->folders[i], e))
			return -1;
		merge_note_shard(m, m->folders[i], &is_first);
	}
	return 0;
}

/* --- writing --- */

static int merge_copy_from(struct store *out, const struct merge_state *v, const char *folder,
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

static int merge_write(const struct merge_state *v, struct weir_error *e)
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
			failed = merge_copy_from(out, v, v->m->folders[i], e);
		store_close(out);
	}
	free(keys);
	return failed ? -1 : 0;
}

static void merge_count_missing(const struct merge_state *v)
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
	struct merge_state v = { .m = m };
	int failed = merge_inspect_all(&v, e);

	if (!failed) {
		merge_count_missing(&v);
		failed = merge_write(&v, e);
	}
	free(v.plan);
	free(v.holders);
	return failed ? -1 : 0;
}

void merge_free(struct merge *m)
{
	free(m->lacking);
}
