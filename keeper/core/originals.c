/* SPDX-License-Identifier: BSD-3-Clause */
/* originals.c -- the journal file, and restoring originals from it. Contract in originals.h. */
#define _GNU_SOURCE
#include "keeper/core/originals.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char first_line[] = "weir keeper journal 1\n", last_line[] = "end\n";

enum { PATH_SIZE = WEIR_OPT_TEXT_SIZE + 8, LINE_SIZE = 512 };

static int journal_refuse(const char *path, const char *what, struct weir_error *e)
{
	return weir_error_set(e, "%.200s: the journal cannot be %s: %s", path, what,
			      strerror(errno));
}

/* --- locking --- */

int keeper_journal_lock(const char *path, int *lock, struct weir_error *e)
{
	char name[PATH_SIZE];

	snprintf(name, sizeof(name), "%s.lock", path);
	*lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*lock < 0)
		return journal_refuse(path, "locked", e);
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	close(*lock);
	*lock = -1;
	return weir_error_set(e, "%.200s: in use by another keeper", path);
}

void keeper_journal_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* --- writing --- */

static void journal_print_setting(FILE *f, const struct keeper_setting *s)
{
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu32, s->min_bytes, s->max_bytes, s->p_ppm);
}

static int journal_print(FILE *f, const struct keeper_record *records, uint32_t count)
{
	fputs(first_line, f);
	for (uint32_t i = 0; i < count; i++) {
		if (!records[i].name[0])
			continue;
		fprintf(f, "%s %s", records[i].yielded ? "yielded" : "kept", records[i].name);
		journal_print_setting(f, &records[i].original);
		journal_print_setting(f, &records[i].was);
		journal_print_setting(f, &records[i].wrote);
		fputc('\n', f);
	}
	fputs(last_line, f);
	return fflush(f) || fsync(fileno(f)) ? -1 : 0;
}

/* A rename is durable only after its directory was synced. */
static int journal_sync_folder(const char *path)
{
	char copy[PATH_SIZE];
	int fd, failed;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	failed = fd < 0 || fsync(fd);
	if (fd >= 0)
		close(fd);
	return failed ? -1 : 0;
}

int keeper_journal_save(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e)
{
	char part[PATH_SIZE];
	FILE *f;
	int failed;

	snprintf(part, sizeof(part), "%s.part", path);
	f = fopen(part, "we");
	if (!f)
		return journal_refuse(path, "written", e);
	failed = journal_print(f, records, count);
	failed = fclose(f) || failed;
	if (failed || rename(part, path) || journal_sync_folder(path))
		return journal_refuse(path, "written", e);
	return 0;
}

void keeper_journal_remove(const char *path)
{
	unlink(path);
	journal_sync_folder(path);
}

/* --- reading --- */

static int journal_read_record(const char *line, struct keeper_record *r)
{
	char how[16];
	int end = 0;

	memset(r, 0, sizeof(*r));
	if (sscanf(line, "%15s %63s%n", how, r->name, &end) != 2)
		return -1;
	r->yielded = strcmp(how, "yielded") == 0;
	if (sscanf(line + end,
		   "%" SCNu64 "%" SCNu64 "%" SCNu32 "%" SCNu64 "%" SCNu64 "%" SCNu32 "%" SCNu64
		   "%" SCNu64 "%" SCNu32,
		   &r->original.min_bytes, &r->original.max_bytes, &r->original.p_ppm,
		   &r->was.min_bytes, &r->was.max_bytes, &r->was.p_ppm, &r->wrote.min_bytes,
		   &r->wrote.max_bytes, &r->wrote.p_ppm) != 9)
		return -1;
	return r->yielded || strcmp(how, "kept") == 0 ? 0 : -1;
}

/* Returns -1 unless the journal is complete. */
static int journal_read(FILE *f, struct keeper_record **records, uint32_t *count)
{
	char line[LINE_SIZE];

	if (!fgets(line, sizeof(line), f) || strcmp(line, first_line) != 0)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (strcmp(line, last_line) == 0)
			return 0;
		*records = memory_grow(*records, *count + UINT64_C(1), sizeof(**records));
		if (journal_read_record(line, &(*records)[*count]))
			return -1;
		(*count)++;
	}
	return -1;
}

int keeper_journal_load(const char *path, struct keeper_record **records, uint32_t *count,
			struct weir_error *e)
{
	FILE *f = fopen(path, "re");
	int failed;

	*records = NULL;
	*count = 0;
	if (!f && errno == ENOENT)
		return 0;
	if (!f)
		return journal_refuse(path, "read", e);
	failed = journal_read(f, records, count);
	fclose(f);
	if (!failed) {
		if (!*records) /* a keeper that had read no profile */
			*records = memory_zeroed(1, sizeof(**records));
		return 0;
	}
	free(*records);
	*records = NULL;
	return weir_error_set(
		e,
		"%.200s: not a complete keeper journal; inspect it before removing it, it may "
		"hold the originals",
		path);
}

/* --- records --- */

unsigned keeper_record_left(const struct keeper_record *r, const struct keeper_setting *now)
{
	unsigned left = 0;

	for (unsigned v = 0; v < KEEPER_VALUES; v++) {
		const uint64_t value = keeper_setting_value(now, v);

		if (value != keeper_setting_value(&r->original, v) &&
		    (value == keeper_setting_value(&r->wrote, v) ||
		     value == keeper_setting_value(&r->was, v)))
			left |= 1u << v;
	}
	return left;
}

/* Was anything but the original ever written, or about to be written? */
static int record_is_touched(const struct keeper_record *r)
{
	return !keeper_setting_equals(&r->was, &r->original) ||
	       !keeper_setting_equals(&r->wrote, &r->original);
}

void keeper_record_release(struct keeper_record *r, const struct keeper_setting *now)
{
	r->original = r->was = r->wrote = *now;
	r->yielded = 1;
}

int keeper_record_find(const struct keeper_record *records, uint32_t count, const char *name,
		       uint32_t *at, struct weir_error *e)
{
	const char *names[64];
	size_t known = 0;

	for (*at = 0; *at < count; (*at)++) {
		if (!records[*at].name[0])
			continue;
		if (strcmp(records[*at].name, name) == 0)
			return 0;
		if (known < sizeof(names) / sizeof(names[0]))
			names[known++] = records[*at].name;
	}
	if (!known)
		return weir_error_set(e, "%s: no original is stored, of no profile",
				      weir_quote(name).text);
	return weir_error_unknown(e, "profile", name, names, known);
}

int keeper_journal_keep(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < count; i++)
		if (records[i].name[0])
			return keeper_journal_save(path, records, count, e);
	keeper_journal_remove(path);
	return 0;
}

/* --- restoring --- */

/* The profile as read before restoring. */
struct found_profile {
	uint32_t profile;
	enum keeper_reading reading;
	struct keeper_setting now;
};

/* Writes the original and verifies it by reading back. */
static enum keeper_restored restore_write_original(struct keeper_restoring *x, uint32_t profile,
						   const struct keeper_record *r,
						   struct weir_error *e)
{
	struct keeper_setting now;

	if (x->plan->driver->write(x->driver, profile, &r->original, e) ||
	    x->plan->driver->read(x->driver, profile, &now, e) != KEEPER_READ)
		return KEEPER_NOT_BACK;
	if (keeper_setting_equals(&now, &r->original))
		return KEEPER_PUT_BACK;
	weir_error_set(e, "the switch's setting differs from the one written");
	return KEEPER_NOT_BACK;
}

static int restore_is_forced(const struct keeper_restoring *x, const struct keeper_record *r)
{
	return x->forced && strcmp(x->forced, r->name) == 0;
}

/* Decides by the setting in force whose it is, and restores it if it is the keeper's. If it is not
 * writable the error has the reason already. */
static enum keeper_restored restore_setting(struct keeper_restoring *x,
					    const struct keeper_record *r,
					    const struct found_profile *f, struct weir_error *e)
{
	const struct keeper_setting *now = &f->now;
	const int is_ours =
		restore_is_forced(x, r) || (!r->yielded && (keeper_setting_equals(now, &r->was) ||
							    keeper_setting_equals(now, &r->wrote)));
	const unsigned left = keeper_record_left(r, now);

	if (keeper_setting_equals(now, &r->original))
		return KEEPER_WAS_BACK;
	if (!is_ours && !left)
		return KEEPER_THEIRS;
	if (!is_ours) {
		weir_error_set(e, "an operator changed it; the keeper's %s remains",
			       keeper_values_format(left).text);
		return KEEPER_MIXED;
	}
	return f->reading == KEEPER_READ ? restore_write_original(x, f->profile, r, e)
					 : KEEPER_DISABLED;
}

static enum keeper_restored restore_one(struct keeper_restoring *x, const struct keeper_record *r,
					struct weir_error *e)
{
	const int64_t profile = keeper_plan_find(x->plan, r->name);
	struct found_profile f = { .profile = (uint32_t)profile };

	e->text[0] = '\0';
	if (!record_is_touched(r) && !restore_is_forced(x, r))
		return r->yielded ? KEEPER_THEIRS : KEEPER_WAS_BACK;
	if (profile < 0) {
		weir_error_set(e, "the plan no longer has this profile; add it again");
		return KEEPER_ABSENT;
	}
	if (x->is_lost) {
		weir_error_set(e, "the switch does not answer");
		return KEEPER_NOT_BACK;
	}
	f.reading = x->plan->driver->read(x->driver, f.profile, &f.now, e);
	x->is_lost = f.reading == KEEPER_LOST;
	if (x->is_lost)
		return KEEPER_NOT_BACK;
	if (f.reading == KEEPER_UNFIT)
		return KEEPER_ABSENT;
	return restore_setting(x, r, &f, e);
}

uint32_t keeper_restore(struct keeper_restoring *x, struct keeper_record *records, uint32_t count)
{
	x->left = x->unanswered = 0;
	x->is_lost = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct weir_error e;
		enum keeper_restored became;

		if (!records[i].name[0])
			continue;
		became = restore_one(x, &records[i], &e);
		x->left += !keeper_restored_is_done(became);
		x->unanswered += became == KEEPER_NOT_BACK;
		if (x->on_restored)
			x->on_restored(x->user, &records[i], became, e.text);
		if (keeper_restored_is_done(became))
			records[i].name[0] = '\0';
	}
	return x->left;
}

/* --- without a running keeper --- */

int keeper_originals_restore(struct keeper_restoring *x, const char *journal,
			     struct keeper_originals *o, struct weir_error *e)
{
	uint32_t at;

	*o = (struct keeper_originals){ NULL, 0, 0 };
	if (keeper_journal_load(journal, &o->records, &o->count, e) ||
	    (x->forced && keeper_record_find(o->records, o->count, x->forced, &at, e)))
		return -1;
	if (!o->records)
		return 0;
	o->left = keeper_restore(x, o->records, o->count);
	return keeper_journal_keep(journal, o->records, o->count, e);
}

int keeper_originals_release(const char *journal, const char *profile, struct weir_error *e)
{
	struct keeper_record *records;
	uint32_t count, at;
	int failed;

	if (keeper_journal_load(journal, &records, &count, e))
		return -1;
	failed = keeper_record_find(records, count, profile, &at, e);
	if (!failed) {
		records[at].name[0] = '\0';
		failed = keeper_journal_keep(journal, records, count, e);
	}
	free(records);
	return failed;
}

int keeper_originals_refuse(const struct keeper_plan *plan, const char *journal, uint32_t left,
			    struct weir_error *e)
{
	return weir_error_set(
		e,
		"%" PRIu32 " profile%s not restored; %s holds the originals: 'weir keeper "
		"restore %s' restores them, 'weir keeper release %s PROFILE' gives one up",
		left, left == 1 ? " is" : "s are", journal, plan->file, plan->file);
}
