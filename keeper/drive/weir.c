/* weir.c -- the driver of 'weir switch': a profile is a port, and its setting is min, max and p of the port's red.
 * Asked over the switch's socket, a connection each time: there is nothing to lose then. */
#define _GNU_SOURCE
#include "keeper/drive/drivers.h"
#include "sim/config/plugin.h"
#include "sim/base/memory.h"
#include "weir/mark.h"
#include "weir/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

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
	  UINT64_C(60) * WEIR_NS_PER_S, "how long the switch may take to answer", NULL },
	{ .name = NULL },
};
#undef AT

static int check_params(const void *params, struct weir_error *e)
{
	const struct weir_driver_params *p = params;

	if (!p->socket[0] || strlen(p->socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return weir_error_set(e, "socket: the path of a socket is wanted, as in "
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

/* --- asking --- */

/* A descriptor that gives up after the timeout, or -1. */
static int reach(const struct weir_driver *d)
{
	const struct timeval patience = {
		(time_t)(d->params->timeout_ns / WEIR_NS_PER_S),
		(suseconds_t)(d->params->timeout_ns % WEIR_NS_PER_S / WEIR_NS_PER_US),
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, d->params->socket, strlen(d->params->socket) + 1);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The line of the answer, for the caller to free; NULL with a message. */
static char *hear(int fd)
{
	char *text = memory_zeroed(ANSWER_MAX, 1);
	size_t length = 0;
	ssize_t got = 1;

	while (got > 0 && length < ANSWER_MAX - 1 && !memchr(text, '\n', length)) {
		got = recv(fd, text + length, ANSWER_MAX - 1 - length, 0);
		length += got > 0 ? (size_t)got : 0;
	}
	if (memchr(text, '\n', length))
		return text;
	free(text);
	return NULL;
}

static char *ask(const struct weir_driver *d, const char *request, struct weir_error *e)
{
	int fd = reach(d);
	char *text = NULL;

	if (fd >= 0 && send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request))
		text = hear(fd);
	if (!text)
		weir_error_set(e, "%s: the switch does not answer", d->params->socket);
	if (fd >= 0)
		close(fd);
	return text;
}

/* --- reading --- */

/* The port's object in the status, cut out of it; names hold nothing that JSON would change. */
static char *find_port(char *status, const char *name)
{
	char pattern[INI_NAME_SIZE + 16];
	char *at, *next;

	snprintf(pattern, sizeof(pattern), "{\"name\":\"%s\",", name);
	at = strstr(status, pattern);
	next = at ? strstr(at + 1, "{\"name\":") : NULL;
	if (next)
		*next = '\0';
	return at;
}

static uint64_t number(const char *port, const char *name)
{
	char pattern[64];
	const char *at;

	snprintf(pattern, sizeof(pattern), "\"%s\":", name);
	at = strstr(port, pattern);
	return at ? strtoull(at + strlen(pattern), NULL, 10) : 0;
}

/* "marking": a spec has neither quotes nor backslashes. */
static int find_spec(const char *port, char spec[SPEC_SIZE])
{
	static const char pattern[] = "\"marking\":\"";
	const char *at = strstr(port, pattern);
	size_t length = at ? strcspn(at + strlen(pattern), "\"\\") : 0;

	if (!length || length >= SPEC_SIZE)
		return -1;
	memcpy(spec, at + strlen(pattern), length);
	spec[length] = '\0';
	return 0;
}

/* The port of that profile, in the status for the caller to free. */
static enum keeper_reading read_port(const struct weir_driver *d, uint32_t profile, char **status,
				     char **port, struct weir_error *e)
{
	const char *name = d->plan->profiles[profile].name;

	*status = ask(d, "status\n", e);
	if (!*status)
		return KEEPER_LOST;
	*port = find_port(*status, name);
	if (*port)
		return KEEPER_READ;
	weir_error_set(e, "the switch has no port %s", name);
	free(*status);
	return KEEPER_UNFIT;
}

/* --- settings --- */

/* A marking with all its options, of which three are the keeper's. */
struct marking {
	const struct weir_mark_ops *ops;
	char name[WEIR_OPT_TEXT_SIZE]; /* of a plug-in: its path */
	uint64_t *min, *max, *p_q32;   /* in params */
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

static uint64_t *option_of(struct marking *m, const char *name, enum weir_opt_type type)
{
	const struct weir_option *o = weir_option_find(m->ops->scheme.options, name);

	return o && o->type == type ? (uint64_t *)(void *)(m->params + o->offset) : NULL;
}

static int read_marking(const char *spec, struct marking *m, struct weir_error *e)
{
	if (any_mark_parse(spec, &m->ops, m->params, e) ||
	    weir_spec_name(spec, m->name, sizeof(m->name), e))
		return -1;
	m->min = option_of(m, "min", WEIR_OPT_LENGTH);
	m->max = option_of(m, "max", WEIR_OPT_LENGTH);
	m->p_q32 = option_of(m, "p", WEIR_OPT_FRACTION_Q32);
	if (!m->min || !m->max || !m->p_q32)
		return weir_error_set(e, "its marking is %s, which has no min, max and p",
				      m->ops->scheme.name);
	if (weir_length_is_packets(*m->min) || weir_length_is_packets(*m->max))
		return weir_error_set(e, "its min and max are packets; a keeper turns bytes");
	return 0;
}

/* The marking of a profile's port. */
static enum keeper_reading port_marking(const struct weir_driver *d, uint32_t profile,
					struct marking *m, struct weir_error *e)
{
	char *status, *port, spec[SPEC_SIZE];
	enum keeper_reading reading = read_port(d, profile, &status, &port, e);
	int failed;

	if (reading != KEEPER_READ)
		return reading;
	failed = find_spec(port, spec);
	free(status);
	if (failed)
		weir_error_set(e, "the switch tunes its ports itself");
	if (!failed && read_marking(spec, m, e) == 0)
		return KEEPER_READ;
	weir_error_prefix(e, "port %s: ", d->plan->profiles[profile].name);
	return KEEPER_UNFIT;
}

static enum keeper_reading weir_driver_read(void *driver, uint32_t profile,
					    struct keeper_setting *s, struct weir_error *e)
{
	struct marking m;
	enum keeper_reading reading = port_marking(driver, profile, &m, e);

	if (reading != KEEPER_READ)
		return reading;
	*s = (struct keeper_setting){
		.min_bytes = *m.min,
		.max_bytes = *m.max,
		.p_ppm = (uint32_t)((*m.p_q32 * KEEPER_PPM + WEIR_ONE_Q32 / 2) >> 32),
	};
	return KEEPER_READ;
}

/* Other options of the marking stay as they are. */
static int weir_driver_write(void *driver, uint32_t profile, const struct keeper_setting *s,
			     struct weir_error *e)
{
	const struct weir_driver *d = driver;
	char spec[SPEC_SIZE], request[REQUEST_SIZE], *answer;
	struct marking m;
	int failed;

	if (port_marking(d, profile, &m, e) != KEEPER_READ)
		return -1;
	*m.min = s->min_bytes;
	*m.max = s->max_bytes;
	*m.p_q32 = (((uint64_t)s->p_ppm << 32) + KEEPER_PPM / 2) / KEEPER_PPM;
	weir_spec_format(spec, sizeof(spec), m.name, m.ops->scheme.options, m.params);
	if (snprintf(request, sizeof(request), "set port.%s.marking=%s\n",
		     d->plan->profiles[profile].name, spec) >= (int)sizeof(request))
		return weir_error_set(e, "the marking is too long to be written");
	answer = ask(d, request, e);
	if (!answer)
		return -1;
	failed = strstr(answer, "\"error\"") != NULL;
	if (failed)
		weir_error_set(e, "the switch refuses it: %.200s", answer);
	free(answer);
	return failed ? -1 : 0;
}

static enum keeper_reading weir_driver_count(void *driver, uint32_t profile,
					     struct keeper_counters *c, struct weir_error *e)
{
	char *status, *port;
	enum keeper_reading reading = read_port(driver, profile, &status, &port, e);

	if (reading != KEEPER_READ)
		return reading;
	c->since_start[KEEPER_OUT_BYTES] = number(port, "tx_bytes");
	c->since_start[KEEPER_DROPS] = number(port, "drops");
	c->since_start[KEEPER_MARKED_PKTS] = number(port, "marks");
	c->queue_bytes = number(port, "queue_bytes");
	c->rate_bps = number(port, "rate_bps");
	free(status);
	return KEEPER_READ;
}

const struct keeper_driver_ops keeper_driver_weir = {
	.scheme = {
		.name = "weir",
		.help = "a switch that 'weir switch' runs, by its socket; profiles are its ports, whose marking is red",
		.params_size = sizeof(struct weir_driver_params),
		.options = weir_driver_options,
		.check = check_params,
	},
	.p_unit_ppm = 1,
	.open = weir_driver_open,
	.close = weir_driver_close,
	.read = weir_driver_read,
	.count = weir_driver_count,
	.write = weir_driver_write,
};
