/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c -- atomic output files, see output.h. */
#define _DEFAULT_SOURCE
#include "base/output.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int output_refuse(const char *path, struct weir_error *e)
{
	return weir_error_set(e, "%.300s: cannot be written: %s", path, strerror(errno));
}

static void output_release(struct output *o)
{
	free(o->path);
	free(o->temp);
	memset(o, 0, sizeof(*o));
}

/* Devices and pipes are written in place. So is everything in /dev, even where it links to a file
 * as /dev/stdout may. Any other symbolic link is replaced. */
static int output_is_special(const char *path)
{
	struct stat s;

	if (strncmp(path, "/dev/", strlen("/dev/")) == 0)
		return access(path, F_OK) == 0;
	return lstat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode) &&
	       !S_ISLNK(s.st_mode);
}

/* Creates the temporary file under an unpredictable name, so that it cannot be pre-created as a
 * link. The only use of true randomness in Weir. */
static int output_open_temp(struct output *o)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	text_print(&o->temp, "%s.part-%016" PRIx64, o->path, number);
	return open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int output_open(struct output *o, const char *path, struct weir_error *e)
{
	struct stat s;
	int fd;

	memset(o, 0, sizeof(*o));
	if (*path == '\0')
		return weir_error_set(e, "a file name is missing");
	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
		return weir_error_set(e, "%.300s: is a folder; a file is needed", path);
	o->path = text_copy(path);
	fd = output_is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : output_open_temp(o);
	if (fd >= 0)
		o->stream = fdopen(fd, "w");
	if (!o->stream) {
		output_refuse(path, e);
		if (fd >= 0)
			close(fd);
		if (fd >= 0 && o->temp)
			unlink(o->temp);
		output_release(o);
		return -1;
	}
	return 0;
}

int output_finish(struct output *o, struct weir_error *e)
{
	int failed = ferror(o->stream) | fflush(o->stream);

	if (!failed && o->temp && fsync(fileno(o->stream)) != 0)
		failed = 1;
	if (failed)
		output_refuse(o->path, e);
	if (fclose(o->stream) != 0 && !failed) {
		output_refuse(o->path, e);
		failed = 1;
	}
	o->stream = NULL;
	if (failed)
		output_abandon(o);
	return failed ? -1 : 0;
}

int output_publish(struct output *o, struct weir_error *e)
{
	int failed = 0;

	if (o->temp && rename(o->temp, o->path) != 0) {
		failed = output_refuse(o->path, e);
		unlink(o->temp);
	}
	output_release(o);
	return failed;
}

void output_abandon(struct output *o)
{
	if (o->stream)
		fclose(o->stream);
	if (o->temp)
		unlink(o->temp);
	output_release(o);
}

int output_probe(const char *path, struct weir_error *e)
{
	struct output o;

	if (output_is_special(path))
		return access(path, W_OK) == 0 ? 0 : output_refuse(path, e);
	if (output_open(&o, path, e))
		return -1;
	output_abandon(&o);
	return 0;
}

int output_open_in(struct output *o, const char *folder, const char *name, struct weir_error *e)
{
	char *path = NULL;
	int failed;

	text_print(&path, "%s/%s", folder, name);
	failed = output_open(o, path, e);
	free(path);
	return failed;
}

int output_folder(const char *folder, struct weir_error *e)
{
	struct stat s;

	if (*folder == '\0')
		return weir_error_set(e, "a folder is missing");
	if (mkdir(folder, 0777) == 0)
		return 1;
	if (errno != EEXIST)
		return weir_error_set(e, "%.300s: cannot be made: %s", folder, strerror(errno));
	if (stat(folder, &s) == 0 && S_ISDIR(s.st_mode))
		return 0;
	return weir_error_set(e, "%.300s: is a file; a folder is needed", folder);
}

int output_files(const char *folder, const struct output_file *files, const struct output_writer *w,
		 struct weir_error *e)
{
	struct output outputs[OUTPUT_FILES_MAX];
	int made = output_folder(folder, e), failed = made < 0, ready = 0;

	while (!failed && files[ready].name) {
		struct output *o = &outputs[ready];

		failed = output_open_in(o, folder, files[ready].name, e);
		if (failed)
			break;
		failed = w->write(o->stream, files[ready].about, w->context, e);
		if (failed)
			output_abandon(o);
		else
			failed = output_finish(o, e);
		ready += !failed;
	}
	for (int i = 0; i < ready; i++) {
		if (failed)
			output_abandon(&outputs[i]);
		else
			failed = output_publish(&outputs[i], e);
	}
	if (failed && made > 0)
		rmdir(folder);
	return failed ? -1 : 0;
}

int output_files_probe(const char *folder, const struct output_file *files, struct weir_error *e)
{
	struct output o;
	int made = output_folder(folder, e), failed = made < 0;

	for (int i = 0; files[i].name && !failed; i++) {
		failed = output_open_in(&o, folder, files[i].name, e);
		if (!failed)
			output_abandon(&o);
	}
	if (made > 0)
		rmdir(folder);
	return failed ? -1 : 0;
}
