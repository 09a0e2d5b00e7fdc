/* SPDX-License-Identifier: BSD-3-Clause */
/* tc.c -- driver of Linux queueing disciplines on this machine: red, codel and fq_codel over
 * rtnetlink. A profile is the qdisc that its 'queue = eth0' line names, that interface's root;
 * 'queue = eth0 10:' names the one with that handle.
 *
 * codel and fq_codel mark every packet whose sojourn time exceeds ce_threshold, which at link rate
 * corresponds to a queue length: min and max are both that length and p is 100 %. The tuner's min
 * sets it. */
#define _GNU_SOURCE
#include "weir/compiler.h"
#include "keeper/core/plan.h"
#include "keeper/drivers/tc_message.h"
#include "base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <inttypes.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct tc_params {
	uint64_t rate_bps; /* 0: read from the interface */
	uint64_t timeout_ns;
};

/* Extends a 32-bit kernel counter that wraps. */
struct tc_counter {
	uint32_t last;
	uint64_t high;
};

struct tc_target {
	char interface[IF_NAMESIZE];
	uint32_t handle; /* 0: the root qdisc */
	struct tc_counter drops, marked;
};

struct tc {
	const struct tc_params *params;
	const struct keeper_plan *plan;
	int fd;
	uint32_t sequence;
	struct tc_target *places; /* indexed by profile */
};

enum { ANSWER_SIZE = 64 * 1024 };

#define AT(member) offsetof(struct tc_params, member)
static const struct weir_option tc_options[] = {
	{ "rate", WEIR_OPT_RATE_BPS, AT(rate_bps), "0bps", 0, UINT64_C(1000000000000),
	  "link rate; 0bps: the interface's speed", NULL },
	{ "timeout", WEIR_OPT_TIME_NS, AT(timeout_ns), "500ms", 1000 * 1000,
	  UINT64_C(60) * WEIR_NS_PER_S, "timeout of the kernel", NULL },
	{ .name = NULL },
};
#undef AT

/* --- opening --- */

static void tc_close(void *driver)
{
	struct tc *t = driver;

	if (t->fd >= 0)
		close(t->fd);
	free(t->places);
	free(t);
}

/* "eth0" or "eth0 10:" */
static int tc_read_target(struct tc *t, struct tc_target *place, const struct config_line *line,
			  struct weir_error *e)
{
	unsigned handle = 0;
	char colon = ':', more;
	int read = sscanf(line->text, "%15s %4x%c %c", place->interface, &handle, &colon, &more);

	if ((read != 1 && read != 3) || colon != ':' || (read == 3 && !handle))
		return weir_error_set(
			e,
			"%.200s:%d: queue: %s; expected an interface, as in eth0, or an "
			"interface and a handle, as in eth0 10:",
			t->plan->file, line->line, weir_quote(line->text).text);
	place->handle = handle << 16;
	return 0;
}

static int tc_find_places(struct tc *t, struct weir_error *e)
{
	t->places = memory_zeroed(t->plan->profile_count, sizeof(*t->places));
	for (uint32_t i = 0; i < t->plan->profile_count; i++) {
		const struct keeper_profile *p = &t->plan->profiles[i];

		if (p->limits.queues.count != 1)
			return weir_error_set(
				e,
				"%.200s:%d: profile.%s: no interface; add one line such as queue "
				"= eth0",
				t->plan->file, p->line, p->name);
		if (tc_read_target(t, &t->places[i], &p->limits.queues.lines[0], e))
			return -1;
	}
	return 0;
}

static void *tc_open(const void *params, const struct keeper_plan *plan, struct weir_error *e)
{
	struct tc *t = memory_zeroed(1, sizeof(*t));

	t->params = params;
	t->plan = plan;
	t->fd = -1;
	if (tc_find_places(t, e) == 0)
		return t;
	tc_close(t);
	return NULL;
}

/* --- requests --- */

static int tc_connect(struct tc *t, struct weir_error *e)
{
	const struct timeval patience = {
		(time_t)(t->params->timeout_ns / WEIR_NS_PER_S),
		(suseconds_t)(t->params->timeout_ns % WEIR_NS_PER_S / WEIR_NS_PER_US),
	};

	if (t->fd >= 0)
		return 0;
	t->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (t->fd < 0)
		return weir_error_set(e, "netlink request failed: %s", strerror(errno));
	setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return 0;
}

/* After an error the socket may hold stale replies, so the next request opens a new one. */
static int tc_disconnect(struct tc *t, const char *what, struct weir_error *e)
{
	close(t->fd);
	t->fd = -1;
	return weir_error_set(e, "no netlink reply: %s", what);
}

/* The qdisc to find, and the result. */
struct qdisc_search {
	int ifindex;
	uint32_t handle;
	int is_found;
	struct tc_qdisc q;
};

static void tc_compare_qdiscs(struct qdisc_search *s, const struct tc_qdisc *q)
{
	if (q->ifindex != s->ifindex ||
	    (s->handle ? q->handle != s->handle : q->parent != TC_H_ROOT))
		return;
	s->q = *q;
	s->is_found = 1;
}

/* Reads to the end of the reply. search NULL: only the acknowledgement matters. */
static int tc_receive(struct tc *t, struct qdisc_search *search, struct weir_error *e)
{
	static const char garbage[] = "malformed netlink reply";
	_Alignas(8) unsigned char answer[ANSWER_SIZE];
	struct tc_qdisc said;
	int error = 0;

	for (;;) {
		const ssize_t got = recv(t->fd, answer, sizeof(answer), 0);
		const unsigned char *at = answer;
		size_t left = got > 0 ? (size_t)got : 0;

		if (got <= 0)
			return tc_disconnect(t, got ? strerror(errno) : garbage, e);
		while (left) {
			switch (tc_message_read(&at, &left, &said, &error)) {
			case TC_SAID_QDISC:
				if (search)
					tc_compare_qdiscs(search, &said);
				break;
			case TC_SAID_OTHER:
				break;
			case TC_SAID_DONE:
				return 0;
			case TC_SAID_ERROR:
				return error ? weir_error_set(e,
							      "the kernel refused the change: "
							      "%s",
							      strerror(error))
					     : 0;
			case TC_SAID_GARBAGE:
				return tc_disconnect(t, garbage, e);
			}
		}
	}
}

static int tc_request(struct tc *t, const unsigned char *message, size_t length,
		      struct qdisc_search *search, struct weir_error *e)
{
	if (tc_connect(t, e))
		return -1;
	if (send(t->fd, message, length, 0) != (ssize_t)length)
		return tc_disconnect(t, strerror(errno), e);
	return tc_receive(t, search, e);
}

static enum keeper_reading tc_find_qdisc(struct tc *t, uint32_t profile, struct tc_qdisc *q,
					 struct weir_error *e)
{
	const struct tc_target *place = &t->places[profile];
	struct qdisc_search search = { .ifindex = (int)if_nametoindex(place->interface),
				       .handle = place->handle };
	_Alignas(8) unsigned char message[TC_MESSAGE_SIZE];

	if (!search.ifindex) {
		weir_error_set(e, "there is no interface %s", weir_quote(place->interface).text);
		return KEEPER_UNFIT;
	}
	if (tc_request(t, message, tc_message_dump(message, ++t->sequence), &search, e))
		return KEEPER_LOST;
	*q = search.q;
	if (search.is_found && q->kind != TC_KIND_OTHER)
		return KEEPER_READ;
	if (search.is_found)
		weir_error_set(e, "%s has %s; only red, codel and fq_codel can be tuned",
			       place->interface, weir_quote(q->name).text);
	else
		weir_error_set(e, "%s has no such queueing discipline", place->interface);
	return KEEPER_UNFIT;
}

/* --- link rate --- */

/* 1 Gb/s if the interface does not report one. */
static uint64_t tc_rate_bps(const struct tc *t, uint32_t profile)
{
	char path[IF_NAMESIZE + 32];
	long mbps = 0;
	FILE *f;

	if (t->params->rate_bps)
		return t->params->rate_bps;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", t->places[profile].interface);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%7ld", &mbps) != 1)
			mbps = 0;
		fclose(f);
	}
	return (mbps > 0 ? (uint64_t)mbps : 1000) * 1000 * 1000;
}

/* A threshold is at most 2^32 us and a rate at most 10^12: the product is below 2^73, so common
 * factors are cancelled first. */
static uint64_t tc_time_bytes(uint32_t time_us, uint64_t bps)
{
	return (uint64_t)((weir_u128)time_us * bps / (8 * WEIR_NS_PER_MS));
}

/* The nearest whole microsecond, at least 1 because 0 disables marking. */
static uint32_t tc_bytes_time_us(uint64_t bytes, uint64_t bps)
{
	const uint64_t us = (bytes * 8 * WEIR_NS_PER_MS + bps / 2) / bps;

	return us < 1 ? 1 : us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

/* --- settings --- */

static enum keeper_reading tc_read(void *driver, uint32_t profile, struct keeper_setting *s,
				   struct weir_error *e)
{
	struct tc *t = driver;
	struct tc_qdisc q;
	enum keeper_reading reading = tc_find_qdisc(t, profile, &q, e);

	if (reading != KEEPER_READ)
		return reading;
	if (q.kind != TC_KIND_RED && !q.has_ce_threshold) {
		weir_error_set(e, "%s of %s has no ce_threshold", q.name,
			       t->places[profile].interface);
		return KEEPER_UNFIT;
	}
	s->min_bytes = q.min_bytes;
	s->max_bytes = q.max_bytes;
	s->p_ppm = (uint32_t)(((uint64_t)q.max_p * KEEPER_PPM + WEIR_ONE_Q32 / 2) >> 32);
	if (q.kind != TC_KIND_RED) {
		s->min_bytes = s->max_bytes =
			tc_time_bytes(q.ce_threshold_us, tc_rate_bps(t, profile));
		s->p_ppm = KEEPER_PPM;
	}
	if (q.kind == TC_KIND_RED && !q.marks) {
		weir_error_set(e, "red of %s drops instead of marking: ecn is off",
			       t->places[profile].interface);
		return KEEPER_LOCKED;
	}
	return KEEPER_READ;
}

/* The setting after the kernel's rounding to microseconds. */
static void tc_round(void *driver, uint32_t profile, struct keeper_setting *s)
{
	struct tc *t = driver;
	const uint64_t bps = tc_rate_bps(t, profile);
	struct weir_error e;
	struct tc_qdisc q;

	if (tc_find_qdisc(t, profile, &q, &e) != KEEPER_READ || q.kind == TC_KIND_RED)
		return;
	s->min_bytes = s->max_bytes =
		tc_time_bytes(tc_codel_nearest_us(tc_bytes_time_us(s->min_bytes, bps)), bps);
	s->p_ppm = KEEPER_PPM;
}

/* 100 % is represented by the largest 32-bit number. */
static uint32_t tc_max_p(uint32_t ppm)
{
	const uint64_t q32 = (((uint64_t)ppm << 32) + KEEPER_PPM / 2) / KEEPER_PPM;

	return q32 < UINT32_MAX ? (uint32_t)q32 : UINT32_MAX;
}

static int tc_write(void *driver, uint32_t profile, const struct keeper_setting *s,
		    struct weir_error *e)
{
	struct tc *t = driver;
	const uint64_t bps = tc_rate_bps(t, profile);
	_Alignas(8) unsigned char message[TC_MESSAGE_SIZE];
	struct tc_qdisc q;
	size_t length;

	if (tc_find_qdisc(t, profile, &q, e) != KEEPER_READ)
		return -1;
	if (q.kind == TC_KIND_RED && (!tc_red_can_hold(&q, s->max_bytes) || !s->p_ppm))
		return weir_error_set(e,
				      "red with a weight of 2^-%u cannot have max = %" PRIu64
				      " bytes, or p = 0",
				      q.weight_log, s->max_bytes);
	q.min_bytes = (uint32_t)s->min_bytes;
	q.max_bytes = (uint32_t)s->max_bytes;
	q.max_p = tc_max_p(s->p_ppm);
	q.ce_threshold_us = tc_bytes_time_us(s->min_bytes, bps);
	length = tc_message_change(message, &q, bps, (uint32_t)t->plan->options.mtu_bytes,
				   ++t->sequence);
	return tc_request(t, message, length, NULL, e);
}

/* --- counters --- */

/* A value below the previous one means a reset, unless the counter was close to wrapping. */
static uint64_t tc_extend_counters(struct tc_counter *c, uint32_t now)
{
	if (now < c->last && c->last - now > UINT32_MAX / 2)
		c->high += UINT64_C(1) << 32;
	c->last = now;
	return c->high + now;
}

static enum keeper_reading tc_count(void *driver, uint32_t profile, struct keeper_counters *c,
				    struct weir_error *e)
{
	struct tc *t = driver;
	struct tc_target *place = &t->places[profile];
	struct tc_qdisc q;
	enum keeper_reading reading = tc_find_qdisc(t, profile, &q, e);

	if (reading != KEEPER_READ)
		return reading;
	c->since_start[KEEPER_OUT_BYTES] = q.sent_bytes;
	c->since_start[KEEPER_DROPS] = tc_extend_counters(&place->drops, q.drops);
	c->since_start[KEEPER_MARKED_PKTS] = tc_extend_counters(&place->marked, q.marked_pkts);
	c->queue_bytes = q.backlog_bytes;
	c->rate_bps = tc_rate_bps(t, profile);
	return KEEPER_READ;
}

const struct keeper_driver_ops keeper_driver_tc = {
	.scheme = {
		.name = "tc",
		.help = "red, codel or fq_codel of this machine's interfaces, through rtnetlink; "
			"profiles name one by queue = eth0",
		.params_size = sizeof(struct tc_params),
		.options = tc_options,
	},
	.p_unit_ppm = 1,
	.open = tc_open,
	.close = tc_close,
	.read = tc_read,
	.count = tc_count,
	.write = tc_write,
	.round = tc_round,
};
