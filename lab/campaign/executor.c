/* SPDX-License-Identifier: BSD-3-Clause */
/* executor.c -- which executors there are, and how one of them gets through a list of tasks. */
#include "lab/campaign/executor.h"
#include <stddef.h>

const struct executor_ops *const executor_all[] = {
	&executor_processes,
	&executor_farm,
	NULL,
};

/* One list on its way. */
struct passage {
	const struct executor_ops *ops;
	const struct task_list *l;
	struct executor *x;
	uint64_t submitted, ended;
	int closed;  /* no further ones are to be started */
	int stopped; /* those under way were told to end */
};

/* As many as there may be. Where there is room for fewer, those have to do. */
static int submit_more(struct passage *p, struct weir_error *e)
{
	while (!p->closed && p->submitted < p->l->count) {
		enum executor_answer answer = p->ops->submit(p->x, p->l->tasks[p->submitted], e);

		if (answer == EXECUTOR_FAILED && p->submitted == p->ended)
			return -1;
		if (answer != EXECUTOR_TAKEN)
			return 0;
		p->submitted++;
	}
	return 0;
}

static void tick(struct passage *p)
{
	const struct running_task *running;
	uint32_t count = p->ops->running(p->x, &running);

	if (!p->l->tick(p->l->watcher, running, count) || p->stopped)
		return;
	p->closed = p->stopped = 1;
	p->ops->stop(p->x);
}

static void take_result(struct passage *p)
{
	struct task_result r;

	if (!p->ops->next(p->x, &r))
		return;
	p->ended++;
	/* What holds for one of them holds for all. */
	if (r.end == TASK_UNSTORED || r.end == TASK_STOPPED)
		p->closed = 1;
	p->l->ended(p->l->watcher, &r);
}

int executor_run(const struct executor_ops *ops, const struct task_list *l, struct weir_error *e)
{
	struct passage p = { .ops = ops, .l = l };
	int failed;

	if (ops->open(&p.x, &l->work, l->jobs, e))
		return -1;
	failed = submit_more(&p, e);
	while (!failed && p.ended < p.submitted) {
		tick(&p);
		take_result(&p);
		failed = submit_more(&p, e);
	}
	ops->close(p.x);
	return failed;
}
