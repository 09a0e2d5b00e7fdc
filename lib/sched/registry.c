/* registry.c -- every scheduler, one line each. */
#include "weir/sched.h"
#include <string.h>

extern const struct sched_ops sched_fifo, sched_sp, sched_wrr, sched_dwrr, sched_wfq, sched_sp_dwrr,
	sched_sp_wfq;

const struct sched_ops *const sched_all[] = {
	&sched_fifo,
	&sched_sp,
	&sched_wrr,
	&sched_dwrr,
	&sched_wfq,
	&sched_sp_dwrr,
	&sched_sp_wfq,
	NULL,
};

enum { SCHED_COUNT = sizeof(sched_all) / sizeof(sched_all[0]) - 1 };

const struct sched_ops *sched_find(const char *name)
{
	for (size_t i = 0; i < SCHED_COUNT; i++)
		if (strcmp(sched_all[i]->name, name) == 0)
			return sched_all[i];
	return NULL;
}

static int unknown(const char *name, struct error *e)
{
	const char *names[SCHED_COUNT];

	for (size_t i = 0; i < SCHED_COUNT; i++)
		names[i] = sched_all[i]->name;
	return error_unknown(e, "scheduler", name, names, SCHED_COUNT);
}

int sched_parse(const char *spec, uint32_t queues, const struct sched_ops **ops, void *params,
		struct error *e)
{
	char name[OPT_TEXT_SIZE];
	const struct sched_ops *found;

	if (spec_name(spec, name, sizeof(name), e))
		return -1;
	found = sched_find(name);
	if (!found)
		return unknown(name, e);
	memset(params, 0, found->params_size);	/* schemes may share a struct but not every option */
	if (spec_params(spec, params, found->options, e))
		return -1;
	if (found->check && found->check(params, queues, e))
		return error_prefix(e, "%s: ", name);
	*ops = found;
	return 0;
}
