/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c -- loading shared objects, and specs that name them. */
#define _GNU_SOURCE
#include "config/plugin.h"
#include "config/model.h"
#include "config/plugin_check.h"
#include "config/plugin_file.h"
#include "config/plugin_permit.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#define DOOR "weir_plugin"

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
static size_t door_size(const void *door)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(door, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return 0;
	return symbol->st_size;
}

static int check_door(const struct plugin_door *door, struct weir_error *e)
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

static int check_loaded(const struct weir_plugin *p, struct weir_error *e)
{
	struct plugin_door door = { .is_there = p != NULL };

	if (p) {
		door.size = door_size(p);
		door.abi = door.size < sizeof(p->abi) ? 0 : p->abi;
	}
	return check_door(&door, e) || plugin_check(p, e) ? -1 : 0;
}

/* May it be loaded, and could it? real: the file to load. Where only looks are allowed this is all
 * that happens. */
static int check_file(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e)
{
	struct plugin_door door;

	if (plugin_permit_check(path, real, e) || plugin_file_check(real, e))
		return -1;
	if (!plugin_permit_is_look())
		return 0;
	if (plugin_file_door(real, DOOR, &door, e) || check_door(&door, e))
		return -1;
	plugin_permit_count_look(path);
	return weir_error_set(e, "is a plug-in and was not loaded; --allow-plugins loads it");
}

const struct weir_plugin *plugin_load(const char *path, struct weir_error *e)
{
	const struct weir_plugin *p;
	char real[PLUGIN_PATH_SIZE];
	void *object;
	size_t length;

	if (check_file(path, real, e)) {
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
	if (check_loaded(p, e)) {
		weir_error_prefix(e, "%.200s: ", path);
		dlclose(object);
		return NULL;
	}
	return p;
}

/* --- specs --- */

/* The plug-in that a spec names; NULL with a message. */
static const struct weir_plugin *named(const char *spec, struct weir_error *e)
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
static int other_kind(const struct weir_plugin *p, const char *spec, enum plugin_kind wanted,
		      struct weir_error *e)
{
	int held = 0;

	while (!plugin_ops(p, (enum plugin_kind)held))
		held++;
	return weir_error_set(e, "%.*s: holds no %s, but a %s (.%s)", (int)strcspn(spec, "("), spec,
			      kinds[wanted].name, kinds[held].name, kinds[held].member);
}

const void *plugin_find(const char *spec, enum plugin_kind kind, struct weir_error *e)
{
	const struct weir_plugin *p = named(spec, e);
	const void *ops = p ? plugin_ops(p, kind) : NULL;

	if (p && !ops)
		other_kind(p, spec, kind, e);
	return ops;
}

const void *any_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
		      void *params, struct weir_error *e)
{
	const void *ops;

	if (is_plugin(spec)) {
		ops = plugin_find(spec, kind, e);
		if (ops && weir_scheme_parse(ops, spec, params, e))
			return NULL;
	} else {
		ops = plugin_has_path(spec, e) ? NULL
					       : weir_registry_parse(builtin, spec, params, e);
	}
	return ops && model_attach(model_files, ops, params, e) == 0 ? ops : NULL;
}

int any_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		   struct weir_error *e)
{
	*ops = any_parse(&weir_mark_registry, PLUGIN_MARK, spec, params, e);
	return *ops ? 0 : -1;
}

int any_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		    void *params, struct weir_error *e)
{
	*ops = any_parse(&weir_sched_registry, PLUGIN_SCHED, spec, params, e);
	return *ops ? weir_sched_fits(*ops, params, queues, e) : -1;
}

int any_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		 struct weir_error *e)
{
	*ops = any_parse(&weir_cc_registry, PLUGIN_CC, spec, params, e);
	return *ops ? 0 : -1;
}
