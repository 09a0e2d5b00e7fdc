/* serve.c -- see serve.h. */
#define _GNU_SOURCE
#include "keeper/run/serve.h"
#include "sim/base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A switch that does not answer when it is to have its originals back is asked again for a while. */
enum { STOP_TRIES = 5, STOP_PAUSE_S = 1 };

/* All that is open while a keeper works. */
struct service {
	const struct keeper_plan *plan;
	void *driver;
	char journal[WEIR_OPT_TEXT_SIZE];
	int lock, signals;
	struct keeper_desk desk;
	struct keeper_log log;
};

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec + 1;
}

/* --- restoring --- */

static int refuse_unrestored(const struct service *s, uint32_t left, struct weir_error *e)
{
	return weir_error_set(e,
			      "%" PRIu32
			      " profile%s not restored; %s keeps the originals: 'weir keeper "
			      "restore %s' puts them back",
			      left, left == 1 ? " is" : "s are", s->journal, s->plan->file);
}

/* What an earlier keeper has left. */
static int restore_left(struct service *s, struct weir_error *e)
{
	struct keeper_record *records;
	uint32_t count, left;

	if (keeper_journal_load(s->journal, &records, &count, e))
		return -1;
	if (!records)
		return 0;
	left = keeper_restore(s->plan, s->driver, records, count, keeper_log_restored, &s->log);
	free(records);
	if (left)
		return refuse_unrestored(s, left, e);
	keeper_journal_remove(s->journal);
	return 0;
}

static int stop(struct service *s, struct keeper *k, struct weir_error *e)
{
	uint32_t left = 1;

	for (int i = 0; i < STOP_TRIES && left; i++) {
		if (i)
			sleep(STOP_PAUSE_S);
		left = keeper_stop(k, keeper_log_restored, &s->log);
	}
	return left ? refuse_unrestored(s, left, e) : 0;
}

/* --- opening --- */

static int open_signals(struct service *s, struct weir_error *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return weir_error_set(e, "signals cannot be waited for: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return 0;
}

static void service_close(struct service *s)
{
	keeper_desk_close(&s->desk);
	if (s->signals >= 0)
		close(s->signals);
	if (s->driver)
		s->plan->driver->close(s->driver);
	keeper_journal_unlock(s->lock);
}

/* The driver and the journal; who only watches has none. */
static int service_open(struct service *s, const struct keeper_plan *plan, enum keeper_mode mode,
			struct weir_error *e)
{
	memset(s, 0, sizeof(*s));
	s->plan = plan;
	s->lock = s->signals = s->desk.fd = -1;
	s->log.out = stdout;
	keeper_plan_journal(plan, s->journal);
	signal(SIGPIPE, SIG_IGN);
	s->driver = plan->driver->open(plan->driver_params, plan, e);
	if (s->driver && (mode == KEEPER_DRY || keeper_journal_lock(s->journal, &s->lock, e) == 0))
		return 0;
	service_close(s);
	return -1;
}

/* --- working --- */

static void hear_news(struct service *s, struct keeper *k)
{
	int64_t profile;

	while ((profile = s->plan->driver->news(s->driver)) >= 0)
		keeper_notice(k, (uint32_t)profile);
}

/* Waits until the time, or until a signal says that this is the end. */
static int wait_until(struct service *s, struct keeper *k, int64_t time_ns)
{
	int (*news_fd)(void *driver) = s->plan->driver->news_fd;

	while (!s->desk.stops) {
		struct pollfd polled[] = { { .fd = s->signals, .events = POLLIN },
					   { .fd = s->desk.fd, .events = POLLIN },
					   { .fd = news_fd ? news_fd(s->driver) : -1,
					     .events = POLLIN } };
		int64_t left_ns = time_ns - clock_ns();
		struct timespec t = { left_ns / WEIR_NS_PER_S, left_ns % WEIR_NS_PER_S };

		if (left_ns <= 0)
			return 0;
		if (ppoll(polled, 3, &t, NULL) <= 0)
			continue;
		if (polled[0].revents)
			return 1;
		if (polled[1].revents)
			keeper_desk_serve(&s->desk, k, &s->log);
		if (polled[2].revents)
			hear_news(s, k);
	}
	return 1;
}

/* A step that took longer than an interval is followed by the next at once, and those that were missed are left
 * out. */
static void work(struct service *s, struct keeper *k)
{
	const int64_t interval_ns = (int64_t)s->plan->options.interval_ns;
	int64_t next_ns = clock_ns();

	do {
		keeper_step(k, clock_ns());
		next_ns += interval_ns;
		if (next_ns < clock_ns())
			next_ns = clock_ns() + 1;
	} while (!wait_until(s, k, next_ns));
}

static int is_ended(const struct service *s)
{
	struct pollfd polled = { .fd = s->signals, .events = POLLIN };

	return poll(&polled, 1, 0) > 0;
}

/* In virtual time, from one step to the next without waiting. */
static int rehearse(struct service *s, struct keeper *k, struct weir_error *e)
{
	int64_t time_ns = 1;

	e->text[0] = '\0';
	do {
		keeper_step(k, time_ns);
		time_ns += (int64_t)s->plan->options.interval_ns;
	} while (!is_ended(s) && s->plan->driver->advance(s->driver, time_ns, e) == KEEPER_GOES_ON);
	if (!e->text[0] && s->plan->driver->report)
		s->plan->driver->report(s->driver, s->log.out);
	return e->text[0] ? -1 : 0;
}

static int run(struct service *s, enum keeper_mode mode, struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE];
	struct keeper k;
	int failed = 0, is_virtual = s->plan->driver->advance != NULL;

	keeper_plan_socket(s->plan, path);
	if ((mode == KEEPER_LIVE && restore_left(s, e)) || open_signals(s, e))
		return -1;
	if (!is_virtual && keeper_desk_open(&s->desk, path, e))
		return -1;
	keeper_init(&k, &(struct keeper_parts){ s->plan, s->driver, mode, s->journal,
						keeper_log_event, &s->log });
	if (is_virtual)
		failed = rehearse(s, &k, e);
	else
		work(s, &k);
	failed = failed || stop(s, &k, e);
	keeper_free(&k);
	return failed;
}

int keeper_serve(const struct keeper_plan *plan, enum keeper_mode mode, struct weir_error *e)
{
	struct service *s = memory_zeroed(1, sizeof(*s));
	int failed = service_open(s, plan, mode, e);

	if (!failed) {
		failed = run(s, mode, e);
		service_close(s);
	}
	free(s);
	return failed;
}

int keeper_restore_after_crash(const struct keeper_plan *plan, struct weir_error *e)
{
	struct service *s = memory_zeroed(1, sizeof(*s));
	int failed = service_open(s, plan, KEEPER_LIVE, e);

	if (!failed) {
		failed = restore_left(s, e);
		service_close(s);
	}
	free(s);
	return failed;
}
