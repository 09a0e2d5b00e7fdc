/* SPDX-License-Identifier: BSD-3-Clause */
/* journal.c -- see journal.h. */
#define _GNU_SOURCE
#include "keeper/core/journal.h"
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

static int refuse(const char *path, const char *what, struct weir_error *e)
{
	return weir_error_set(e, "%.200s: the journal cannot be %s: %s", path, what,
			      strerror(errno));
}

/* --- one at a time --- */

int keeper_journal_lock(const char *path, int *lock, struct weir_error *e)
{
	char name[PATH_SIZE];

	snprintf(name, sizeof(name), "%s.lock", path);
	*lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*lock < 0)
		return refuse(path, "locked", e);
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	close(*lock);
	*lock = -1;
	return weir_error_set(e, "%.200s: another keeper has this journal", path);
}

void keeper_journal_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* --- writing --- */

static void print_setting(FILE *f, const struct keeper_setting *s)
{
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu32, s->min_bytes, s->max_bytes, s->p_ppm);
}

static int print_journal(FILE *f, const struct keeper_record *records, uint32_t count)
{
	fputs(first_line, f);
	for (uint32_t i = 0; i < count; i++) {
		if (!records[i].name[0])
			continue;
		fprintf(f, "%s %s", records[i].yielded ? "yielded" : "kept", records[i].name);
		print_setting(f, &records[i].original);
		print_setting(f, &records[i].was);
		print_setting(f, &records[i].wrote);
		fputc('\n', f);
	}
	fputs(last_line, f);
	return fflush(f) || fsync(fileno(f)) ? -1 : 0;
}

/* A name is on disk when its folder is. */
static int sync_folder(const char *path)
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
		return refuse(path, "written", e);
	failed = print_journal(f, records, count);
	failed = fclose(f) || failed;
	if (failed || rename(part, path) || sync_folder(path))
		return refuse(path, "written", e);
	return 0;
}

void keeper_journal_remove(const char *path)
{
	unlink(path);
	sync_folder(path);
}

/* --- reading --- */

static int read_record(const char *line, struct keeper_record *r)
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

/* Returns -1 unless the journal is whole. */
static int read_journal(FILE *f, struct keeper_record **records, uint32_t *count)
{
	char line[LINE_SIZE];

	if (!fgets(line, sizeof(line), f) || strcmp(line, first_line) != 0)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (strcmp(line, last_line) == 0)
			return 0;
		*records = memory_grow(*records, *count + UINT64_C(1), sizeof(**records));
		if (read_record(line, &(*records)[*count]))
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
		return refuse(path, "read", e);
	failed = read_journal(f, records, count);
	fclose(f);
	if (!failed) {
		if (!*records) /* a keeper that had looked at nothing */
			*records = memory_zeroed(1, sizeof(**records));
		return 0;
	}
	free(*records);
	*records = NULL;
	return weir_error_set(
		e,
		"%.200s: is no whole journal of a keeper; look at it before you remove "
		"it, it may hold the originals",
		path);
}
