/* SPDX-License-Identifier: BSD-3-Clause */
/* weir.c -- driver of 'weir switch': a profile is a port, and its setting is min, max and p of the
 * port's red. Uses the switch's control socket with one connection per request, so there is no
 * connection state to lose. */
#include "keeper/core/plan.h"
#include "base/control_socket.h"
#include "base/json.h"
#include "config/schemes.h"
#include "base/memory.h"
#include "weir/mark.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weir_driver_params {
	char socket[WEIR_OPT_TEXT_SIZE];
	uint64_t timeout_ns;
};

struct weir_driver {
	const struct weir_driver_params *params;
	const struct keeper_plan *plan;
};

enum { SPEC_SIZE = 1024, REQUEST_SIZE = 1024, ANSWER_MAX = 1 << 20 };

#define AT(member) offsetof(struct weir_driver_params, member)
static const struct weir_option weir_driver_options[] = {
	{ "socket", WEIR_OPT_TEXT, AT(socket), NULL, 0, 0,
	  "socket of the switch, real.socket of its file", NULL },
	{ "timeout", WEIR_OPT_TIME_NS, AT(timeout_ns), "500ms", 1000 * 1000,
	  UINT64_C(60) * WEIR_NS_PER_S, "timeout of the switch", NULL },
	{ .name = NULL },
};
#undef AT

static int weir_check_params(const void *params, struct weir_error *e)
{
	const struct weir_driver_params *p = params;

	if (!p->socket[0] || control_socket_check(p->socket, e))
		return weir_error_set(e, "socket: a path is needed, as in "
					 "weir(socket=/run/weir-sw.sock)");
	return 0;
}

static void *weir_driver_open(const void *params, const struct keeper_plan *plan,
			      struct weir_error *e)
{
	struct weir_driver *d = memory_zeroed(1, sizeof(*d));

	(void)e;
	d->params = params;
	d->plan = plan;
	return d;
}

static void weir_driver_close(void *driver)
{
	free(driver);
}

/* --- requests --- */

/* The line of the reply, freed by the caller; NULL with a message. */
static char *weir_ask(const struct weir_driver *d, const char *request, struct weir_error *e)
{
	const struct control_question q = {
		.path = d->params->socket,
		.server = "switch",
		.request = request,
		.timeout_ns = (int64_t)d->params->timeout_ns,
		.answer_max = ANSWER_MAX,
	};

	return control_socket_ask(&q, e);
}

/* --- reading --- */

/* Moves the cursor to a port's object in a status. 1: the status is well-formed so far, but has no
 * such port. */
static int weir_find_port(struct weir_json *j, const char *name)
{
	if (weir_json_find(j, "ports") || weir_json_expect(j, '['))
		return -1;
	if (weir_json_accept(j, ']'))
		return 1;
	do {
		struct weir_json port = *j, member = *j;
		char found[INI_NAME_SIZE];

		if (weir_json_find(&member, "name") ||
		    weir_json_string(&member, found, sizeof(found)) || weir_json_skip(j))
			return -1;
		if (strcmp(found, name) == 0) {
			*j = port;
			return 0;
		}
	} while (weir_json_accept(j, ','));
	return weir_json_expect(j, ']') ? -1 : 1;
}

/* A status reply, with a cursor at the object of a port. */
struct port_status {
	char *text;
	struct weir_json port;
};

/* Reads the port of that profile; on success the caller frees the text. */
static enum keeper_reading weir_read_port(const struct weir_driver *d, uint32_t profile,
					  struct port_status *s, struct weir_error *e)
{
	const char *name = d->plan->profiles[profile].name;
	int wrong;

	s->text = weir_ask(d, "status\n", e);
	if (!s->text)
		return KEEPER_LOST;
	s->port = weir_json_begin(s->text, strlen(s->text), "the switch's status", e);
	wrong = weir_find_port(&s->port, name);
	if (!wrong)
		return KEEPER_READ;
	if (wrong > 0)
		weir_error_set(e, "the switch has no port %s", name);
	free(s->text);
	return KEEPER_UNFIT;
}

/* One of the port's counters; a missing or malformed counter is an error and never counts as 0. */
static int weir_read_counter(const struct port_status *s, const char *name, uint64_t *counter)
{
	struct weir_json port = s->port;

	return weir_json_find(&port, name) || weir_json_u64(&port, counter) ? -1 : 0;
}

/* --- settings --- */

/* A marking spec with all its options, three of which the keeper tunes. */
struct marking {
	const struct weir_mark_ops *ops;
	char name[WEIR_OPT_TEXT_SIZE]; /* path, for a plug-in */
	uint64_t *min, *max, *p_q32;   /* pointers into params */
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

static uint64_t *weir_option_of(struct marking *m, const char *name, enum weir_opt_type type)
{
	const struct weir_option *o = weir_option_find(m->ops->scheme.options, name);

	return o && o->type == type ? (uint64_t *)(void *)(m->params + o->offset) : NULL;
}

static int weir_read_marking(const char *spec, struct marking *m, struct weir_error *e)
{
	if (scheme_parse_mark(spec, &m->ops, m->params, e) ||
	    weir_spec_name(spec, m->name, sizeof(m->name), e))
		return -1;
	m->min = weir_option_of(m, "min", WEIR_OPT_LENGTH);
	m->max = weir_option_of(m, "max", WEIR_OPT_LENGTH);
	m->p_q32 = weir_option_of(m, "p", WEIR_OPT_FRACTION_Q32);
	if (!m->min || !m->max || !m->p_q32)
		return weir_error_set(e, "its marking is %s; only red has min, max and p",
				      m->ops->scheme.name);
	if (weir_length_is_packets(*m->min) || weir_length_is_packets(*m->max))
		return weir_error_set(e, "its min and max are in packets; the keeper needs bytes");
	return 0;
}

/* The marking spec of a profile's port. */
static enum keeper_reading weir_port_marking(const struct weir_driver *d, uint32_t profile,
					     struct marking *m, struct weir_error *e)
{
	char spec[SPEC_SIZE];
	struct port_status s;
	enum keeper_reading reading = weir_read_port(d, profile, &s, e);
	int failed;

	if (reading != KEEPER_READ)
		return reading;
	failed =
		weir_json_find(&s.port, "marking") || weir_json_string(&s.port, spec, sizeof(spec));
	free(s.text);
	if (failed)
		weir_error_prefix(e, "the switch tunes its ports itself: ");
	if (!failed && weir_read_marking(spec, m, e) == 0)
		return KEEPER_READ;
	weir_error_prefix(e, "port %s: ", d->plan->profiles[profile].name);
	return KEEPER_UNFIT;
}

static enum keeper_reading weir_driver_read(void *driver, uint32_t profile,
					    struct keeper_setting *s, struct weir_error *e)
{
	struct marking m;
	enum keeper_reading reading = weir_port_marking(driver, profile, &m, e);

	if (reading != KEEPER_READ)
		return reading;
	*s = (struct keeper_setting){
		.min_bytes = *m.min,
		.max_bytes = *m.max,
		.p_ppm = (uint32_t)((*m.p_q32 * KEEPER_PPM + WEIR_ONE_Q32 / 2) >> 32),
	};
	return KEEPER_READ;
}

/* {"done":"..."}, or {"error":"..."}. */
static int weir_check_done(const char *answer, struct weir_error *e)
{
	struct weir_json j = weir_json_begin(answer, strlen(answer), "the switch's reply", e);
	struct weir_json error = j;
	char text[200];

	if (weir_json_find(&j, "done") == 0)
		return 0;
	if (weir_json_find(&error, "error") == 0 &&
	    weir_json_string(&error, text, sizeof(text)) == 0)
		return weir_error_set(e, "the switch refused the change: %s", text);
	return -1;
}

/* Other options of the marking spec are unchanged. */
static int weir_driver_write(void *driver, uint32_t profile, const struct keeper_setting *s,
			     struct weir_error *e)
{
	const struct weir_driver *d = driver;
	char spec[SPEC_SIZE], request[REQUEST_SIZE], *answer;
	struct marking m;
	int failed;

	if (weir_port_marking(d, profile, &m, e) != KEEPER_READ)
		return -1;
	*m.min = s->min_bytes;
	*m.max = s->max_bytes;
	*m.p_q32 = (((uint64_t)s->p_ppm << 32) + KEEPER_PPM / 2) / KEEPER_PPM;
	weir_spec_format(spec, sizeof(spec), m.name, m.ops->scheme.options, m.params);
	if (snprintf(request, sizeof(request), "set port.%s.marking=%s\n",
		     d->plan->profiles[profile].name, spec) >= (int)sizeof(request))
		return weir_error_set(e, "the marking is too long to be written");
	answer = weir_ask(d, request, e);
	if (!answer)
		return -1;
	failed = weir_check_done(answer, e);
	free(answer);
	return failed ? -1 : 0;
}

static enum keeper_reading weir_driver_count(void *driver, uint32_t profile,
					     struct keeper_counters *c, struct weir_error *e)
{
	const struct weir_driver *d = driver;
	const struct {
		const char *name;
		uint64_t *counter;
	} wanted[] = {
		{ "tx_bytes", &c->since_start[KEEPER_OUT_BYTES] },
		{ "drops", &c->since_start[KEEPER_DROPS] },
		{ "marks", &c->since_start[KEEPER_MARKED_PKTS] },
		{ "queue_bytes", &c->queue_bytes },
		{ "rate_bps", &c->rate_bps },
	};
	struct port_status s;
	enum keeper_reading reading = weir_read_port(d, profile, &s, e);
	int failed = 0;

	if (reading != KEEPER_READ)
		return reading;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !failed; i++)
		failed = weir_read_counter(&s, wanted[i].name, wanted[i].counter);
	free(s.text);
	if (!failed)
		return KEEPER_READ;
	weir_error_prefix(e, "port %s: ", d->plan->profiles[profile].name);
	return KEEPER_UNFIT;
}

const struct keeper_driver_ops keeper_driver_weir = {
	.scheme = {
		.name = "weir",
		.help = "a switch run by 'weir switch', through its control socket; profiles are "
			"its ports, with marking = red",
		.params_size = sizeof(struct weir_driver_params),
		.options = weir_driver_options,
		.check = weir_check_params,
	},
	.p_unit_ppm = 1,
	.open = weir_driver_open,
	.close = weir_driver_close,
	.read = weir_driver_read,
	.count = weir_driver_count,
	.write = weir_driver_write,
};
