/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- see registry.h. */
#include "base/registry.h"
#include <assert.h>
#include <string.h>

enum { REGISTRY_MAX = 64 };

const struct weir_scheme *weir_registry_at(const struct registry *r, size_t i)
{
	return r->all[i];
}

const void *weir_registry_find(const struct registry *r, const char *name)
{
	for (size_t i = 0; r->all[i]; i++)
		if (strcmp(weir_registry_at(r, i)->name, name) == 0)
			return r->all[i];
	return NULL;
}

int weir_registry_unknown(const struct registry *r, const char *name, struct weir_error *e)
{
	const char *names[REGISTRY_MAX];
	size_t count = 0;

	for (; r->all[count]; count++) {
		assert(count < REGISTRY_MAX);
		names[count] = weir_registry_at(r, count)->name;
	}
	return weir_error_unknown(e, r->kind, name, names, count);
}

int weir_scheme_parse(const struct weir_scheme *s, const char *spec, void *params,
		      struct weir_error *e)
{
	/* Schemes may share a struct but not every option of it. */
	memset(params, 0, s->params_size);
	if (weir_spec_params(spec, params, s->options, e))
		return -1;
	if (s->check && s->check(params, e))
		return weir_error_prefix(e, "%s: ", s->name);
	return 0;
}

const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const void *ops;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	ops = weir_registry_find(r, name);
	if (!ops) {
		weir_registry_unknown(r, name, e);
		return NULL;
	}
	return weir_scheme_parse(ops, spec, params, e) ? NULL : ops;
}
