/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c -- plug-ins: permission to load a shared object, inspection of the file before loading,
 * loading, and lookup of schemes in it, see plugin.h.
 *
 * The dynamic loader trusts an object's headers: segments beyond the end of the file are mapped,
 * and a process that touches them is killed by SIGBUS. So the file is checked first. */
#define _GNU_SOURCE
#include "config/plugin.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(PLUGIN_PATH_SIZE >= 4096, "realpath writes up to PATH_MAX bytes");

#define DOOR "weir_plugin"

/* The head of the object of data that a shared object exports, as it is in the file. */
struct plugin_door {
	int is_there;
	size_t size; /* of the object */
	uint64_t abi;
};

/* --- permission --- */

/* A list of paths. Entries are never removed. */
struct paths {
	char **all;
	uint32_t count;
};

static atomic_int permits_all, inspect_only;
static _Atomic uint64_t inspections;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the lists */
static struct paths folders, files;                      /* resolved; folders end with a slash */
static struct paths inspected;                           /* as they were named */

static int plugin_paths_have(const struct paths *p, const char *path)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->all[i], path) == 0)
			return 1;
	return 0;
}

/* Adds a path unless it is in the list. */
static void plugin_paths_add(struct paths *p, const char *path)
{
	size_t size = strlen(path) + 1;

	pthread_mutex_lock(&lock);
	if (!plugin_paths_have(p, path)) {
		p->all = memory_grow(p->all, p->count + UINT64_C(1), sizeof(*p->all));
		p->all[p->count] = memory_grow(NULL, size, 1);
		memcpy(p->all[p->count++], path, size);
	}
	pthread_mutex_unlock(&lock);
}

void plugin_permit_all(void)
{
	atomic_store(&permits_all, 1);
}

void plugin_permit_inspect_only(void)
{
	atomic_store(&inspect_only, 1);
}

void plugin_permit_folder(const char *folder)
{
	char real[PLUGIN_PATH_SIZE + 1];
	size_t length;

	if (!realpath(folder, real))
		return;
	length = strlen(real);
	if (real[length - 1] != '/') /* all but the root */
		memcpy(real + length, "/", 2);
	plugin_paths_add(&folders, real);
}

void plugin_permit_tree_of(const char *file)
{
	char real[PLUGIN_PATH_SIZE];

	if (!realpath(file, real))
		return;
	strrchr(real, '/')[1] = '\0';
	plugin_permit_folder(real);
}

void plugin_permit_named(const char *text)
{
	static const char ends[] = "(),;=";
	char name[PLUGIN_PATH_SIZE], real[PLUGIN_PATH_SIZE];

	while (*text) {
		size_t length;

		text += strspn(text, " \t(),;=");
		length = strcspn(text, ends);
		if (length > 0 && length < sizeof(name) && memchr(text, '/', length)) {
			memcpy(name, text, length);
			while (name[length - 1] == ' ' || name[length - 1] == '\t')
				length--;
			name[length] = '\0';
			if (realpath(name, real))
				plugin_paths_add(&files, real);
		}
		text += strcspn(text, ends);
	}
}

static int plugin_is_permitted(const char *real)
{
	if (permits_all || plugin_paths_have(&files, real))
		return 1;
	for (uint32_t i = 0; i < folders.count; i++)
		if (strncmp(real, folders.all[i], strlen(folders.all[i])) == 0)
			return 1;
	return 0;
}

int plugin_permit_check(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e)
{
	int permitted;

	if (!realpath(path, real))
		return weir_error_set(e, "cannot be loaded: cannot open shared object file: %s",
				      strerror(errno));
	pthread_mutex_lock(&lock);
	permitted = inspect_only || plugin_is_permitted(real);
	pthread_mutex_unlock(&lock);
	if (permitted)
		return 0;
	return weir_error_set(
		e,
		"not loaded: a plug-in is code, and %.300s does not lie in the folder of the file "
		"that names it; --allow-plugins (weir_sim_allow_plugins) loads it, and so does "
		"naming it "
		"on the command line",
		real);
}

uint64_t plugin_inspections(void)
{
	return atomic_load(&inspections);
}

const char *plugin_inspected_path(uint32_t i)
{
	return i < inspected.count ? inspected.all[i] : NULL;
}

/* --- shared objects as files: ELF64 only, System V ABI, chapters 4 and 5 --- */

struct plugin_file {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	struct weir_error *e;
};

/* Reads bytes of the file. -1: they are beyond its end. */
static int plugin_file_read_at(const struct plugin_file *f, void *to, size_t size, uint64_t offset)
{
	return pread(f->fd, to, size, (off_t)offset) == (ssize_t)size ? 0 : -1;
}

/* Is a part within the file? Offset and length are the object's own, untrusted claims. */
static int plugin_file_check_part(const struct plugin_file *f, const char *what, uint64_t offset,
				  uint64_t length)
{
	if (offset <= f->size && length <= f->size - offset)
		return 0;
	return weir_error_set(f->e,
			      "cannot be loaded: the file is cut off: %s should be %" PRIu64
			      " bytes from byte %" PRIu64 " on, but the file has %" PRIu64 " bytes",
			      what, length, offset, f->size);
}

/* Every mapped segment must lie within the file. */
static int plugin_file_check_segments(const struct plugin_file *f)
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

static int plugin_file_check_object(const struct plugin_file *f)
{
	const Elf64_Ehdr *h = &f->header;

	/* The loader itself refuses headers of another size. */
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return 0;
	if (plugin_file_check_part(f, "the program headers", h->e_phoff,
				   (uint64_t)h->e_phnum * h->e_phentsize) ||
	    plugin_file_check_part(f, "the section headers", h->e_shoff,
				   (uint64_t)h->e_shnum * h->e_shentsize))
		return -1;
	return plugin_file_check_segments(f);
}

/* The section of dynamic symbols and the one of their names. */
static int plugin_file_find_symbols(const struct plugin_file *f, Elf64_Shdr *symbols,
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

static int plugin_file_is_named(const struct plugin_file *f, const Elf64_Sym *symbol,
				const Elf64_Shdr *names, const char *name)
{
	char text[64];
	size_t size = strlen(name) + 1;

	return size <= sizeof(text) && symbol->st_shndx != SHN_UNDEF &&
	       plugin_file_read_at(f, text, size, names->sh_offset + symbol->st_name) == 0 &&
	       memcmp(text, name, size) == 0;
}

/* File offset of an address; UINT64_MAX: it has none. */
static uint64_t plugin_file_offset(const struct plugin_file *f, uint64_t address)
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

static int plugin_file_read_door(const struct plugin_file *f, const char *name,
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

static int plugin_file_is_object(const struct plugin_file *f)
{
	const unsigned char *ident = f->header.e_ident;

	return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
	       f->header.e_type == ET_DYN && f->header.e_phentsize == sizeof(Elf64_Phdr);
}

static int plugin_file_door(const char *path, const char *name, struct plugin_door *door,
			    struct weir_error *e)
{
	struct plugin_file f = { .e = e, .fd = open(path, O_RDONLY | O_CLOEXEC) };
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

static int plugin_file_check(const char *path, struct weir_error *e)
{
	struct plugin_file f = { .e = e };
	struct stat s;
	int failed = 0;

	/* Opening a pipe would block. */
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

/* --- loading --- */

static const struct {
	const char *name, *member;
	size_t offset; /* of the member */
} kinds[] = {
	[PLUGIN_MARK] = { "marking scheme", "mark", offsetof(struct weir_plugin, mark) },
	[PLUGIN_SCHED] = { "scheduler", "sched", offsetof(struct weir_plugin, sched) },
	[PLUGIN_CC] = { "congestion control", "cc", offsetof(struct weir_plugin, cc) },
	[PLUGIN_TRAFFIC] = { "traffic pattern", "traffic", offsetof(struct weir_plugin, traffic) },
	[PLUGIN_TUNE] = { "tuner", "tune", offsetof(struct weir_plugin, tune) },
	[PLUGIN_AGENT] = { "agent", "agent", offsetof(struct weir_plugin, agent) },
};

const char *plugin_kind_name(enum plugin_kind kind)
{
	return kinds[kind].name;
}

const void *plugin_ops(const struct weir_plugin *p, enum plugin_kind kind)
{
	const void *ops;

	memcpy(&ops, (const char *)p + kinds[kind].offset, sizeof(ops));
	return ops;
}

int is_plugin(const char *spec)
{
	return memchr(spec, '/', strcspn(spec, "(")) != NULL;
}

/* Size of the loaded symbol: a string or number of that name is no plug-in. */
static size_t plugin_door_size(const void *door)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(door, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return 0;
	return symbol->st_size;
}

static int plugin_check_door(const struct plugin_door *door, struct weir_error *e)
{
	uint64_t abi = door->size < sizeof(door->abi) ? 0 : door->abi;

	if (!door->is_there)
		return weir_error_set(
			e,
			"exports no %s; write const struct weir_plugin weir_plugin = { "
			"WEIR_ABI, .mark = &ops };",
			DOOR);
	if (abi != WEIR_ABI)
		return weir_error_set(e,
				      "was built for another Weir (ABI %016" PRIx64
				      ", this one has %016" PRIx64
				      "); build it again with the headers of this one",
				      abi, WEIR_ABI);
	if (door->size < sizeof(struct weir_plugin))
		return weir_error_set(e, "%s has %zu bytes, not the %zu of struct weir_plugin",
				      DOOR, door->size, sizeof(struct weir_plugin));
	return 0;
}

static int plugin_check_loaded(const struct weir_plugin *p, struct weir_error *e)
{
	struct plugin_door door = { .is_there = p != NULL };

	if (p) {
		door.size = plugin_door_size(p);
		door.abi = door.size < sizeof(p->abi) ? 0 : p->abi;
	}
	return plugin_check_door(&door, e) || plugin_check(p, e) ? -1 : 0;
}

/* Checks permission and file; real becomes the resolved path. In inspect-only mode this counts the
 * object and fails. */
static int plugin_check_file(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e)
{
	struct plugin_door door;

	if (plugin_permit_check(path, real, e) || plugin_file_check(real, e))
		return -1;
	if (!inspect_only)
		return 0;
	if (plugin_file_door(real, DOOR, &door, e) || plugin_check_door(&door, e))
		return -1;
	plugin_paths_add(&inspected, path);
	atomic_fetch_add(&inspections, 1);
	return weir_error_set(e, "is a plug-in and was not loaded; --allow-plugins loads it");
}

const struct weir_plugin *plugin_load(const char *path, struct weir_error *e)
{
	const struct weir_plugin *p;
	char real[PLUGIN_PATH_SIZE];
	void *object;
	size_t length;

	if (plugin_check_file(path, real, e)) {
		weir_error_prefix(e, "%.200s: ", path);
		return NULL;
	}
	length = strlen(real);
	object = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		const char *reason = dlerror();

		/* Usually "PATH: reason". */
		if (reason && strncmp(reason, real, length) == 0 && reason[length] == ':')
			reason += length + 2;
		weir_error_set(e, "%.200s: cannot be loaded: %.300s", path,
			       reason ? reason : "unknown");
		return NULL;
	}
	p = dlsym(object, DOOR);
	if (plugin_check_loaded(p, e)) {
		weir_error_prefix(e, "%.200s: ", path);
		dlclose(object);
		return NULL;
	}
	return p;
}

/* --- specs --- */

int plugin_has_path(const char *spec, struct weir_error *e)
{
	size_t length = strcspn(spec, "(");

	if (length < strlen(".so") || strncmp(spec + length - strlen(".so"), ".so", 3) != 0)
		return 0;
	return weir_error_set(
		e, "'%.*s' looks like a plug-in, which is named by its path; write ./%.*s",
		(int)length, spec, (int)length, spec);
}

/* "./mine.so holds no marking scheme, but a congestion control". */
static int plugin_report_kind(const struct weir_plugin *p, const char *spec,
			      enum plugin_kind wanted, struct weir_error *e)
{
	int held = 0;

	while (!plugin_ops(p, (enum plugin_kind)held))
		held++;
	return weir_error_set(e, "%.*s: holds no %s, but a %s (.%s)", (int)strcspn(spec, "("), spec,
			      kinds[wanted].name, kinds[held].name, kinds[held].member);
}

const void *plugin_find(const char *spec, enum plugin_kind kind, struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE];
	const struct weir_plugin *p =
		weir_spec_name(spec, path, sizeof(path), e) ? NULL : plugin_load(path, e);
	const void *ops = p ? plugin_ops(p, kind) : NULL;

	if (p && !ops)
		plugin_report_kind(p, spec, kind, e);
	return ops;
}
