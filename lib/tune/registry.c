/* registry.c -- every tuner, one line each. */
#include "weir/tune.h"
#include "lib/base/registry.h"

extern const struct tune_ops tune_qla;

const struct tune_ops *const tune_all[] = {
	&tune_qla,
	NULL,
};

static const struct registry registry = REGISTRY("tuner", tune_all, struct tune_ops);

const struct tune_ops *tune_find(const char *name)
{
	return registry_find(&registry, name);
}

int tune_parse(const char *spec, const struct tune_ops **ops, void *params, struct error *e)
{
	const struct tune_ops *found = registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, e))
		return error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
