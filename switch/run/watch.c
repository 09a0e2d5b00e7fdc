/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c -- see watch.h. */
#include "switch/run/watch.h"
#include "base/words.h"
#include "switch/run/sample.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

/* "b/2": cuts the queue off the name of the port. */
static int read_queue(struct watch *p, char *name, struct weir_error *e)
{
	static const struct weir_option queue = {
		.name = "queue", .type = WEIR_OPT_COUNT, .max = WEIR_QUEUES_MAX - 1, .help = ""
	};
	char *slash = strchr(name, '/');
	uint64_t number;

	if (!slash)
		return 0;
	*slash = '\0';
	if (weir_option_parse(&number, &queue, slash + 1, e))
		return -1;
	p->queue_plus_one = (uint32_t)number + 1;
	return 0;
}

static int check_queue(const struct watch *p, const struct switch_settings *s, struct weir_error *e)
{
	const struct port_settings *port = &s->ports[p->port];

	if (p->queue_plus_one && !p->value && !sample_is_length(p->what))
		return weir_error_set(e, "of one queue there are queue and queue-bytes alone");
	if (p->queue_plus_one <= port->config.queues)
		return 0;
	return weir_error_set(e, "port %s has %u queues, counted from 0", port->name,
			      port->config.queues);
}

/* A quantity of every port, or one that the scheme of this one shows. Under a tuner schemes are
 * wrapped in meters. */
static int find_quantity(struct watch *p, const struct switch_settings *s, const char *name,
			 struct weir_error *e)
{
	const struct weir_mark_value *v = s->ports[p->port].config.mark->values;

	for (; v && v->name && !s->config.agent && !s->config.tuner; v++)
		if (strcmp(v->name, name) == 0) {
			p->value = v;
			return 0;
		}
	return sample_find(name, &p->what, e);
}

const char *watch_name(const struct watch *p)
{
	return p->value ? p->value->name : sample_name(p->what);
}

const char *watch_unit(const struct watch *p)
{
	return p->value ? p->value->unit : sample_unit(p->what);
}

struct watch_queue_text watch_queue(const struct watch *p)
{
	struct watch_queue_text t = { "" };

	if (p->queue_plus_one)
		snprintf(t.text, sizeof(t.text), "/%u", p->queue_plus_one - 1);
	return t;
}

int watch_read(struct watch *p, const struct switch_settings *s, const char *line,
	       struct weir_error *e)
{
	static const struct weir_option every = { .name = "every",
						  .type = WEIR_OPT_TIME_PS,
						  .min = WEIR_PS_PER_S / 10000,
						  .max = 1000 * WEIR_PS_PER_S,
						  .help = "" };
	char port[PLANE_NAME_SIZE + 16];
	struct words w;
	uint64_t every_ps;

	*p = (struct watch){ 0 };
	if (words_split(&w, line) != 4 || strcmp(w.word[2], "every") != 0)
		return weir_error_set(
			e, "%s; a probe is WHAT PORT every TIME, as in: queue h0 every 10ms",
			weir_quote(line).text);
	snprintf(port, sizeof(port), "%s", w.word[1]);
	if (read_queue(p, port, e) || settings_port(s, port, &p->port, e) ||
	    find_quantity(p, s, w.word[0], e) || check_queue(p, s, e) ||
	    weir_option_parse(&every_ps, &every, w.word[3], e))
		return -1;
	p->every_ps = (int64_t)every_ps;
	return 0;
}

void watch_begin(struct watch *p, const struct plane_port *port, int64_t now_ps)
{
	p->next_ps = now_ps;
	p->before = p->value ? 0 : sample_count(port, p->what);
}

static double read_value(const struct watch *p, const struct plane_port *port)
{
	uint32_t queue = p->queue_plus_one ? p->queue_plus_one - 1 : 0;

	if (p->value)
		return p->value->read(weir_port_mark_state(port->port, queue),
				      port->port->kind->mark_params);
	return sample_queue(port, p->what, queue);
}

double watch_take(struct watch *p, const struct plane_port *port, int64_t now_ps)
{
	double value = p->value || p->queue_plus_one
			       ? read_value(p, port)
			       : sample_value(port, p->what, &p->before, p->every_ps);

	while (p->next_ps <= now_ps)
		p->next_ps += p->every_ps;
	return value;
}
