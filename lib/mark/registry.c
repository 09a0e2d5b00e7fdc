/* registry.c -- every marking scheme, one line each. */
#include "weir/mark.h"
#include "lib/base/registry.h"

extern const struct mark_ops mark_none, mark_ecn, mark_red, mark_tcn, mark_codel, mark_mq_ecn,
	mark_ideal_ecn, mark_ecn_sharp, mark_bcc, mark_ared, mark_pie, mark_pftcn, mark_diffecn,
	mark_pred;

const struct mark_ops *const mark_all[] = {
	&mark_none,   &mark_ecn,       &mark_red,       &mark_tcn,  &mark_codel,
	&mark_mq_ecn, &mark_ideal_ecn, &mark_ecn_sharp, &mark_bcc,  &mark_ared,
	&mark_pie,    &mark_pftcn,     &mark_diffecn,   &mark_pred, NULL,
};

static const struct registry registry = REGISTRY("marking", mark_all, struct mark_ops);

const struct mark_ops *mark_find(const char *name)
{
	return registry_find(&registry, name);
}

int mark_parse(const char *spec, const struct mark_ops **ops, void *params, struct error *e)
{
	const struct mark_ops *found = registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, e))
		return error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
