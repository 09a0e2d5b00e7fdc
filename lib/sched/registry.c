/* registry.c -- every scheduler, one line each. */
#include "weir/sched.h"
#include "lib/base/registry.h"

extern const struct sched_ops sched_fifo, sched_sp, sched_wrr, sched_dwrr, sched_wfq, sched_sp_dwrr,
	sched_sp_wfq, sched_pifo;

const struct sched_ops *const sched_all[] = {
	&sched_fifo,    &sched_sp,     &sched_wrr,  &sched_dwrr, &sched_wfq,
	&sched_sp_dwrr, &sched_sp_wfq, &sched_pifo, NULL,
};

static const struct registry registry = REGISTRY("scheduler", sched_all, struct sched_ops);

const struct sched_ops *sched_find(const char *name)
{
	return registry_find(&registry, name);
}

int sched_parse(const char *spec, uint32_t queues, const struct sched_ops **ops, void *params,
		struct error *e)
{
	const struct sched_ops *found = registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, queues, e))
		return error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
