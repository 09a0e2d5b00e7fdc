/* SPDX-License-Identifier: BSD-3-Clause */
/* executor_mpi.c -- tasks on the ranks of one mpirun: rank 0 assigns tasks and stores results,
 * every other rank does one task at a time. Rank 0 also has workers of its own
 * (executor_processes.c) so that its node's cores are used; their slots follow those of the ranks.
 *
 * A rank forks a worker for its task and sends a heartbeat twice a second. After ten seconds of
 * silence the rank counts as lost and its task is retried in another slot. The rank is available
 * again once it has delivered the late result, which is dropped. Whether other ranks survive a
 * crash is up to mpirun: by default they do not, but all stored results are kept; with
 * --enable-recovery the campaign continues. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/executor.h"
#include "base/clock.h"
#include "base/memory.h"
#include "sim/parallel/mpi_world.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

enum message_kind {
	MESSAGE_TASK = 1, /* to a rank: assignment number, and the task's payload */
	MESSAGE_CANCEL,   /* to a rank: end the task now */
	MESSAGE_DISMISS,  /* to a rank: exit; carries the number of lost ranks */
	MESSAGE_ALIVE,    /* from a rank, heartbeat: assignment number, share */
	MESSAGE_RESULT,   /* from a rank: assignment number, end, error, and what the task made */
};

enum { POLL_MS = 1 };

#define ALIVE_NS (WEIR_NS_PER_S / 2)
#define LOST_NS (10 * (int64_t)WEIR_NS_PER_S)
#define ORPHANED_NS (3600 * (int64_t)WEIR_NS_PER_S)
#define SHARE_UNIT 1e6 /* shares are sent as integers, in millionths */

/* --- ranks other than 0 --- */

struct mpi_server {
	task_service *serve;
	struct executor *worker; /* executor_processes with one slot */
	struct payload asked;
	uint64_t assignment;
	double share;
	int64_t received_ns, reported_ns;
	int is_busy, is_dismissed;
};

static enum task_end mpi_server_perform(void *context, uint64_t task, struct task_output *out,
					struct weir_error *e)
{
	const struct mpi_server *s = context;

	(void)task;
	return s->serve(&s->asked, out, e);
}

static void mpi_send_result(uint64_t assignment, enum task_end end, const struct weir_error *e,
			    const struct payload *made)
{
	struct payload p = { NULL, 0, 0 };

	if (made->size > WORLD_MESSAGE_BYTES_MAX / 2) {
		const struct payload none = { NULL, 0, 0 };
		struct weir_error too_large;

		weir_error_set(&too_large,
			       "its result has %zu bytes, more than a message between processes "
			       "takes; sample less often, or run it alone",
			       made->size);
		mpi_send_result(assignment, TASK_FAILED, &too_large, &none);
		return;
	}
	payload_put_number(&p, assignment);
	payload_put_number(&p, (uint64_t)end);
	payload_put_text(&p, e->text);
	payload_put_bytes(&p, made->bytes, made->size);
	world_send(0, MESSAGE_RESULT, p.bytes, p.size);
	payload_free(&p);
}

static void mpi_server_begin(struct mpi_server *s, const struct world_message *m)
{
	struct payload_reader r = { m->bytes, m->size, 0 };
	const struct payload none = { NULL, 0, 0 };
	struct weir_error e;

	s->assignment = payload_number(&r);
	s->share = 0;
	payload_free(&s->asked);
	payload_put_bytes(&s->asked, r.at, r.left);
	s->is_busy = s->worker->ops->assign(s->worker, 0, 0, &e) == 0;
	if (!s->is_busy)
		mpi_send_result(s->assignment, TASK_FAILED, &e, &none);
}

static void mpi_server_handle(struct mpi_server *s, const struct world_message *m)
{
	struct payload_reader r = { m->bytes, m->size, 0 };

	s->received_ns = clock_ns();
	if (m->kind == MESSAGE_TASK && !s->is_busy) {
		mpi_server_begin(s, m);
	} else if (m->kind == MESSAGE_CANCEL && s->is_busy) {
		s->worker->ops->cancel(s->worker, 0);
	} else if (m->kind == MESSAGE_DISMISS) {
		s->is_dismissed = 1;
		if (payload_number(&r))
			world_set_lost(0, 1);
	}
}

/* Forwards the worker's messages to rank 0. */
static void mpi_server_relay(struct mpi_server *s)
{
	struct executor_message m = { .end = TASK_DONE };
	struct payload alive = { NULL, 0, 0 };

	if (s->worker->ops->wait(s->worker, POLL_MS, &m)) {
		if (m.kind == EXECUTOR_RESULT) {
			s->is_busy = 0;
			mpi_send_result(s->assignment, m.end, &m.error, &m.made);
			payload_free(&m.made);
		} else {
			s->share = m.share;
		}
	}
	if (!s->is_busy || clock_ns() - s->reported_ns < ALIVE_NS)
		return;
	s->reported_ns = clock_ns();
	payload_put_number(&alive, s->assignment);
	payload_put_number(&alive, (uint64_t)(s->share * SHARE_UNIT));
	world_send(0, MESSAGE_ALIVE, alive.bytes, alive.size);
	payload_free(&alive);
}

void executor_mpi_serve(task_service *serve)
{
	struct mpi_server s = { .serve = serve,
				.received_ns = clock_ns(),
				.reported_ns = clock_ns() };
	const struct task_work work = { .context = &s, .perform = mpi_server_perform };
	struct world_message m;
	uint32_t slots;

	s.worker = executor_processes.start(&work, 1, &slots);
	while (!s.is_dismissed && (s.is_busy || clock_ns() - s.received_ns <= ORPHANED_NS)) {
		while (world_receive(&m)) {
			mpi_server_handle(&s, &m);
			free(m.bytes);
		}
		mpi_server_relay(&s);
	}
	executor_processes.end(s.worker);
	payload_free(&s.asked);
}

/* --- rank 0 --- */

struct mpi_rank {
	int is_busy;
	uint64_t task, assignment;
	int64_t received_ns;
};

struct mpi_executor {
	struct executor base;
	struct task_work work;
	uint32_t rank_count;
	struct mpi_rank *ranks; /* by slot: ranks[slot] is MPI rank slot + 1 */
	struct executor *own;   /* local workers; their slots follow those of the ranks */
	uint64_t assignments; /* last assignment number; each assignment of a task to a rank has its
				 own */
};

static struct executor *mpi_start(const struct task_work *work, uint32_t jobs, uint32_t *slots)
{
	struct mpi_executor *x = memory_zeroed(1, sizeof(*x));

	x->base.ops = &executor_mpi;
	x->work = *work;
	x->rank_count = work->pack ? (uint32_t)world_size() - 1 : 0;
	x->ranks = memory_zeroed(x->rank_count, sizeof(*x->ranks));
	x->own = executor_processes.start(work, jobs, slots);
	/* Numbers start above those of earlier campaigns in this process. */
	x->assignments = (uint64_t)clock_ns();
	*slots += x->rank_count;
	return &x->base;
}

static int mpi_assign(struct executor *base, uint32_t slot, uint64_t task, struct weir_error *e)
{
	struct mpi_executor *x = (struct mpi_executor *)base;
	struct payload asked = { NULL, 0, 0 }, p = { NULL, 0, 0 };
	struct mpi_rank *r;
	int rank = (int)slot + 1;

	if (slot >= x->rank_count)
		return x->own->ops->assign(x->own, slot - x->rank_count, task, e);
	if (world_is_lost(rank))
		return weir_error_set(e, "rank %d cannot be reached", rank);
	if (x->work.pack(x->work.context, task, &asked, e)) {
		payload_free(&asked);
		return -1;
	}
	r = &x->ranks[slot];
	*r = (struct mpi_rank){ 1, task, ++x->assignments, clock_ns() };
	payload_put_number(&p, r->assignment);
	payload_put_bytes(&p, asked.bytes, asked.size);
	r->is_busy = world_send(rank, MESSAGE_TASK, p.bytes, p.size) == 0;
	payload_free(&p);
	payload_free(&asked);
	return r->is_busy ? 0 : weir_error_set(e, "rank %d cannot be reached", rank);
}

/* Receives a result. The late result of a lost rank is dropped, and the rank is available again. 1:
 * m is valid. */
static int mpi_receive_result(struct mpi_executor *x, struct mpi_rank *rank,
			      const struct world_message *from, struct executor_message *m)
{
	struct payload_reader reader = { from->bytes, from->size, 0 };
	uint64_t assignment = payload_number(&reader);
	struct payload made;

	world_set_lost(from->from, 0);
	if (!rank->is_busy || assignment != rank->assignment)
		return 0;
	rank->is_busy = 0;
	m->kind = EXECUTOR_RESULT;
	m->end = (enum task_end)payload_number(&reader);
	weir_error_set(&m->error, "%s", payload_text(&reader));
	if (reader.is_truncated) {
		m->end = TASK_FAILED;
		weir_error_set(&m->error, "what rank %d sent is torn", from->from);
	}
	if (m->end != TASK_DONE)
		return 1;
	made = (struct payload){ from->bytes + (from->size - reader.left), reader.left, 0 };
	m->end = x->work.keep(x->work.context, rank->task, &made, &m->error);
	return 1;
}

static int mpi_read(struct mpi_executor *x, const struct world_message *from,
		    struct executor_message *m)
{
	struct payload_reader reader = { from->bytes, from->size, 0 };
	struct mpi_rank *rank;

	if (from->from < 1 || (uint32_t)from->from > x->rank_count)
		return 0;
	m->slot = (uint32_t)from->from - 1;
	rank = &x->ranks[m->slot];
	rank->received_ns = clock_ns();
	if (from->kind == MESSAGE_RESULT)
		return mpi_receive_result(x, rank, from, m);
	if (from->kind != MESSAGE_ALIVE || !rank->is_busy ||
	    payload_number(&reader) != rank->assignment)
		return 0;
	m->kind = EXECUTOR_PROGRESS;
	m->share = (double)payload_number(&reader) / SHARE_UNIT;
	return 1;
}

static int mpi_find_lost(struct mpi_executor *x, struct executor_message *m)
{
	for (uint32_t i = 0; i < x->rank_count; i++) {
		struct mpi_rank *r = &x->ranks[i];

		if (!r->is_busy || clock_ns() - r->received_ns < LOST_NS)
			continue;
		world_set_lost((int)i + 1, 1);
		r->is_busy = 0;
		m->kind = EXECUTOR_LOST;
		m->slot = i;
		return 1;
	}
	return 0;
}

static int mpi_wait(struct executor *base, int wait_ms, struct executor_message *m)
{
	struct mpi_executor *x = (struct mpi_executor *)base;
	struct world_message from;
	int found = 0;

	(void)wait_ms; /* MPI has no wait with a timeout, so it is polled */
	while (!found && world_receive(&from)) {
		found = mpi_read(x, &from, m);
		free(from.bytes);
	}
	if (found)
		return 1;
	if (!x->own->ops->wait(x->own, POLL_MS, m))
		return mpi_find_lost(x, m);
	m->slot += x->rank_count;
	return 1;
}

static void mpi_cancel(struct executor *base, uint32_t slot)
{
	struct mpi_executor *x = (struct mpi_executor *)base;

	if (slot < x->rank_count)
		world_send((int)slot + 1, MESSAGE_CANCEL, NULL, 0);
	else
		x->own->ops->cancel(x->own, slot - x->rank_count);
}

static void mpi_end(struct executor *base)
{
	struct mpi_executor *x = (struct mpi_executor *)base;

	x->own->ops->end(x->own);
	free(x->ranks);
	free(x);
}

void executor_mpi_dismiss(void)
{
	struct payload p = { NULL, 0, 0 };

	payload_put_number(&p, (uint64_t)world_lost());
	for (int i = 1; i < world_size(); i++)
		world_send(i, MESSAGE_DISMISS, p.bytes, p.size);
	payload_free(&p);
	world_flush();
}

const struct executor_ops executor_mpi = {
	.start = mpi_start,
	.assign = mpi_assign,
	.wait = mpi_wait,
	.cancel = mpi_cancel,
	.end = mpi_end,
};
