/* registry.c -- every marking scheme, one line each. */
#include "weir/mark.h"
#include "lib/base/registry.h"

extern const struct weir_mark_ops weir_mark_none, weir_mark_ecn, weir_mark_red, weir_mark_tcn,
	weir_mark_codel, weir_mark_mq_ecn, weir_mark_ideal_ecn, weir_mark_ecn_sharp, weir_mark_bcc,
	weir_mark_ared, weir_mark_pie, weir_mark_pftcn, weir_mark_diffecn, weir_mark_pred;

const struct weir_mark_ops *const weir_mark_all[] = {
	&weir_mark_none,      &weir_mark_ecn,       &weir_mark_red,
	&weir_mark_tcn,       &weir_mark_codel,     &weir_mark_mq_ecn,
	&weir_mark_ideal_ecn, &weir_mark_ecn_sharp, &weir_mark_bcc,
	&weir_mark_ared,      &weir_mark_pie,       &weir_mark_pftcn,
	&weir_mark_diffecn,   &weir_mark_pred,      NULL,
};

static const struct registry registry = REGISTRY("marking", weir_mark_all, struct weir_mark_ops);

const struct weir_mark_ops *weir_mark_find(const char *name)
{
	return weir_registry_find(&registry, name);
}

int weir_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		    struct weir_error *e)
{
	const struct weir_mark_ops *found = weir_registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, e))
		return weir_error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
