/* SPDX-License-Identifier: BSD-3-Clause */
/* service.c -- the main loop of a keeper, its event log, and restore and release without one.
 * Contract in service.h. */
#define _GNU_SOURCE
#include "keeper/service/service.h"
#include "base/text.h"
#include "keeper/core/keeper.h"
#include "keeper/core/originals.h"
#include "base/http_server.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

const struct keeper_driver_ops *const keeper_driver_all[] = {
	&keeper_driver_sonic, &keeper_driver_tc, &keeper_driver_weir, &keeper_driver_sim, NULL,
};

const struct registry keeper_driver_registry = REGISTRY("driver", keeper_driver_all);

/* Restoring the originals is retried for a while if the switch does not answer. */
enum { STOP_TRIES = 5, STOP_PAUSE_S = 1 };

/* Resources of a running keeper. */
struct service {
	const struct keeper_plan *plan;
	struct keeper_plan *own; /* the plan after a reload */
	const struct registry *drivers;
	void *driver;
	char journal[WEIR_OPT_TEXT_SIZE];
	int lock, signals;
	struct keeper_control control;
	struct keeper_originals originals; /* left by an earlier keeper */
	struct keeper_http page;
	struct http_server http_server;
	struct keeper_log log;
};

/* --- restoring --- */

static int service_stop(struct service *s, struct keeper *k, struct weir_error *e)
{
	struct keeper_stopped stopped = { 0, 1 };

	for (int i = 0; i < STOP_TRIES && stopped.unanswered; i++) {
		if (i)
			sleep(STOP_PAUSE_S);
		stopped = keeper_stop(k, keeper_log_restored, &s->log);
	}
	return stopped.left ? keeper_originals_refuse(s->plan, s->journal, stopped.left, e) : 0;
}

/* --- start --- */

static int service_open_signals(struct service *s, struct weir_error *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return weir_error_set(e, "signalfd failed: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, NULL);
	return 0;
}

static void service_free_plan(struct service *s)
{
	if (s->own)
		keeper_plan_free(s->own);
	free(s->own);
	s->own = NULL;
}

static void service_close(struct service *s)
{
	keeper_control_close(&s->control);
	free(s->originals.records);
	http_server_close(&s->http_server);
	if (s->signals >= 0)
		close(s->signals);
	if (s->driver)
		s->plan->driver->close(s->driver);
	keeper_journal_unlock(s->lock);
	service_free_plan(s);
}

/* Opens the driver and the journal; a dry run has no journal. */
static int service_open(struct service *s, const struct keeper_plan *plan, enum keeper_mode mode,
			struct weir_error *e)
{
	memset(s, 0, sizeof(*s));
	s->plan = plan;
	s->lock = s->signals = s->control.socket.fd = -1;
	http_server_open(&s->http_server, 0, NULL, NULL, e);
	s->log.out = stdout;
	keeper_plan_journal(plan, s->journal);
	signal(SIGPIPE, SIG_IGN);
	s->driver = plan->driver->open(plan->driver_params, plan, e);
	if (s->driver && (mode == KEEPER_DRY || keeper_journal_lock(s->journal, &s->lock, e) == 0))
		return 0;
	service_close(s);
	return -1;
}

/* --- main loop --- */

/* Notifications beyond this number per step are left to the next step, which reads every profile
 * anyway. */
enum { NOTIFICATIONS_MAX = 1000 };

static void service_check_changed(struct service *s, struct keeper *k)
{
	int64_t profile = 0;

	for (int i = 0; i < NOTIFICATIONS_MAX && profile >= 0; i++) {
		profile = s->plan->driver->next_notification(s->driver);
		if (profile >= 0)
			keeper_check_profile(k, (uint32_t)profile);
	}
}

/* --- reloading the plan --- */

static int service_replace_plan(struct service *s, struct keeper *k, struct keeper_plan *next,
				struct weir_error *e)
{
	void *driver;

	if (keeper_reload_check(s->plan, next, e))
		return -1;
	driver = next->driver->open(next->driver_params, next, e);
	if (!driver)
		return -1;
	if (keeper_reload(k, next, driver, e)) {
		next->driver->close(driver);
		return -1;
	}
	s->plan->driver->close(s->driver);
	service_free_plan(s);
	s->plan = s->own = next;
	s->driver = driver;
	return 0;
}

/* An invalid plan changes nothing. */
static void service_reload(struct service *s, struct keeper *k)
{
	struct keeper_plan *next = memory_zeroed(1, sizeof(*next));
	struct weir_error e = { "" };

	s->control.reloads = 0;
	if (keeper_plan_read(next, s->drivers, s->plan->file, &e)) {
		free(next);
	} else if (service_replace_plan(s, k, next, &e) == 0) {
		keeper_report_switch(k, KEEPER_DID_RELOAD, "the plan was reloaded");
		return;
	} else {
		keeper_plan_free(next);
		free(next);
	}
	keeper_report_switch(k, KEEPER_NO_RELOAD, e.text);
}

/* --- waiting --- */

/* Order of polled descriptors: those of the control socket and of HTTP clients come last. */
enum { POLLED_SIGNALS, POLLED_NOTIFICATIONS, POLLED_CLIENTS };

struct polled {
	struct pollfd all[POLLED_CLIENTS + CONTROL_FDS + HTTP_SERVER_FDS];
	uint32_t control, count; /* end indices of the control socket's and of the HTTP clients'
				    descriptors */
};

static void service_fill_polled(const struct service *s, struct polled *p)
{
	int (*notification_fd)(void *driver) = s->plan->driver->notification_fd;

	p->all[POLLED_SIGNALS] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	p->all[POLLED_NOTIFICATIONS] =
		(struct pollfd){ .fd = notification_fd ? notification_fd(s->driver) : -1,
				 .events = POLLIN };
	p->control =
		POLLED_CLIENTS + control_socket_polled(&s->control.socket, p->all + POLLED_CLIENTS);
	p->count = p->control + http_server_poll_fds(&s->http_server, p->all + p->control);
}

static int polled_is_ready(const struct polled *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (p->all[i].revents)
			return 1;
	return 0;
}

/* 1: the keeper must end. */
static int service_read_signal(struct service *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	s->control.reloads |= info.ssi_signo == SIGHUP;
	return info.ssi_signo != SIGHUP;
}

static int service_serve_ready(struct service *s, struct keeper *k, const struct polled *p)
{
	if (p->all[POLLED_SIGNALS].revents && service_read_signal(s))
		return 1;
	if (polled_is_ready(p, POLLED_CLIENTS, p->control))
		keeper_control_serve(&s->control, k, &s->log);
	if (p->all[POLLED_NOTIFICATIONS].revents)
		service_check_changed(s, k);
	if (polled_is_ready(p, p->control, p->count))
		http_server_serve(&s->http_server);
	if (s->control.reloads)
		service_reload(s, k);
	return s->control.stops;
}

/* Waits until the given time, or until a request or signal ends the keeper. Requests are answered
 * at least once even if the time has passed, so that a slow switch does not keep operators from the
 * keeper. */
static int service_wait_until(struct service *s, struct keeper *k, int64_t time_ns)
{
	int64_t left_ns;

	do {
		struct polled polled;
		struct timespec t;

		left_ns = time_ns - clock_boot_ns();
		if (left_ns < 0)
			left_ns = 0;
		t = (struct timespec){ left_ns / WEIR_NS_PER_S, left_ns % WEIR_NS_PER_S };
		service_fill_polled(s, &polled);
		if (ppoll(polled.all, polled.count, &t, NULL) > 0 &&
		    service_serve_ready(s, k, &polled))
			return 1;
	} while (left_ns > 0);
	return 0;
}

/* If a step takes longer than an interval, the next one follows at once and the missed ones are
 * skipped. */
static void service_loop(struct service *s, struct keeper *k)
{
	int64_t next_ns = clock_boot_ns();

	do {
		keeper_step(k, clock_boot_ns());
		next_ns += (int64_t)s->plan->options.interval_ns;
		if (next_ns < clock_boot_ns())
			next_ns = clock_boot_ns() + 1;
	} while (!service_wait_until(s, k, next_ns));
}

static int service_has_signal(const struct service *s)
{
	struct pollfd polled = { .fd = s->signals, .events = POLLIN };

	return poll(&polled, 1, 0) > 0;
}

/* Virtual time: steps follow each other without waiting. */
static int service_rehearse(struct service *s, struct keeper *k, struct weir_error *e)
{
	int64_t time_ns = 1;

	e->text[0] = '\0';
	do {
		keeper_step(k, time_ns);
		time_ns += (int64_t)s->plan->options.interval_ns;
	} while (!service_has_signal(s) &&
		 s->plan->driver->advance(s->driver, time_ns, e) == KEEPER_RUNNING);
	if (!e->text[0] && s->plan->driver->report)
		s->plan->driver->report(s->driver, s->log.out);
	return e->text[0] ? -1 : 0;
}

static int service_open_http(struct service *s, const struct keeper *k, struct weir_error *e)
{
	s->page = (struct keeper_http){ k, &s->log };
	if (http_server_open(&s->http_server, s->plan->options.http, keeper_http_page, &s->page, e))
		return weir_error_prefix(e, "keeper.http: ");
	return 0;
}

/* Restores what an earlier keeper left; this keeper adopts the originals that cannot be
 * restored. */
static int service_restore_left(struct service *s, const char *forced, struct weir_error *e)
{
	struct keeper_restoring x = {
		.plan = s->plan,
		.driver = s->driver,
		.forced = forced,
		.on_restored = keeper_log_restored,
		.user = &s->log,
	};

	return keeper_originals_restore(&x, s->journal, &s->originals, e);
}

static int service_run(struct service *s, enum keeper_mode mode, struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE];
	struct keeper k;
	int failed = 0, is_virtual = s->plan->driver->advance != NULL;

	keeper_plan_socket(s->plan, path);
	if ((mode == KEEPER_LIVE && service_restore_left(s, NULL, e)) || service_open_signals(s, e))
		return -1;
	if (!is_virtual &&
	    (keeper_control_open(&s->control, path, e) || service_open_http(s, &k, e)))
		return -1;
	keeper_init(&k, &(struct keeper_parts){ s->plan, s->driver, mode, s->journal,
						keeper_log_event, &s->log });
	keeper_adopt(&k, s->originals.records, s->originals.count);
	if (is_virtual)
		failed = service_rehearse(s, &k, e);
	else
		service_loop(s, &k);
	failed = failed || service_stop(s, &k, e);
	keeper_control_answer_stop(&s->control, failed ? e : NULL);
	keeper_free(&k);
	return failed;
}

int keeper_serve(const struct keeper_service *service, struct weir_error *e)
{
	struct service *s = memory_zeroed(1, sizeof(*s));
	int failed = service_open(s, service->plan, service->mode, e);

	if (!failed) {
		s->drivers = service->drivers;
		failed = service_run(s, service->mode, e);
		service_close(s);
	}
	free(s);
	return failed;
}

/* --- without a running keeper --- */

int keeper_restore_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e)
{
	struct service *s = memory_zeroed(1, sizeof(*s));
	int failed = service_open(s, plan, KEEPER_LIVE, e);

	if (!failed) {
		failed = service_restore_left(s, profile, e);
		if (!failed && s->originals.left)
			failed = keeper_originals_refuse(plan, s->journal, s->originals.left, e);
		service_close(s);
	}
	free(s);
	return failed;
}

int keeper_release_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e)
{
	char journal[WEIR_OPT_TEXT_SIZE];
	int lock, failed;

	keeper_plan_journal(plan, journal);
	if (keeper_journal_lock(journal, &lock, e))
		return -1;
	failed = keeper_originals_release(journal, profile, e);
	keeper_journal_unlock(lock);
	return failed;
}

/* --- event log --- */

void keeper_log_setting(FILE *f, const char *name, const struct keeper_setting *s)
{
	fprintf(f, "\"%s\":{\"min_bytes\":%" PRIu64 ",\"max_bytes\":%" PRIu64 ",\"p\":%s}", name,
		s->min_bytes, s->max_bytes,
		format_exact((double)s->p_ppm / (double)KEEPER_PPM).text);
}

static void log_print_time(FILE *f, time_t wall)
{
	struct tm tm;
	char text[32];

	gmtime_r(&wall, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(f, "{\"time\":\"%s\"", text);
}

int keeper_log_is_change(enum keeper_event_kind kind)
{
	return kind == KEEPER_DID_BEGIN || kind == KEEPER_DID_WRITE || kind == KEEPER_WOULD_WRITE ||
	       kind == KEEPER_DID_ROLL_BACK || kind == KEEPER_DID_YIELD ||
	       kind == KEEPER_IS_ALARM || kind == KEEPER_DID_RELEASE;
}

void keeper_log_print(FILE *f, const struct log_entry *entry)
{
	log_print_time(f, entry->wall);
	fprintf(f, ",\"clock_s\":%.6f", (double)entry->time_ns / 1e9);
	fprintf(f, ",\"event\":\"%s\"", keeper_event_names[entry->kind]);
	if (entry->profile[0]) {
		fputs(",\"profile\":", f);
		json_write_string(f, entry->profile);
	}
	if (keeper_log_is_change(entry->kind)) {
		fputc(',', f);
		keeper_log_setting(f, "from", &entry->from);
		fputc(',', f);
		keeper_log_setting(f, "to", &entry->to);
	}
	fputs(",\"why\":", f);
	json_write_string(f, entry->why);
	fputs("}\n", f);
}

void keeper_log_event(void *user, const struct keeper_event *event)
{
	struct keeper_log *log = user;
	struct log_entry *entry = &log->entries[log->count++ % LOG_ENTRIES];

	*entry = (struct log_entry){
		.wall = time(NULL),
		.time_ns = event->time_ns,
		.kind = event->kind,
		.from = event->from,
		.to = event->to,
	};
	if (event->profile)
		snprintf(entry->profile, sizeof(entry->profile), "%s", event->profile->name);
	snprintf(entry->why, sizeof(entry->why), "%s", event->why);
	keeper_log_print(log->out, entry);
	fflush(log->out);
}

void keeper_log_restored(void *user, const struct keeper_record *r, enum keeper_restored became,
			 const char *why)
{
	static const char *const names[] = {
		[KEEPER_PUT_BACK] = "restored",
		[KEEPER_WAS_BACK] = "unchanged: it has its original setting",
		[KEEPER_THEIRS] = "not restored: an operator changed it",
		[KEEPER_MIXED] = "not restored: an operator changed a part of it",
		[KEEPER_DISABLED] = "not restored: it cannot be written now",
		[KEEPER_ABSENT] = "not restored: it does not exist",
		[KEEPER_NOT_BACK] = "not restored",
	};
	struct keeper_log *log = user;

	log_print_time(log->out, time(NULL));
	fputs(",\"event\":\"restore\",\"profile\":", log->out);
	json_write_string(log->out, r->name);
	fputc(',', log->out);
	keeper_log_setting(log->out, "original", &r->original);
	fprintf(log->out, ",\"became\":\"%s\",\"why\":", names[became]);
	json_write_string(log->out, why);
	fputs("}\n", log->out);
	fflush(log->out);
}
