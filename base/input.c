/* SPDX-License-Identifier: BSD-3-Clause */
/* input.c -- see input.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/input.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *refusal(int fd)
{
	struct stat s;

	if (fstat(fd, &s) != 0)
		return strerror(errno);
	if (S_ISDIR(s.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(s.st_mode))
		return "it is no regular file";
	return (uint64_t)s.st_size > INPUT_MAX_BYTES ? "it is larger than 4 GiB" : NULL;
}

FILE *input_open(const char *path, const char **why)
{
	/* Opening a pipe must not wait for somebody to write. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *f;

	*why = fd < 0 ? strerror(errno) : refusal(fd);
	f = *why ? NULL : fdopen(fd, "rb");
	if (!*why && !f)
		*why = strerror(errno);
	if (!f && fd >= 0)
		close(fd);
	return f;
}
