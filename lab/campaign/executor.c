/* SPDX-License-Identifier: BSD-3-Clause */
/* executor.c -- the loop that passes a list of tasks to an executor, the in-process executor, and
 * payloads. */
#include "lab/campaign/executor.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- task loop --- */

enum { WAIT_MS = 200 };

struct slot {
	int is_busy;
	struct running_task running;
};

struct task_loop {
	const struct task_list *list;
	struct executor *x;
	struct slot *slots;
	uint32_t slot_count, busy;
	uint64_t next; /* next task of the list that was not assigned yet */
	uint32_t retry_count;
	uint64_t *retries; /* tasks to retry, because their slots were lost */
	struct running_task *running;
	int is_closed;    /* 1: no further tasks are started */
	int is_cancelled; /* 1: running tasks were cancelled */
};

static void loop_end_task(struct task_loop *l, const struct task_result *r)
{
	/* these ends affect every task */
	if (r->end == TASK_UNSTORED || r->end == TASK_STOPPED)
		l->is_closed = 1;
	l->list->ended(l->list->watcher, r);
}

/* Assigns tasks to free slots, retries first. A slot that refuses is tried again later. -1: no slot
 * accepts a task. */
static int loop_assign(struct task_loop *l, struct weir_error *e)
{
	const struct task_list *list = l->list;
	int failed = 0;

	for (uint32_t i = 0; i < l->slot_count; i++) {
		uint64_t task;

		if (l->slots[i].is_busy)
			continue;
		if (!l->retry_count && (l->is_closed || l->next == list->count))
			break;
		task = l->retry_count ? l->retries[l->retry_count - 1] : list->tasks[l->next];
		failed = l->x->ops->assign(l->x, i, task, e);
		if (failed)
			continue;
		if (l->retry_count)
			l->retry_count--;
		else
			l->next++;
		l->busy++;
		l->slots[i] = (struct slot){ 1, { task, 0 } };
	}
	return l->busy ? 0 : failed;
}

/* Drops retries after the user cancelled: they have no slot that could report their end. */
static void loop_drop_cancelled(struct task_loop *l)
{
	while (l->is_cancelled && l->retry_count) {
		const struct task_result r = { l->retries[--l->retry_count], TASK_STOPPED, { "" } };

		loop_end_task(l, &r);
	}
}

static void loop_tick(struct task_loop *l)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->slot_count; i++)
		if (l->slots[i].is_busy)
			l->running[count++] = l->slots[i].running;
	if (!l->list->tick(l->list->watcher, l->running, count) || l->is_cancelled)
		return;
	l->is_closed = l->is_cancelled = 1;
	for (uint32_t i = 0; i < l->slot_count; i++)
		if (l->slots[i].is_busy)
			l->x->ops->cancel(l->x, i);
	loop_drop_cancelled(l);
}

static void loop_receive(struct task_loop *l)
{
	struct executor_message m = { .end = TASK_DONE };
	struct slot *s;

	if (!l->x->ops->wait(l->x, WAIT_MS, &m))
		return;
	s = &l->slots[m.slot];
	if (m.kind == EXECUTOR_PROGRESS) {
		s->running.share = m.share;
	} else if (m.kind == EXECUTOR_LOST) {
		s->is_busy = 0;
		l->busy--;
		l->retries[l->retry_count++] = s->running.task;
	} else {
		const struct task_result r = { s->running.task, m.end, m.error };

		s->is_busy = 0;
		l->busy--;
		loop_end_task(l, &r);
	}
	loop_drop_cancelled(l);
	payload_free(&m.made);
}

int executor_run(const struct executor_ops *ops, const struct task_list *list, struct weir_error *e)
{
	struct task_loop l = { .list = list };
	int failed;

	l.x = ops->start(&list->work, list->jobs, &l.slot_count);
	l.slots = memory_zeroed(l.slot_count, sizeof(*l.slots));
	l.retries = memory_zeroed(l.slot_count, sizeof(*l.retries));
	l.running = memory_zeroed(l.slot_count, sizeof(*l.running));
	failed = loop_assign(&l, e);
	while (!failed && (l.busy || l.retry_count)) {
		loop_tick(&l);
		loop_receive(&l);
		failed = loop_assign(&l, e);
	}
	ops->end(l.x);
	free(l.slots);
	free(l.retries);
	free(l.running);
	return failed;
}

/* --- in-process executor: one task after the other. Required for runs shared with other ranks,
 * because a forked worker could not use their MPI communicator. --- */

struct inline_executor {
	struct executor base;
	struct task_work work;
	uint64_t task;
};

static struct executor *inline_start(const struct task_work *work, uint32_t jobs, uint32_t *slots)
{
	struct inline_executor *x = memory_zeroed(1, sizeof(*x));

	(void)jobs;
	x->base.ops = &executor_inline;
	x->work = *work;
	*slots = 1;
	return &x->base;
}

static int inline_assign(struct executor *base, uint32_t slot, uint64_t task, struct weir_error *e)
{
	(void)slot, (void)e;
	((struct inline_executor *)base)->task = task;
	return 0;
}

static void inline_report_share(struct task_output *o, double share)
{
	(void)o, (void)share;
}

static int inline_wait(struct executor *base, int wait_ms, struct executor_message *m)
{
	struct inline_executor *x = (struct inline_executor *)base;
	struct task_output out = { .report_share = inline_report_share };

	(void)wait_ms;
	m->kind = EXECUTOR_RESULT;
	m->slot = 0;
	m->end = x->work.perform(x->work.context, x->task, &out, &m->error);
	m->made = out.made;
	return 1;
}

/* Nothing to do: wait returns only when the task has ended. */
static void inline_cancel(struct executor *base, uint32_t slot)
{
	(void)base, (void)slot;
}

static void inline_end(struct executor *base)
{
	free(base);
}

const struct executor_ops executor_inline = {
	.start = inline_start,
	.assign = inline_assign,
	.wait = inline_wait,
	.cancel = inline_cancel,
	.end = inline_end,
};

/* --- payloads --- */

enum { NUMBER_BYTES = 8 };

void payload_free(struct payload *p)
{
	free(p->bytes);
	memset(p, 0, sizeof(*p));
}

void payload_put_bytes(struct payload *p, const void *bytes, size_t size)
{
	if (p->size + size > p->room) {
		p->room = 2 * (p->size + size);
		p->bytes = memory_grow(p->bytes, p->room, 1);
	}
	if (size)
		memcpy(p->bytes + p->size, bytes, size);
	p->size += size;
}

void payload_put_number(struct payload *p, uint64_t number)
{
	unsigned char bytes[NUMBER_BYTES];

	for (int i = 0; i < NUMBER_BYTES; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	payload_put_bytes(p, bytes, sizeof(bytes));
}

/* Includes the terminating zero, so that the text can be read in place. */
void payload_put_text(struct payload *p, const char *text)
{
	payload_put_bytes(p, text, strlen(text) + 1);
}

uint64_t payload_number(struct payload_reader *r)
{
	uint64_t number = 0;

	if (r->left < NUMBER_BYTES) {
		r->is_truncated = 1;
		return 0;
	}
	for (int i = 0; i < NUMBER_BYTES; i++)
		number |= (uint64_t)r->at[i] << (8 * i);
	r->at += NUMBER_BYTES;
	r->left -= NUMBER_BYTES;
	return number;
}

const char *payload_text(struct payload_reader *r)
{
	const char *text = (const char *)r->at;
	const unsigned char *end = r->left ? memchr(r->at, '\0', r->left) : NULL;

	if (!end) {
		r->is_truncated = 1;
		return "";
	}
	r->left -= (size_t)(end - r->at) + 1;
	r->at = end + 1;
	return text;
}
