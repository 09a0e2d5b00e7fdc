/* registry.c -- every congestion control, one line each. */
#include "weir/cc.h"
#include <string.h>

extern const struct cc_ops cc_dctcp, cc_ecn_star, cc_reno, cc_cubic;

const struct cc_ops *const cc_all[] = {
	&cc_dctcp,
	&cc_ecn_star,
	&cc_reno,
	&cc_cubic,
	NULL,
};

enum { CC_COUNT = sizeof(cc_all) / sizeof(cc_all[0]) - 1 };

const struct cc_ops *cc_find(const char *name)
{
	for (size_t i = 0; i < CC_COUNT; i++)
		if (strcmp(cc_all[i]->name, name) == 0)
			return cc_all[i];
	return NULL;
}

static int unknown(const char *name, struct error *e)
{
	const char *names[CC_COUNT];

	for (size_t i = 0; i < CC_COUNT; i++)
		names[i] = cc_all[i]->name;
	return error_unknown(e, "congestion control", name, names, CC_COUNT);
}

int cc_parse(const char *spec, const struct cc_ops **ops, void *params, struct error *e)
{
	char name[OPT_TEXT_SIZE];
	const struct cc_ops *found;

	if (spec_name(spec, name, sizeof(name), e))
		return -1;
	found = cc_find(name);
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
