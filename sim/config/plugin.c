/* plugin.c -- loading shared objects, and specs that name them. */
#define _GNU_SOURCE
#include "sim/config/plugin.h"
#include "sim/config/plugin_check.h"
#include "sim/config/plugin_file.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <string.h>

#define DOOR "weir_plugin"

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

static int check_door(const struct weir_plugin *p, struct weir_error *e)
{
	if (!p)
		return weir_error_set(
			e,
			"exports no %s; write const struct weir_plugin weir_plugin = { "
			"WEIR_ABI, .mark = &ops };",
			DOOR);
	if (door_size(p) < sizeof(p->abi) || p->abi != WEIR_ABI)
		return weir_error_set(e,
				      "was built for another Weir (ABI %016" PRIx64
				      ", this one has %016" PRIx64
				      "); build it again with the headers of this one",
				      door_size(p) < sizeof(p->abi) ? 0 : p->abi, WEIR_ABI);
	if (door_size(p) < sizeof(*p))
		return weir_error_set(e, "%s has %zu bytes, not the %zu of struct weir_plugin",
				      DOOR, door_size(p), sizeof(*p));
	return plugin_check(p, e);
}

const struct weir_plugin *plugin_load(const char *path, struct weir_error *e)
{
	const struct weir_plugin *p;
	void *object;
	size_t length = strlen(path);

	if (plugin_file_check(path, e)) {
		weir_error_prefix(e, "%.200s: ", path);
		return NULL;
	}
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		const char *reason = dlerror();

		/* Mostly it says "PATH: why". */
		if (reason && strncmp(reason, path, length) == 0 && reason[length] == ':')
			reason += length + 2;
		weir_error_set(e, "%.200s: cannot be loaded: %.300s", path,
			       reason ? reason : "unknown");
		return NULL;
	}
	p = dlsym(object, DOOR);
	if (check_door(p, e)) {
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

/* "mine.so" would be searched among the built-in ones. */
static int check_builtin(const char *spec, struct weir_error *e)
{
	size_t length = strcspn(spec, "(");

	if (length < strlen(".so") || strncmp(spec + length - strlen(".so"), ".so", 3) != 0)
		return 0;
	return weir_error_set(
		e, "'%.*s' looks like a plug-in, which is named by its path; write ./%.*s",
		(int)length, spec, (int)length, spec);
}

/* "./mine.so holds no marking scheme, but a congestion control". */
static int other_kind(const struct weir_plugin *p, const char *spec, const char *kind,
		      struct weir_error *e)
{
	return weir_error_set(e, "%.*s: holds no %s, but a %s", (int)strcspn(spec, "("), spec, kind,
			      p->mark    ? "marking scheme (.mark)"
			      : p->sched ? "scheduler (.sched)"
					 : "congestion control (.cc)");
}

static int read_params(const char *spec, const struct weir_option *options, size_t size,
		       void *params, struct weir_error *e)
{
	memset(params, 0, size);
	return weir_spec_params(spec, params, options, e);
}

int any_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		   struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return check_builtin(spec, e) ? -1 : weir_mark_parse(spec, ops, params, e);
	p = named(spec, e);
	if (!p)
		return -1;
	if (!p->mark)
		return other_kind(p, spec, "marking scheme", e);
	if (read_params(spec, p->mark->options, p->mark->params_size, params, e))
		return -1;
	if (p->mark->check && p->mark->check(params, e))
		return weir_error_prefix(e, "%s: ", p->mark->name);
	*ops = p->mark;
	return 0;
}

int any_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		    void *params, struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return check_builtin(spec, e) ? -1 : weir_sched_parse(spec, queues, ops, params, e);
	p = named(spec, e);
	if (!p)
		return -1;
	if (!p->sched)
		return other_kind(p, spec, "scheduler", e);
	if (read_params(spec, p->sched->options, p->sched->params_size, params, e))
		return -1;
	if (p->sched->check && p->sched->check(params, queues, e))
		return weir_error_prefix(e, "%s: ", p->sched->name);
	*ops = p->sched;
	return 0;
}

int any_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		 struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return check_builtin(spec, e) ? -1 : weir_cc_parse(spec, ops, params, e);
	p = named(spec, e);
	if (!p)
		return -1;
	if (!p->cc)
		return other_kind(p, spec, "congestion control", e);
	if (read_params(spec, p->cc->options, p->cc->params_size, params, e))
		return -1;
	if (p->cc->check && p->cc->check(params, e))
		return weir_error_prefix(e, "%s: ", p->cc->name);
	*ops = p->cc;
	return 0;
}
