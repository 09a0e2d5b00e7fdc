/* registry.c -- every congestion control, one line each. */
#include "weir/cc.h"
#include "lib/base/registry.h"

extern const struct cc_ops cc_dctcp, cc_ecn_star, cc_reno, cc_cubic;
extern const struct cc_ops cc_dcqcn, cc_dctcp_rdma, cc_line_rate;
extern const struct cc_ops cc_hpcc, cc_timely, cc_swift, cc_powertcp;

const struct cc_ops *const cc_all[] = {
	&cc_dctcp, &cc_ecn_star, &cc_reno,  &cc_cubic,    &cc_dcqcn,     &cc_dctcp_rdma,
	&cc_hpcc,  &cc_timely,   &cc_swift, &cc_powertcp, &cc_line_rate, NULL,
};

static const struct registry registry = REGISTRY("congestion control", cc_all, struct cc_ops);

const struct cc_ops *cc_find(const char *name)
{
	return registry_find(&registry, name);
}

int cc_parse(const char *spec, const struct cc_ops **ops, void *params, struct error *e)
{
	const struct cc_ops *found = registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, e))
		return error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
