/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c -- which shared objects may be loaded, loading them, and finding schemes in them. */
#define _GNU_SOURCE
#include "config/plugin.h"
#include "base/memory.h"
#include "config/plugin_check.h"
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(PLUGIN_PATH_SIZE >= 4096, "realpath writes up to PATH_MAX bytes");

#define DOOR "weir_plugin"

/* --- permission --- */

/* A list of texts. Entries stay: what they are asked for may come at any time. */
struct paths {
	char **all;
	uint32_t count;
};

static atomic_int permits_all, looks_only;
static _Atomic uint64_t looks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the lists */
static struct paths folders, files;                      /* resolved; folders end with a slash */
static struct paths looked_at;                           /* as they were named */

static int plugin_paths_have(const struct paths *p, const char *path)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->all[i], path) == 0)
			return 1;
	return 0;
}

/* Once each. */
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
	atomic_store(&looks_only, 1);
}

void plugin_permit_folder(const char *folder)
{
	char real[PLUGIN_PATH_SIZE + 1];
	size_t length;

	if (!realpath(folder, real))
		return;
	length = strlen(real);
	if (real[length - 1] != '/') /* of the root alone */
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
	permitted = looks_only || plugin_is_permitted(real);
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
	return atomic_load(&looks);
}

const char *plugin_inspected_path(uint32_t i)
{
	return i < looked_at.count ? looked_at.all[i] : NULL;
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

/* The door's size as the object has it: a text or a number of that name is no plug-in. */
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

/* May it be loaded, and could it? real: the file to load. Where only looks are allowed this is all
 * that happens. */
static int plugin_check_file(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e)
{
	struct plugin_door door;

	if (plugin_permit_check(path, real, e) || plugin_file_check(real, e))
		return -1;
	if (!looks_only)
		return 0;
	if (plugin_file_door(real, DOOR, &door, e) || plugin_check_door(&door, e))
		return -1;
	plugin_paths_add(&looked_at, path);
	atomic_fetch_add(&looks, 1);
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

		/* As a rule it says "PATH: why". */
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

/* The plug-in that a spec names; NULL with a message. */
static const struct weir_plugin *plugin_of_spec(const char *spec, struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE];

	return weir_spec_name(spec, path, sizeof(path), e) ? NULL : plugin_load(path, e);
}

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
	const struct weir_plugin *p = plugin_of_spec(spec, e);
	const void *ops = p ? plugin_ops(p, kind) : NULL;

	if (p && !ops)
		plugin_report_kind(p, spec, kind, e);
	return ops;
}
