/* registry.c -- every scheduler, one line each. */
#include "weir/sched.h"
#include "lib/base/registry.h"

extern const struct weir_sched_ops weir_sched_fifo, weir_sched_sp, weir_sched_wrr, weir_sched_dwrr,
	weir_sched_wfq, weir_sched_sp_dwrr, weir_sched_sp_wfq, weir_sched_pifo;

const struct weir_sched_ops *const weir_sched_all[] = {
	&weir_sched_fifo,   &weir_sched_sp,   &weir_sched_wrr,
	&weir_sched_dwrr,   &weir_sched_wfq,  &weir_sched_sp_dwrr,
	&weir_sched_sp_wfq, &weir_sched_pifo, NULL,
};

static const struct registry registry =
	REGISTRY("scheduler", weir_sched_all, struct weir_sched_ops);

const struct weir_sched_ops *weir_sched_find(const char *name)
{
	return weir_registry_find(&registry, name);
}

int weir_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		     void *params, struct weir_error *e)
{
	const struct weir_sched_ops *found = weir_registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, queues, e))
		return weir_error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
