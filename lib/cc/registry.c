/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- the table of congestion controls. */
#include "weir/cc.h"
#include "base/registry.h"

extern const struct weir_cc_ops weir_cc_dctcp, weir_cc_ecn_star, weir_cc_reno, weir_cc_cubic;
extern const struct weir_cc_ops weir_cc_dcqcn, weir_cc_dctcp_rdma, weir_cc_line_rate;
extern const struct weir_cc_ops weir_cc_hpcc, weir_cc_timely, weir_cc_swift, weir_cc_powertcp;
extern const struct weir_cc_ops weir_cc_fdcc, weir_cc_rl_cc;

const struct weir_cc_ops *const weir_cc_all[] = {
	&weir_cc_dctcp,     &weir_cc_ecn_star,
	&weir_cc_reno,      &weir_cc_cubic,
	&weir_cc_dcqcn,     &weir_cc_dctcp_rdma,
	&weir_cc_hpcc,      &weir_cc_timely,
	&weir_cc_swift,     &weir_cc_powertcp,
	&weir_cc_fdcc,      &weir_cc_rl_cc,
	&weir_cc_line_rate, NULL,
};

const struct registry weir_cc_registry = REGISTRY("congestion control", weir_cc_all);

const struct weir_cc_ops *weir_cc_find(const char *name)
{
	return weir_registry_find(&weir_cc_registry, name);
}

int weir_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		  struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_cc_registry, spec, params, e);
	return *ops ? 0 : -1;
}
