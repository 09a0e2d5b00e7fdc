/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_file.c -- is a file whole enough to be loaded as a shared object, and what does it export?
 * The format: System V ABI, chapters 4 and 5; ELF64 only. */
#define _POSIX_C_SOURCE 200809L
#include "config/plugin_check.h"
#include <elf.h>
#include <errno.h>
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

/* Reads bytes of the file; -1: they are not there. */
static int plugin_file_read_at(const struct object_file *f, void *to, size_t size, uint64_t offset)
{
	return pread(f->fd, to, size, (off_t)offset) == (ssize_t)size ? 0 : -1;
}

/* A part of the file; offset and length are the object's own words. */
static int plugin_file_check_part(const struct object_file *f, const char *what, uint64_t offset,
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
static int plugin_file_check_segments(const struct object_file *f)
{
	for (uint32_t i = 0; i < f->header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (plugin_file_read_at(f, &segment, sizeof(segment),
					f->header.e_phoff + i * sizeof(segment)))
			return weir_error_set(f->e, "cannot be loaded: its headers cannot be read");
		if (plugin_file_check_part(f, "a segment", segment.p_offset, segment.p_filesz))
			return -1;
	}
	return 0;
}

static int plugin_file_check_object(const struct object_file *f)
{
	const Elf64_Ehdr *h = &f->header;

	/* The loader refuses headers of another size by itself. */
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return 0;
	if (plugin_file_check_part(f, "the program headers", h->e_phoff,
				   (uint64_t)h->e_phnum * h->e_phentsize) ||
	    plugin_file_check_part(f, "the section headers", h->e_shoff,
				   (uint64_t)h->e_shnum * h->e_shentsize))
		return -1;
	return plugin_file_check_segments(f);
}

/* --- what it exports --- */

/* The section of dynamic symbols and the one of their names. */
static int plugin_file_find_symbols(const struct object_file *f, Elf64_Shdr *symbols,
				    Elf64_Shdr *names)
{
	const Elf64_Ehdr *h = &f->header;

	if (h->e_shentsize != sizeof(*symbols))
		return -1;
	for (uint32_t i = 0; i < h->e_shnum; i++)
		if (plugin_file_read_at(f, symbols, sizeof(*symbols),
					h->e_shoff + i * sizeof(*symbols)) == 0 &&
		    symbols->sh_type == SHT_DYNSYM && symbols->sh_link < h->e_shnum)
			return plugin_file_read_at(f, names, sizeof(*names),
						   h->e_shoff + symbols->sh_link * sizeof(*names));
	return -1;
}

static int plugin_file_is_named(const struct object_file *f, const Elf64_Sym *symbol,
				const Elf64_Shdr *names, const char *name)
{
	char text[64];
	size_t size = strlen(name) + 1;

	return size <= sizeof(text) && symbol->st_shndx != SHN_UNDEF &&
	       plugin_file_read_at(f, text, size, names->sh_offset + symbol->st_name) == 0 &&
	       memcmp(text, name, size) == 0;
}

/* Where the bytes of an address are in the file; UINT64_MAX: they are not. */
static uint64_t plugin_file_offset(const struct object_file *f, uint64_t address)
{
	Elf64_Phdr segment;

	for (uint32_t i = 0; i < f->header.e_phnum; i++)
		if (plugin_file_read_at(f, &segment, sizeof(segment),
					f->header.e_phoff + i * sizeof(segment)) == 0 &&
		    segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	return UINT64_MAX;
}

static int plugin_file_read_door(const struct object_file *f, const char *name,
				 struct plugin_door *door)
{
	Elf64_Shdr symbols, names;
	Elf64_Sym symbol;

	if (plugin_file_find_symbols(f, &symbols, &names))
		return weir_error_set(f->e, "cannot be loaded: it has no table of symbols");
	for (uint64_t i = 0; i < symbols.sh_size / sizeof(symbol); i++) {
		if (plugin_file_read_at(f, &symbol, sizeof(symbol),
					symbols.sh_offset + i * sizeof(symbol)))
			return weir_error_set(f->e, "cannot be loaded: its symbols cannot be read");
		if (!plugin_file_is_named(f, &symbol, &names, name))
			continue;
		door->is_there = 1;
		door->size = symbol.st_size;
		if (plugin_file_read_at(f, &door->abi, sizeof(door->abi),
					plugin_file_offset(f, symbol.st_value)))
			door->abi = 0;
		return 0;
	}
	return 0;
}

static int plugin_file_is_object(const struct object_file *f)
{
	const unsigned char *ident = f->header.e_ident;

	return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
	       f->header.e_type == ET_DYN && f->header.e_phentsize == sizeof(Elf64_Phdr);
}

int plugin_file_door(const char *path, const char *name, struct plugin_door *door,
		     struct weir_error *e)
{
	struct object_file f = { .e = e, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	int failed;

	*door = (struct plugin_door){ 0 };
	if (f.fd < 0)
		return weir_error_set(e, "cannot be loaded: cannot open shared object file: %s",
				      strerror(errno));
	if (plugin_file_read_at(&f, &f.header, sizeof(f.header), 0))
		failed = weir_error_set(e, "cannot be loaded: file too short");
	else if (!plugin_file_is_object(&f))
		failed = weir_error_set(e, "cannot be loaded: it is no shared object");
	else
		failed = plugin_file_read_door(&f, name, door);
	close(f.fd);
	return failed;
}

/* --- is it whole? --- */

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
	if (plugin_file_read_at(&f, &f.header, sizeof(f.header), 0) == 0 &&
	    memcmp(f.header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    f.header.e_ident[EI_CLASS] == ELFCLASS64)
		failed = plugin_file_check_object(&f);
	close(f.fd);
	return failed;
}
