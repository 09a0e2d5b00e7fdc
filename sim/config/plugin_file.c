/* plugin_file.c -- see plugin_file.h. The format: System V ABI, chapters 4 and 5; ELF64 only. */
#define _POSIX_C_SOURCE 200809L
#include "sim/config/plugin_file.h"
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct object_file {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	struct weir_error *e;
};

/* A part of the file; offset and length are the object's own words. */
static int check_part(const struct object_file *f, const char *what, uint64_t offset,
		      uint64_t length)
{
	if (offset <= f->size && length <= f->size - offset)
		return 0;
	return weir_error_set(f->e,
			      "cannot be loaded: the file is cut off: %s should be %" PRIu64
			      " bytes from byte %" PRIu64 " on, but the file has %" PRIu64 " bytes",
			      what, length, offset, f->size);
}

/* What is mapped: all of it must be in the file. */
static int check_segments(const struct object_file *f)
{
	for (uint32_t i = 0; i < f->header.e_phnum; i++) {
		Elf64_Phdr segment;
		off_t at = (off_t)(f->header.e_phoff + (uint64_t)i * sizeof(segment));

		if (pread(f->fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
			return weir_error_set(f->e, "cannot be loaded: its headers cannot be read");
		if (check_part(f, "a segment", segment.p_offset, segment.p_filesz))
			return -1;
	}
	return 0;
}

static int check_object(const struct object_file *f)
{
	const Elf64_Ehdr *h = &f->header;

	/* The loader refuses headers of another size by itself. */
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return 0;
	if (check_part(f, "the program headers", h->e_phoff,
		       (uint64_t)h->e_phnum * h->e_phentsize) ||
	    check_part(f, "the section headers", h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize))
		return -1;
	return check_segments(f);
}

int plugin_file_check(const char *path, struct weir_error *e)
{
	struct object_file f = { .e = e };
	struct stat s;
	int failed = 0;

	/* Opening a pipe would wait for somebody to write. */
	if (stat(path, &s) != 0 || S_ISDIR(s.st_mode))
		return 0;
	if (!S_ISREG(s.st_mode))
		return weir_error_set(e, "cannot be loaded: it is no regular file");
	f.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f.fd < 0)
		return 0;
	f.size = (uint64_t)s.st_size;
	if (pread(f.fd, &f.header, sizeof(f.header), 0) == (ssize_t)sizeof(f.header) &&
	    memcmp(f.header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    f.header.e_ident[EI_CLASS] == ELFCLASS64)
		failed = check_object(&f);
	close(f.fd);
	return failed;
}
