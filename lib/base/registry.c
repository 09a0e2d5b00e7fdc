/* registry.c -- see registry.h. */
#include "lib/base/registry.h"
#include <assert.h>
#include <string.h>

enum { REGISTRY_MAX = 64 };

static const char *name_of(const void *ops)
{
	return *(const char *const *)ops;
}

const void *weir_registry_find(const struct registry *r, const char *name)
{
	for (size_t i = 0; r->all[i]; i++)
		if (strcmp(name_of(r->all[i]), name) == 0)
			return r->all[i];
	return NULL;
}

static int unknown(const struct registry *r, const char *name, struct weir_error *e)
{
	const char *names[REGISTRY_MAX];
	size_t count = 0;

	for (; r->all[count]; count++) {
		assert(count < REGISTRY_MAX);
		names[count] = name_of(r->all[count]);
	}
	return weir_error_unknown(e, r->kind, name, names, count);
}

const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const char *ops;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	ops = weir_registry_find(r, name);
	if (!ops) {
		unknown(r, name, e);
		return NULL;
	}
	/* Schemes may share a struct but not every option of it. */
	memset(params, 0, *(const size_t *)(ops + r->params_size));
	if (weir_spec_params(spec, params, *(const struct weir_option *const *)(ops + r->options),
			     e))
		return NULL;
	return ops;
}
