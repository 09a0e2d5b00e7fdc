/* registry.c -- every marking scheme, one line each. */
#include "weir/mark.h"
#include <string.h>

extern const struct mark_ops mark_none, mark_ecn, mark_red, mark_tcn, mark_codel;

const struct mark_ops *const mark_all[] = {
	&mark_none,
	&mark_ecn,
	&mark_red,
	&mark_tcn,
	&mark_codel,
	NULL,
};

enum { MARK_COUNT = sizeof(mark_all) / sizeof(mark_all[0]) - 1 };

const struct mark_ops *mark_find(const char *name)
{
	for (size_t i = 0; i < MARK_COUNT; i++)
		if (strcmp(mark_all[i]->name, name) == 0)
			return mark_all[i];
	return NULL;
}

static int unknown(const char *name, struct error *e)
{
	const char *names[MARK_COUNT];

	for (size_t i = 0; i < MARK_COUNT; i++)
		names[i] = mark_all[i]->name;
	return error_unknown(e, "marking", name, names, MARK_COUNT);
}

int mark_parse(const char *spec, const struct mark_ops **ops, void *params, struct error *e)
{
	char name[OPT_TEXT_SIZE];
	const struct mark_ops *found;

	if (spec_name(spec, name, sizeof(name), e))
		return -1;
	found = mark_find(name);
	if (!found)
		return unknown(name, e);
	memset(params, 0, found->params_size);
	if (spec_params(spec, params, found->options, e))
		return -1;
	if (found->check && found->check(params, e))
		return error_prefix(e, "%s: ", name);
	*ops = found;
	return 0;
}
