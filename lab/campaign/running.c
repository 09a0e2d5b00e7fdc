/* SPDX-License-Identifier: BSD-3-Clause */
/* running.c -- writes, reads and removes the progress files of campaigns; see running.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/running.h"
#include "base/text.h"
#include "lab/report/chart.h"
#include "base/memory.h"
#include "weir/units.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	FRESH_S = 5,   /* a campaign that has not written for this long is not running */
	STALE_S = 60,  /* after this long its files may be removed */
	COLUMNS = 400, /* time bins of a series, with up to four points each */
	HOST_SIZE = 256,
	SERIES_TAIL = 100000, /* latest points of a series that are examined: called once a second
			  within a run */
};

#define PREFIX "running."
#define FIRST_LINE "weir running 1\n"
#define FIRST_LINE_SERIES "weir series 1\n"

double running_seconds_left(double seconds_gone, double share)
{
	return share > 0.001 ? seconds_gone * (1 - share) / share : NAN;
}

double running_share(const struct running_campaign *c)
{
	double share = (double)c->ended;

	for (uint32_t i = 0; i < c->run_count; i++)
		share += c->runs[i].share;
	return c->todo ? fmin(share / (double)c->todo, 1) : 1;
}

uint64_t running_done(const struct running_campaign *c)
{
	return c->total - c->todo + c->ended - c->failed;
}

/* --- writing --- */

/* A folder may be shared by several machines, and a process number is unique only within one. */
static void running_host_name(char host[HOST_SIZE])
{
	if (gethostname(host, HOST_SIZE))
		host[0] = '\0';
	host[HOST_SIZE - 1] = '\0';
}

/* Replaces the file atomically, without fsync: a progress file need not survive a power failure. */
static void running_replace_file(const char *path, const char *bytes, size_t length)
{
	char *temp = NULL;
	int fd, is_whole;

	text_print(&temp, "%s.part", path);
	unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		is_whole = write(fd, bytes, length) == (ssize_t)length;
		is_whole = close(fd) == 0 && is_whole;
		if (!is_whole || rename(temp, path) != 0)
			unlink(temp);
	}
	free(temp);
}

static char *running_path(const char *folder, int64_t pid)
{
	char *path = NULL;

	text_print(&path, "%s/" PREFIX "%" PRId64, folder, pid);
	return path;
}

static char *running_series_path(const char *folder, int64_t pid, uint64_t task)
{
	char *path = NULL;

	text_print(&path, "%s/" PREFIX "%" PRId64 ".%" PRIu64, folder, pid, task);
	return path;
}

void running_write(const char *folder, const struct running_campaign *c)
{
	char *path = running_path(folder, c->pid), *text = NULL, host[HOST_SIZE];
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);

	if (f) {
		running_host_name(host);
		fprintf(f,
			FIRST_LINE "host %s\nseconds %.3f\ntotal %" PRIu64 "\ntodo %" PRIu64
				   "\nended %" PRIu64 "\nfailed %" PRIu64 "\n",
			host, c->seconds, c->total, c->todo, c->ended, c->failed);
		for (uint32_t i = 0; i < c->run_count; i++)
			fprintf(f, "run %" PRIu64 " %.4f %s\n", c->runs[i].task, c->runs[i].share,
				c->runs[i].label);
		if (fclose(f) == 0)
			running_replace_file(path, text, length);
	}
	free(text);
	free(path);
}

/* Writes the latest points of a series, decimated so that the chart looks the same. */
static void running_write_points(FILE *f, const struct series *s)
{
	struct chart_list list = { .count = 0 };
	struct chart_line *l = chart_line_add(chart_add(&list, s->name, ""), s->name);

	for (uint64_t i = s->count > SERIES_TAIL ? s->count - SERIES_TAIL : 0; i < s->count; i++)
		if (isfinite(s->value[i]))
			chart_point_add(l, (double)s->time_ps[i] / WEIR_PS_PER_NS, s->value[i]);
	chart_line_reduce(l, COLUMNS, 0);
	fprintf(f, "series %s %s\n", s->unit[0] ? s->unit : "-", s->name);
	for (uint64_t i = 0; i < l->count; i++)
		fprintf(f, "%.10g %.7g\n", l->points[i].x, l->points[i].y);
	chart_list_free(&list);
}

void running_write_series(const char *folder, int64_t pid, uint64_t task,
			  const struct run_progress *p)
{
	char *path = running_series_path(folder, pid, task), *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	uint32_t written = 0;

	if (f) {
		fputs(FIRST_LINE_SERIES, f);
		for (uint32_t i = 0; i < p->series_count && written < RUNNING_SERIES_MAX; i++) {
			if (p->series[i].count < 2)
				continue;
			running_write_points(f, &p->series[i]);
			written++;
		}
		if (fclose(f) == 0 && written)
			running_replace_file(path, text, length);
	}
	free(text);
	free(path);
}

/* --- parsing --- */

/* The whole file, freed by the caller; NULL: unreadable or too large. */
static char *running_read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = fd < 0 ? NULL : memory_grow(NULL, RUNNING_FILE_MAX + 1, 1);
	size_t length = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && length < RUNNING_FILE_MAX) {
		got = read(fd, text + length, RUNNING_FILE_MAX - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (got == 0) {
		text[length] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* Start of the next line. */
static const char *running_next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static void running_copy_line(char *to, size_t size, const char *from)
{
	size_t length = strcspn(from, "\n");

	snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* The rest of the line after the word, or NULL if it does not start with it. sscanf would scan the
 * whole remaining text on each call. */
static const char *running_skip_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* --- removing --- */

void running_remove_series(const char *folder, int64_t pid, uint64_t task)
{
	char *path = running_series_path(folder, pid, task);

	unlink(path);
	free(path);
}

/* Seconds since the last write; -1: there is no file. */
static int64_t running_age_s(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return time(NULL) > st.st_mtime ? (int64_t)(time(NULL) - st.st_mtime) : 0;
}

/* The process number in the name of a progress file; 0: another file. */
static int64_t running_owner(const char *name, const char **rest)
{
	long long pid;
	char *end;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	pid = strtoll(name + strlen(PREFIX), &end, 10);
	*rest = end;
	return pid > 0 && (*end == '\0' || *end == '.') ? pid : 0;
}

/* Has the campaign died without removing its files? On its own machine its process is checked;
 * elsewhere its silence decides. */
static int running_is_stale(const char *folder, int64_t owner, const char *path)
{
	char *own = running_path(folder, owner), *text = running_read_text(own), here[HOST_SIZE];
	const char *host = text && strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0
				   ? running_skip_word(running_next_line(text), "host")
				   : NULL;
	int stale = running_age_s(path) > STALE_S;

	running_host_name(here);
	if (host && here[0] && strcspn(host, "\n") == strlen(here) &&
	    strncmp(host, here, strlen(here)) == 0)
		stale |= kill((pid_t)owner, 0) != 0 && errno == ESRCH;
	free(text);
	free(own);
	return stale;
}

/* A campaign's main file identifies the owner of the others, so it is removed last. */
enum clearing { CLEAR_SERIES, CLEAR_CAMPAIGNS };

static void running_clear_stale(const char *folder, int64_t pid, enum clearing which)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	const char *rest;

	while (d && (entry = readdir(d))) {
		int64_t owner = running_owner(entry->d_name, &rest);
		char *path = NULL;

		if (!owner || (*rest != '\0') != (which == CLEAR_SERIES))
			continue;
		text_print(&path, "%s/%s", folder, entry->d_name);
		if (owner == pid || running_is_stale(folder, owner, path))
			unlink(path);
		free(path);
	}
	if (d)
		closedir(d);
}

void running_remove(const char *folder, int64_t pid)
{
	running_clear_stale(folder, pid, CLEAR_SERIES);
	running_clear_stale(folder, pid, CLEAR_CAMPAIGNS);
}

/* --- reading --- */

/* "TASK SHARE LABEL" */
static int running_parse_run(struct running_run *run, const char *text)
{
	char *share, *label;

	run->task = strtoull(text, &share, 10);
	run->share = strtod(share, &label);
	if (*share != ' ' || *label != ' ' || !(run->share >= 0 && run->share <= 1))
		return 0;
	running_copy_line(run->label, sizeof(run->label), label + 1);
	return 1;
}

int running_parse(struct running_campaign *c, const char *text)
{
	const char *at = text, *rest;

	memset(c, 0, sizeof(*c));
	if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return 0;
	for (at = running_next_line(at); *at; at = running_next_line(at)) {
		if ((rest = running_skip_word(at, "seconds")))
			c->seconds = strtod(rest, NULL);
		else if ((rest = running_skip_word(at, "todo")))
			c->todo = strtoull(rest, NULL, 10);
		else if ((rest = running_skip_word(at, "total")))
			c->total = strtoull(rest, NULL, 10);
		else if ((rest = running_skip_word(at, "ended")))
			c->ended = strtoull(rest, NULL, 10);
		else if ((rest = running_skip_word(at, "failed")))
			c->failed = strtoull(rest, NULL, 10);
		else if ((rest = running_skip_word(at, "run")) && c->run_count < RUNNING_TASKS_MAX)
			c->run_count += (uint32_t)running_parse_run(&c->runs[c->run_count], rest);
	}
	return isfinite(c->seconds) && c->seconds >= 0 && c->failed <= c->ended &&
	       c->ended <= c->todo && c->todo <= c->total;
}

int running_read(const char *folder, struct running_campaign *c)
{
	DIR *d = opendir(folder);
	int64_t pid = 0, best_s = FRESH_S + 1;
	struct dirent *entry;
	const char *rest;
	char *path, *text;
	int is_read;

	while (d && (entry = readdir(d))) {
		int64_t owner = running_owner(entry->d_name, &rest), age;

		if (!owner || *rest)
			continue;
		path = running_path(folder, owner);
		age = running_age_s(path);
		free(path);
		if (age >= 0 && age < best_s) {
			best_s = age;
			pid = owner;
		}
	}
	if (d)
		closedir(d);
	if (!pid)
		return 0;
	path = running_path(folder, pid);
	text = running_read_text(path);
	is_read = text && running_parse(c, text);
	c->pid = pid;
	free(text);
	free(path);
	return is_read;
}

/* "UNIT NAME" */
static void running_begin_series(struct running_series *s, const char *text)
{
	size_t length = strcspn(text, " \n");

	snprintf(s->unit, sizeof(s->unit), "%.*s",
		 (int)(length < sizeof(s->unit) ? length : sizeof(s->unit) - 1), text);
	if (strcmp(s->unit, "-") == 0)
		s->unit[0] = '\0';
	running_copy_line(s->name, sizeof(s->name), text + length + (text[length] == ' '));
	s->count = 0;
}

/* "TIME VALUE"; not what lies before the last one. */
static void running_add_point(struct running_series *s, const char *text)
{
	char *second, *end;
	double time_ns = strtod(text, &second), value = strtod(second, &end);

	if (second == text || end == second || !isfinite(time_ns) || !isfinite(value) ||
	    s->count == RUNNING_POINTS_MAX || (s->count > 0 && time_ns < s->time_ns[s->count - 1]))
		return;
	s->time_ns[s->count] = time_ns;
	s->value[s->count++] = value;
}

uint32_t running_parse_series(struct running_series all[RUNNING_SERIES_MAX], const char *text)
{
	const char *at = text, *rest;
	uint32_t count = 0;

	if (strncmp(text, FIRST_LINE_SERIES, strlen(FIRST_LINE_SERIES)) != 0)
		return 0;
	for (at = running_next_line(at); *at; at = running_next_line(at)) {
		rest = running_skip_word(at, "series");
		if (rest && count == RUNNING_SERIES_MAX)
			break;
		if (rest)
			running_begin_series(&all[count++], rest);
		else if (count)
			running_add_point(&all[count - 1], at);
	}
	return count;
}

uint32_t running_read_series(const char *folder, int64_t pid, uint64_t task,
			     struct running_series all[RUNNING_SERIES_MAX])
{
	char *path = running_series_path(folder, pid, task), *text = running_read_text(path);
	uint32_t count = text ? running_parse_series(all, text) : 0;

	free(text);
	free(path);
	return count;
}
