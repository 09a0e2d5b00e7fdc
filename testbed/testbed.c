/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.c -- one run of a scenario with real packets: start, measurement, drain, health checks.
 * Contract in testbed.h. */
#define _GNU_SOURCE
#include "testbed/testbed.h"
#include "testbed/plan.h"
#include "base/text.h"
#include "switch/run/serve.h"
#include "testbed/machine.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SETTLE_NS ((int64_t)20 * WEIR_NS_PER_MS) /* settling time before the first flow */
#define POLL_NS ((int64_t)10 * WEIR_NS_PER_MS)   /* polling interval for completion */
#define COUNT_NS ((int64_t)5 * WEIR_NS_PER_S)    /* time limit for hosts to report, however busy */

/* A running testbed. */
struct testbed_run_state {
	struct testbed_plan plan;
	struct bed bed;
	struct switch_settings settings;
	struct control control;
	struct loop loop;
	struct real_server server;
	int64_t epoch_ns;
};

/* Sleeps until that time of the plan. 1: the run was interrupted. */
static int testbed_sleep_until(struct testbed_run_state *w, int64_t time_ns)
{
	return real_run(&w->server, &w->loop, &w->control,
			weir_ns_to_ps(w->epoch_ns + time_ns - w->loop.start_ns));
}

/* Number of flows to wait for: those of finite size that start before the measurement ends. */
static uint32_t testbed_flows_awaited(const struct bed_board *b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->flow_count; i++)
		count += b->flows[i].size_bytes != BED_UNLIMITED && b->flows[i].start_ns < b->to_ns;
	return count;
}

static uint32_t testbed_flows_done(const struct bed_board *b)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < b->flow_count; i++)
		count += b->flows[i].finish_ns >= 0 && b->flows[i].start_ns < b->to_ns;
	return count;
}

/* Waits until the measured flows complete or their time limit passes. */
static int testbed_drain(struct testbed_run_state *w)
{
	const struct bed_board *b = w->bed.board;
	int64_t last_ns = b->flow_count ? b->flows[b->flow_count - 1].start_ns : 0;
	int64_t end_ns = (b->to_ns < last_ns ? b->to_ns : last_ns) + w->plan.drain_ns;

	if (b->to_ns != BED_NEVER_NS && b->to_ns + w->plan.drain_ns > end_ns)
		end_ns = b->to_ns + w->plan.drain_ns;
	for (int64_t at_ns = clock_ns() - w->epoch_ns;
	     testbed_flows_done(b) < testbed_flows_awaited(b) && at_ns < end_ns; at_ns += POLL_NS)
		if (testbed_sleep_until(w, at_ns))
			return 1;
	return 0;
}

/* Waits until every host has reported its counters at the end of the measurement; on a busy machine
 * they are late. */
static int testbed_await_counts(struct testbed_run_state *w, struct weir_error *e)
{
	const struct bed_board *b = w->bed.board;
	int64_t at_ns = clock_ns() - w->epoch_ns, end_ns = at_ns + COUNT_NS;

	for (uint32_t i = 0; i < b->host_count; i++)
		while (!atomic_load(&b->hosts[i].has_counted)) {
			if (at_ns > end_ns)
				return weir_error_set(e, "host h%u no longer responds", i);
			if (testbed_sleep_until(w, at_ns += POLL_NS))
				return 1;
		}
	return 0;
}

/* The largest lost-time fraction of any port: delayed acknowledgements delay their senders as data
 * does. */
static double testbed_lost_fraction(struct loop *l)
{
	int64_t longest_ps = 0;

	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (loop_port(l, i)->counts.lost_ps > longest_ps)
			longest_ps = loop_port(l, i)->counts.lost_ps;
	return (double)longest_ps / (double)(loop_done_ps(l) + 1);
}

/* Fraction of late flows among those that open a connection: others may have queued behind the
 * previous flow. */
static double testbed_late_fraction(const struct bed_board *b)
{
	double late = 0, count = 0;

	for (uint32_t i = 0; i < b->flow_count; i++) {
		const struct bed_flow *f = &b->flows[i];

		if (f->connection != i || f->began_ns < 0)
			continue;
		count++;
		late += f->began_ns - f->start_ns > (int64_t)TESTBED_LATE_MS * WEIR_NS_PER_MS;
	}
	return count > 0 ? late / count : 0;
}

static void testbed_read_health(struct testbed_run_state *w, struct testbed_health *h)
{
	for (uint32_t i = 0; i < w->loop.settings->port_count; i++) {
		h->lost_pkts += loop_lost_pkts(&w->loop, i);
		h->refused_pkts += loop_faults(&w->loop, i, PLANE_OVERSIZE) +
				   loop_faults(&w->loop, i, PLANE_MALFORMED);
	}
	for (uint32_t i = 0; i < w->bed.board->host_count; i++)
		h->connections += w->bed.board->hosts[i].connections;
	h->late_fraction = testbed_late_fraction(w->bed.board);
	h->lost_fraction = testbed_lost_fraction(&w->loop);
}

/* Fraction of the measured time that the switch's link may have been stopped by the machine; above
 * it the results are not trustworthy. */
#define LOST_TRUSTED 0.005
/* Fraction of flows that hosts may start late. */
#define LATE_TRUSTED 0.05

double testbed_strain(const struct testbed_health *h)
{
	return h->lost_fraction / LOST_TRUSTED + h->late_fraction / LATE_TRUSTED +
	       (double)h->lost_pkts + h->connections;
}

static void testbed_add_reason(struct testbed_held_up *why, const char *format, const char *number)
{
	size_t used = strlen(why->text);

	if (used)
		used += (size_t)snprintf(why->text + used, sizeof(why->text) - used, "; ");
	snprintf(why->text + used, sizeof(why->text) - used, format, number);
}

struct testbed_held_up testbed_held_up(const struct testbed_health *h)
{
	struct testbed_held_up why = { "" };

	if (h->lost_fraction > LOST_TRUSTED)
		testbed_add_reason(&why, "the switch was descheduled for %s of the time",
				   format_percent(h->lost_fraction).text);
	if (h->late_fraction > LATE_TRUSTED)
		testbed_add_reason(&why, "hosts started %s of the flows late",
				   format_percent(h->late_fraction).text);
	if (h->lost_pkts)
		testbed_add_reason(&why, "%s packets lost at the receive ring",
				   format_count((double)h->lost_pkts).text);
	if (h->connections)
		testbed_add_reason(&why, "%s connections failed",
				   format_count(h->connections).text);
	return why;
}

/* Shifts times of series to those of the plan, which begins at the epoch. */
static void testbed_shift_series(const struct testbed_run_state *w, struct series *s)
{
	int64_t epoch_ps = weir_ns_to_ps(w->epoch_ns - w->loop.start_ns);
	uint64_t kept = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		if (s->time_ps[i] < epoch_ps)
			continue;
		s->time_ps[kept] = s->time_ps[i] - epoch_ps;
		s->value[kept++] = s->value[i];
	}
	s->count = kept;
}

/* Renames ports and series as in the simulation, by the links of the scenario's network. */
static int testbed_name_links(const struct testbed_run_state *w, const struct config *c,
			      struct run_result *r, struct weir_error *e)
{
	struct network net;

	for (uint32_t i = 0; i < r->series_count; i++) {
		const struct port_probe *probe = &w->loop.records.all[i].probe;
		char name[64];

		link_name(&w->plan.net, w->plan.port_link[probe->port], name, sizeof(name));
		snprintf(r->series[i].name, sizeof(r->series[i].name), "%s %s%s",
			 port_probe_name(probe), name, port_probe_queue(probe).text);
		testbed_shift_series(w, &r->series[i]);
	}
	if (network_build(&net, &c->network, e))
		return -1;
	network_free(&r->network);
	r->network = net;
	for (uint32_t i = 0; i < r->port_count; i++)
		r->ports[i].link = w->plan.port_link[i];
	return 0;
}

/* The measurement interval, once everything is running. */
static int testbed_measure(struct testbed_run_state *w, const struct config *c,
			   struct run_result *r, struct testbed_health *h, struct weir_error *e)
{
	struct bed_board *b = w->bed.board;
	int has_end = b->to_ns != BED_NEVER_NS;

	w->epoch_ns = clock_ns() + b->lead_ns + SETTLE_NS;
	atomic_store(&b->epoch_ns, w->epoch_ns);
	if (testbed_sleep_until(w, b->from_ns))
		return weir_error_set(e, "stopped before the measured interval"), TESTBED_STOPPED;
	loop_measure(&w->loop);
	if (has_end ? testbed_sleep_until(w, b->to_ns) : testbed_drain(w))
		return weir_error_set(e, "stopped before its end"), TESTBED_STOPPED;
	if (!has_end)
		b->to_ns = clock_ns() - w->epoch_ns;
	real_results(&w->loop, w->plan.measured_port, r);
	if (testbed_sleep_until(w, b->to_ns) || testbed_await_counts(w, e) ||
	    (has_end && testbed_drain(w)) || !bed_is_whole(&w->bed, e) ||
	    testbed_name_links(w, c, r, e)) {
		run_result_free(r);
		if (!e->text[0])
			weir_error_set(e, "stopped before all flows completed");
		return TESTBED_STOPPED;
	}
	outcome_add(&w->plan, c, b, r);
	testbed_read_health(w, h);
	snprintf(r->held_up, sizeof(r->held_up), "%s", testbed_held_up(h).text);
	return TESTBED_DONE;
}

/* Undoes real.urgent for what this process does later. */
static void testbed_reset_priority(void)
{
	const struct sched_param usual = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &usual);
	setpriority(PRIO_PROCESS, 0, 0);
}

/* Path of the control socket for 'weir switch status', and a directory to remove with it; empty:
 * none. */
struct socket_path {
	char path[WEIR_OPT_TEXT_SIZE], folder[WEIR_OPT_TEXT_SIZE];
};

/* In /run as for any switch of that file, or, without write permission, in the user's runtime
 * directory. Without either, in a freshly created directory: a predictable name in /tmp could be
 * claimed by another user. */
static int testbed_find_socket(const struct config *c, struct socket_path *p, struct weir_error *e)
{
	const char *own = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
	const char *name = strrchr(c->file, '/') ? strrchr(c->file, '/') + 1 : c->file;
	char given[WEIR_OPT_TEXT_SIZE] = "";

	p->folder[0] = '\0';
	if (access("/run", W_OK) == 0)
		return control_path(c->file, "", p->path, e);
	if (own && own[0] == '/' && access(own, W_OK) == 0) {
		snprintf(given, sizeof(given), "%.120s/weir-%.*s.sock", own,
			 (int)strcspn(name, "."), name);
		return control_path(c->file, given, p->path, e);
	}
	snprintf(p->folder, sizeof(p->folder), "%.80s/weir-XXXXXX",
		 temporary && temporary[0] ? temporary : "/tmp");
	if (!mkdtemp(p->folder))
		return weir_error_set(e, "%s: cannot create the folder: %s", p->folder,
				      strerror(errno));
	snprintf(given, sizeof(given), "%.100s/switch.sock", p->folder);
	return control_path(c->file, given, p->path, e);
}

static int testbed_run_switch(struct testbed_run_state *w, const struct config *c,
			      struct run_result *r, struct testbed_health *h, struct weir_error *e)
{
	struct socket_path socket;
	struct awake awake;
	int status = TESTBED_FAILED;

	if (testbed_find_socket(c, &socket, e) || control_open(&w->control, socket.path, e))
		return TESTBED_FAILED;
	if (!loop_open(&w->loop, &w->settings, e)) {
		if (!real_open(&w->server, &w->loop, e)) {
			e->text[0] = '\0';
			awake_start(&awake);
			status = testbed_measure(w, c, r, h, e);
			awake_end(&awake);
			real_close(&w->server);
			testbed_reset_priority();
		}
		loop_close(&w->loop);
	}
	control_close(&w->control);
	if (socket.folder[0])
		rmdir(socket.folder);
	return status;
}

static int testbed_run_bed(struct testbed_run_state *w, const struct config *c,
			   struct run_result *r, struct testbed_health *h, struct weir_error *e)
{
	int status;

	if (bed_enter(e) || bed_new(&w->bed, w->plan.flows.count, w->plan.bin_count, e))
		return TESTBED_FAILED;
	plan_write(&w->plan, c, w->bed.board);
	status = bed_start(&w->bed, &w->plan.bed, e) ? TESTBED_FAILED
						     : testbed_run_switch(w, c, r, h, e);
	bed_free(&w->bed);
	return status;
}

int testbed_run(struct config *c, struct run_result *r, struct testbed_health *h,
		struct weir_error *e)
{
	struct testbed_run_state w = { .epoch_ns = 0 };
	struct own_dctcp *dctcp = NULL;
	int status = TESTBED_FAILED;
	char name[256];

	memset(h, 0, sizeof(*h));
	if (plan_make(&w.plan, c, e))
		return TESTBED_REFUSED;
	snprintf(name, sizeof(name), "%.200s, as a switch", c->file);
	if (settings_read_text(&w.settings, name, w.plan.switch_text, strlen(w.plan.switch_text),
			       e)) {
		plan_free(&w.plan);
		return TESTBED_REFUSED;
	}
	if (!w.plan.needs_own_dctcp || (dctcp = own_dctcp_new(w.plan.alpha_start, e)))
		status = testbed_run_bed(&w, c, r, h, e);
	own_dctcp_free(dctcp);
	settings_free(&w.settings);
	plan_free(&w.plan);
	return status;
}
