/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- every scheduler, one line each. */
#include "weir/sched.h"
#include "base/registry.h"

extern const struct weir_sched_ops weir_sched_fifo, weir_sched_sp, weir_sched_wrr, weir_sched_dwrr,
	weir_sched_wfq, weir_sched_sp_dwrr, weir_sched_sp_wfq, weir_sched_pifo;

const struct weir_sched_ops *const weir_sched_all[] = {
	&weir_sched_fifo,   &weir_sched_sp,   &weir_sched_wrr,
	&weir_sched_dwrr,   &weir_sched_wfq,  &weir_sched_sp_dwrr,
	&weir_sched_sp_wfq, &weir_sched_pifo, NULL,
};

const struct registry weir_sched_registry = REGISTRY("scheduler", weir_sched_all);

const struct weir_sched_ops *weir_sched_find(const char *name)
{
	return weir_registry_find(&weir_sched_registry, name);
}

int weir_sched_fits(const struct weir_sched_ops *ops, const void *params, uint32_t queues,
		    struct weir_error *e)
{
	if (ops->fits && ops->fits(params, queues, e))
		return weir_error_prefix(e, "%s: ", ops->scheme.name);
	return 0;
}

int weir_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		     void *params, struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_sched_registry, spec, params, e);
	return *ops ? weir_sched_fits(*ops, params, queues, e) : -1;
}
