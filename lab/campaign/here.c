/* SPDX-License-Identifier: BSD-3-Clause */
/* here.c -- tasks in this process, one after the other: for runs that it shares with other ranks,
 * which a process made for a task could not talk to. */
#include "lab/campaign/executor.h"
#include "base/memory.h"
#include <stdlib.h>

struct executor {
	struct task_work work;
	struct running_task task;
	uint32_t count; /* 1: there is one */
};

static void say_nothing(struct task_voice *v, double share)
{
	(void)v, (void)share;
}

static int here_open(struct executor **out, const struct task_work *work, uint32_t jobs,
		     struct weir_error *e)
{
	struct executor *x = memory_zeroed(1, sizeof(*x));

	(void)jobs, (void)e;
	x->work = *work;
	*out = x;
	return 0;
}

static enum executor_answer here_submit(struct executor *x, uint64_t task, struct weir_error *e)
{
	(void)e;
	if (x->count)
		return EXECUTOR_FULL;
	x->task = (struct running_task){ task, 0 };
	x->count = 1;
	return EXECUTOR_TAKEN;
}

static int here_next(struct executor *x, struct task_result *r)
{
	struct task_voice voice = { say_nothing };

	*r = (struct task_result){ .task = x->task.task };
	r->end = x->work.perform(x->work.context, x->task.task, &voice, &r->error);
	x->count = 0;
	return 1;
}

static uint32_t here_running(const struct executor *x, const struct running_task **tasks)
{
	*tasks = &x->task;
	return x->count;
}

/* A task that has begun is ended already. */
static void here_stop(struct executor *x)
{
	(void)x;
}

static void here_close(struct executor *x)
{
	free(x);
}

const struct executor_ops executor_here = {
	.name = "here",
	.help = "in this process, one after the other",
	.open = here_open,
	.submit = here_submit,
	.next = here_next,
	.running = here_running,
	.stop = here_stop,
	.close = here_close,
};
