/* SPDX-License-Identifier: BSD-3-Clause */
/* farm.c -- tasks on the processes of one mpirun: the first hands them out and puts away what comes
 * back, each of the others does one at a time. The first has a helper or more of its own, so that
 * no core is idle.
 *
 * A rank has its task done by a helper (helper.h) and says twice a second that it is still there.
 * Of one that is silent for ten seconds the task is given to another; should it speak up again, it
 * is one of us again. Whether mpirun lets the others live when a process dies is its business: by
 * default it does not, then all that came back before is kept; with --enable-recovery the campaign
 * goes on. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/farm.h"
#include "base/clock.h"
#include "lab/campaign/helper.h"
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum letter_kind {
	LETTER_TASK = 1, /* to a rank: errand, and what is asked */
	LETTER_STOP,     /* the task is to end now */
	LETTER_LEAVE,    /* how many are lost */
	LETTER_ALIVE,    /* from a rank: errand, share */
	LETTER_RESULT,   /* errand, end, error, and what was made */
};

enum { NAP_MS = 1 };

#define ALIVE_NS (WEIR_NS_PER_S / 2)
#define LOST_NS (10 * (int64_t)WEIR_NS_PER_S)
#define FORSAKEN_NS (3600 * (int64_t)WEIR_NS_PER_S)
#define SHARE_UNIT 1e6 /* a share travels as a whole number */

static void nap(void)
{
	const struct timespec time = { 0, NAP_MS * 1000 * 1000 };

	nanosleep(&time, NULL);
}

/* --- in a rank that serves --- */

struct server {
	task_service *serve;
	struct parcel asked;
	uint64_t errand;
	struct helper helper;
	int64_t heard_ns, told_ns;
	int has_leave;
};

static enum task_end do_asked(void *context, struct parcel *made, struct task_voice *v,
			      struct weir_error *e)
{
	const struct server *s = context;

	return s->serve(&s->asked, made, v, e);
}

static void send_result(uint64_t errand, enum task_end end, const struct weir_error *e,
			const struct parcel *made)
{
	struct weir_error too_large;
	struct parcel p = { NULL, 0, 0 };

	if (made->size > WORLD_MESSAGE_BYTES_MAX / 2) {
		weir_error_set(&too_large,
			       "its result has %zu bytes, more than a message between processes "
			       "takes; sample less often, or run it alone",
			       made->size);
		send_result(errand, TASK_FAILED, &too_large, &p);
		return;
	}
	parcel_put_number(&p, errand);
	parcel_put_number(&p, (uint64_t)end);
	parcel_put_text(&p, e->text);
	parcel_put_rest(&p, made->bytes, made->size);
	world_send(0, LETTER_RESULT, p.bytes, p.size);
	parcel_free(&p);
}

static void begin_task(struct server *s, const struct world_message *l)
{
	struct parcel_reader r = { l->bytes, l->size, 0 };
	const struct parcel none = { NULL, 0, 0 };
	struct weir_error e;

	s->errand = parcel_number(&r);
	parcel_free(&s->asked);
	parcel_put_rest(&s->asked, r.at, r.left);
	if (helper_start(&s->helper, do_asked, s, &e))
		send_result(s->errand, TASK_FAILED, &e, &none);
}

static void obey(struct server *s, const struct world_message *l)
{
	struct parcel_reader r = { l->bytes, l->size, 0 };

	if (l->kind == LETTER_TASK && !s->helper.pid)
		begin_task(s, l);
	else if (l->kind == LETTER_STOP)
		helper_stop(&s->helper);
	else if (l->kind == LETTER_LEAVE) {
		s->has_leave = 1;
		if (parcel_number(&r))
			world_set_lost(0, 1);
	}
}

static void tell_alive(struct server *s)
{
	struct parcel p = { NULL, 0, 0 };

	s->told_ns = clock_ns();
	parcel_put_number(&p, s->errand);
	parcel_put_number(&p, (uint64_t)(s->helper.share * SHARE_UNIT));
	world_send(0, LETTER_ALIVE, p.bytes, p.size);
	parcel_free(&p);
}

static void work_on(struct server *s)
{
	struct parcel made;

	if (!s->helper.pid) {
		nap();
		return;
	}
	if (helper_listen(&s->helper, NAP_MS, &made)) {
		send_result(s->errand, s->helper.end, &s->helper.error, &made);
		parcel_free(&made);
	} else if (clock_ns() - s->told_ns >= ALIVE_NS) {
		tell_alive(s);
	}
}

void farm_serve(task_service *serve)
{
	struct server s = { .serve = serve, .heard_ns = clock_ns(), .told_ns = clock_ns() };
	struct world_message l;

	while (!s.has_leave) {
		while (world_receive(&l)) {
			s.heard_ns = clock_ns();
			obey(&s, &l);
			free(l.bytes);
		}
		work_on(&s);
		if (!s.helper.pid && clock_ns() - s.heard_ns > FORSAKEN_NS)
			break;
	}
	parcel_free(&s.asked);
}

/* --- in the first one --- */

/* Who may do a task: a helper of our own, or a rank. */
struct seat {
	int rank; /* 0: a helper of our own */
	struct helper helper;
	int is_busy;
	uint64_t task, errand;
	double share;
	int64_t heard_ns;
};

struct executor {
	struct task_work work;
	uint32_t own, count;
	struct seat *seats; /* our own helpers first */
	uint64_t errands;   /* a number for each time that something is handed out */
	uint32_t again_count;
	uint64_t *again; /* tasks whose rank was lost */
	struct running_task *running;
	int stopped;
};

static int farm_open(struct executor **out, const struct task_work *work, uint32_t jobs,
		     struct weir_error *e)
{
	uint32_t ranks = work->pack ? (uint32_t)world_size() - 1 : 0;
	struct executor *x = memory_zeroed(1, sizeof(*x));

	(void)e;
	x->work = *work;
	x->own = jobs;
	x->count = jobs + ranks;
	x->seats = memory_zeroed(x->count, sizeof(*x->seats));
	x->again = memory_zeroed(x->count, sizeof(*x->again));
	x->running = memory_zeroed(x->count, sizeof(*x->running));
	x->errands = (uint64_t)clock_ns(); /* none that an earlier campaign has used */
	for (uint32_t i = jobs; i < x->count; i++)
		x->seats[i].rank = (int)(i - jobs) + 1;
	*out = x;
	return 0;
}

static void farm_close(struct executor *x)
{
	free(x->seats);
	free(x->again);
	free(x->running);
	free(x);
}

/* What a helper of our own is told. */
struct own_errand {
	const struct executor *executor;
	uint64_t task;
	const struct parcel *asked;
};

static enum task_end do_own(void *context, struct parcel *made, struct task_voice *v,
			    struct weir_error *e)
{
	const struct own_errand *o = context;
	const struct executor *x = o->executor;

	/* Whose pipes we hold open would not notice that their reader is gone. */
	for (uint32_t i = 0; i < x->own; i++)
		if (x->seats[i].is_busy)
			close(x->seats[i].helper.fd);
	return x->work.pack ? x->work.serve(o->asked, made, v, e)
			    : x->work.perform(x->work.context, o->task, v, e);
}

static int send_errand(struct seat *s, uint64_t errand, const struct parcel *asked,
		       struct weir_error *e)
{
	struct parcel p = { NULL, 0, 0 };
	int failed;

	parcel_put_number(&p, errand);
	parcel_put_rest(&p, asked->bytes, asked->size);
	failed = world_send(s->rank, LETTER_TASK, p.bytes, p.size);
	parcel_free(&p);
	return failed ? weir_error_set(e, "rank %d cannot be reached", s->rank) : 0;
}

static int hand_out(struct executor *x, struct seat *s, uint64_t task, struct weir_error *e)
{
	struct parcel asked = { NULL, 0, 0 };
	struct own_errand own = { x, task, &asked };
	int failed = x->work.pack && x->work.pack(x->work.context, task, &asked, e);

	if (!failed)
		failed = s->rank ? send_errand(s, ++x->errands, &asked, e)
				 : helper_start(&s->helper, do_own, &own, e);
	parcel_free(&asked);
	if (failed)
		return -1;
	s->is_busy = 1;
	s->task = task;
	s->errand = x->errands;
	s->share = 0;
	s->heard_ns = clock_ns();
	return 0;
}

/* The others before ourselves; NULL: all are busy. */
static struct seat *free_seat(struct executor *x)
{
	for (uint32_t i = x->count; i-- > 0;)
		if (!x->seats[i].is_busy && !world_is_lost(x->seats[i].rank))
			return &x->seats[i];
	return NULL;
}

static enum executor_answer farm_submit(struct executor *x, uint64_t task, struct weir_error *e)
{
	struct seat *s = x->again_count ? NULL : free_seat(x);

	if (!s)
		return EXECUTOR_FULL;
	return hand_out(x, s, task, e) ? EXECUTOR_FAILED : EXECUTOR_TAKEN;
}

/* How the task of a seat ended, and what becomes of what it made. */
static void conclude(struct executor *x, struct seat *s, const struct parcel *made,
		     struct task_result *r)
{
	s->is_busy = 0;
	r->task = s->task;
	if (r->end == TASK_DONE && x->work.pack)
		r->end = x->work.keep(x->work.context, s->task, made, &r->error);
}

static int take_result(struct executor *x, struct seat *s, const struct world_message *l,
		       struct task_result *r)
{
	struct parcel_reader reader = { l->bytes, l->size, 0 };
	uint64_t errand = parcel_number(&reader);
	struct parcel made;

	if (!s->is_busy || errand != s->errand)
		return 0;
	r->end = (enum task_end)parcel_number(&reader);
	weir_error_set(&r->error, "%s", parcel_text(&reader));
	if (reader.is_torn) {
		r->end = TASK_FAILED;
		weir_error_set(&r->error, "what rank %d sent is torn", s->rank);
	}
	made = (struct parcel){ l->bytes + (l->size - reader.left), reader.left, 0 };
	conclude(x, s, &made, r);
	return 1;
}

/* 1: a task has ended. */
static int read_letter(struct executor *x, const struct world_message *l, struct task_result *r)
{
	uint32_t i = x->own + (uint32_t)l->from - 1;
	struct parcel_reader reader = { l->bytes, l->size, 0 };
	struct seat *s;

	if (l->from < 1 || i >= x->count)
		return 0;
	s = &x->seats[i];
	s->heard_ns = clock_ns();
	world_set_lost(l->from, 0);
	if (l->kind == LETTER_RESULT)
		return take_result(x, s, l, r);
	if (l->kind == LETTER_ALIVE && s->is_busy && parcel_number(&reader) == s->errand)
		s->share = (double)parcel_number(&reader) / SHARE_UNIT;
	return 0;
}

static int next_letter(struct executor *x, struct task_result *r)
{
	struct world_message l;
	int ended = 0;

	while (!ended && world_receive(&l)) {
		ended = read_letter(x, &l, r);
		free(l.bytes);
	}
	return ended;
}

static int next_own(struct executor *x, struct task_result *r)
{
	struct parcel made;
	int wait_ms = NAP_MS;

	for (uint32_t i = 0; i < x->own; i++) {
		struct seat *s = &x->seats[i];

		if (!s->is_busy)
			continue;
		if (helper_listen(&s->helper, wait_ms, &made)) {
			r->end = s->helper.end;
			r->error = s->helper.error;
			conclude(x, s, &made, r);
			parcel_free(&made);
			return 1;
		}
		s->share = s->helper.share;
		wait_ms = 0;
	}
	if (wait_ms)
		nap();
	return 0;
}

/* Tasks of ranks that are silent are done again, by whoever is free. */
static void find_lost(struct executor *x)
{
	for (uint32_t i = x->own; i < x->count; i++) {
		struct seat *s = &x->seats[i];

		if (!s->is_busy || clock_ns() - s->heard_ns < LOST_NS)
			continue;
		world_set_lost(s->rank, 1);
		s->is_busy = 0;
		x->again[x->again_count++] = s->task;
	}
}

static int hand_out_again(struct executor *x, struct task_result *r)
{
	while (x->again_count) {
		struct seat *s = x->stopped ? NULL : free_seat(x);

		if (!s && !x->stopped)
			return 0;
		if (s && hand_out(x, s, x->again[x->again_count - 1], &r->error) == 0) {
			x->again_count--;
			continue;
		}
		r->task = x->again[--x->again_count];
		r->end = x->stopped ? TASK_STOPPED : TASK_FAILED;
		return 1;
	}
	return 0;
}

static int farm_next(struct executor *x, struct task_result *r)
{
	memset(r, 0, sizeof(*r));
	if (next_letter(x, r) || next_own(x, r))
		return 1;
	find_lost(x);
	return hand_out_again(x, r);
}

static uint32_t farm_running(const struct executor *x, const struct running_task **tasks)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < x->count; i++)
		if (x->seats[i].is_busy)
			x->running[count++] =
				(struct running_task){ x->seats[i].task, x->seats[i].share };
	*tasks = x->running;
	return count;
}

static void farm_stop(struct executor *x)
{
	x->stopped = 1;
	for (uint32_t i = 0; i < x->count; i++) {
		if (x->seats[i].is_busy && x->seats[i].rank)
			world_send(x->seats[i].rank, LETTER_STOP, NULL, 0);
		else if (x->seats[i].is_busy)
			helper_stop(&x->seats[i].helper);
	}
}

void farm_dismiss(void)
{
	struct parcel p = { NULL, 0, 0 };

	parcel_put_number(&p, (uint64_t)world_lost());
	for (int i = 1; i < world_size(); i++)
		world_send(i, LETTER_LEAVE, p.bytes, p.size);
	parcel_free(&p);
	world_flush();
}

const struct executor_ops executor_farm = {
	.name = "farm",
	.help = "the processes of one mpirun, one run each at a time",
	.open = farm_open,
	.submit = farm_submit,
	.next = farm_next,
	.running = farm_running,
	.stop = farm_stop,
	.close = farm_close,
};
