/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c -- sampling of port quantities. Contract in probe.h. */
#include "switch/run/probe.h"
#include "weir/units.h"
#include "base/input.h"
#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sample_kind { SAMPLE_LENGTH, SAMPLE_COUNT, SAMPLE_RATE };

static uint64_t sample_queue_pkts(const struct plane_port *p)
{
	return p->port->pkts;
}

static uint64_t sample_queue_bytes(const struct plane_port *p)
{
	return p->port->bytes;
}

static uint64_t sample_tx_bytes(const struct plane_port *p)
{
	return p->port->tx_bytes;
}

static const struct sample {
	const char *name, *unit;
	enum sample_kind kind;
	uint64_t (*read)(const struct plane_port *p);
} samples[] = {
	{ "queue", "pkts", SAMPLE_LENGTH, sample_queue_pkts },
	{ "queue-bytes", "bytes", SAMPLE_LENGTH, sample_queue_bytes },
	{ "throughput", "bps", SAMPLE_RATE, sample_tx_bytes },
	{ "marks", "pkts", SAMPLE_COUNT, plane_marks },
	{ "drops", "pkts", SAMPLE_COUNT, plane_drops },
};

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

int sample_find(const char *name, uint32_t *what, struct weir_error *e)
{
	const char *names[SAMPLES];

	for (uint32_t i = 0; i < SAMPLES; i++) {
		names[i] = samples[i].name;
		if (strcmp(names[i], name) == 0) {
			*what = i;
			return 0;
		}
	}
	return weir_error_unknown(e, "probe", name, names, SAMPLES);
}

const char *sample_name(uint32_t what)
{
	return samples[what].name;
}

const char *sample_unit(uint32_t what)
{
	return samples[what].unit;
}

uint64_t sample_count(const struct plane_port *p, uint32_t what)
{
	return samples[what].read(p);
}

double sample_value(const struct plane_port *p, uint32_t what, uint64_t *before, int64_t time_ps)
{
	uint64_t now = samples[what].read(p), more = now - *before;

	if (samples[what].kind == SAMPLE_LENGTH)
		return (double)now;
	*before = now;
	if (samples[what].kind == SAMPLE_COUNT)
		return (double)more;
	return weir_bytes_to_bits((double)more) / weir_ps_to_s(time_ps);
}

int sample_is_length(uint32_t what)
{
	return samples[what].kind == SAMPLE_LENGTH;
}

double sample_queue(const struct plane_port *p, uint32_t what, uint32_t queue)
{
	const struct weir_queue *q = &weir_port_queues(p->port)[queue];

	return samples[what].read == sample_queue_pkts ? (double)q->pkts : (double)q->bytes;
}

/* "b/2": splits the queue number off the port name. */
static int port_probe_read_queue(struct port_probe *p, char *name, struct weir_error *e)
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

static int port_probe_check_queue(const struct port_probe *p, const struct switch_settings *s,
				  struct weir_error *e)
{
	const struct port_settings *port = &s->ports[p->port];

	if (p->queue_plus_one && !p->value && !sample_is_length(p->what))
		return weir_error_set(e, "a single queue has only queue and queue-bytes");
	if (p->queue_plus_one <= port->config.queues)
		return 0;
	return weir_error_set(e, "port %s has %u queues, counted from 0", port->name,
			      port->config.queues);
}

/* Finds a quantity that every port has, or one that this port's marking scheme exposes. Under a
 * tuner, schemes are wrapped in meters. */
static int port_probe_find_quantity(struct port_probe *p, const struct switch_settings *s,
				    const char *name, struct weir_error *e)
{
	const struct weir_mark_value *v = s->ports[p->port].config.mark->values;

	for (; v && v->name && !s->config.agent && !s->config.tuner; v++)
		if (strcmp(v->name, name) == 0) {
			p->value = v;
			return 0;
		}
	return sample_find(name, &p->what, e);
}

const char *port_probe_name(const struct port_probe *p)
{
	return p->value ? p->value->name : sample_name(p->what);
}

const char *port_probe_unit(const struct port_probe *p)
{
	return p->value ? p->value->unit : sample_unit(p->what);
}

struct port_probe_queue_text port_probe_queue(const struct port_probe *p)
{
	struct port_probe_queue_text t = { "" };

	if (p->queue_plus_one)
		snprintf(t.text, sizeof(t.text), "/%u", p->queue_plus_one - 1);
	return t;
}

int port_probe_read(struct port_probe *p, const struct switch_settings *s, const char *line,
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

	*p = (struct port_probe){ 0 };
	if (words_split(&w, line) != 4 || strcmp(w.word[2], "every") != 0)
		return weir_error_set(
			e, "%s; a probe is WHAT PORT every TIME, as in: queue h0 every 10ms",
			weir_quote(line).text);
	snprintf(port, sizeof(port), "%s", w.word[1]);
	if (port_probe_read_queue(p, port, e) || settings_port(s, port, &p->port, e) ||
	    port_probe_find_quantity(p, s, w.word[0], e) || port_probe_check_queue(p, s, e) ||
	    weir_option_parse(&every_ps, &every, w.word[3], e))
		return -1;
	p->every_ps = (int64_t)every_ps;
	return 0;
}

void port_probe_start(struct port_probe *p, const struct plane_port *port, int64_t now_ps)
{
	p->next_ps = now_ps;
	p->before = p->value ? 0 : sample_count(port, p->what);
}

double port_probe_sample(struct port_probe *p, const struct plane_port *port, int64_t now_ps)
{
	uint32_t queue = p->queue_plus_one ? p->queue_plus_one - 1 : 0;
	double value;

	if (p->value)
		value = p->value->read(weir_port_mark_state(port->port, queue),
				       port->port->kind->mark_params);
	else if (p->queue_plus_one)
		value = sample_queue(port, p->what, queue);
	else
		value = sample_value(port, p->what, &p->before, p->every_ps);
	while (p->next_ps <= now_ps)
		p->next_ps += p->every_ps;
	return value;
}

void records_open(struct records *r, const struct switch_settings *s)
{
	struct weir_error unheard;

	r->count = s->real.probes.count;
	r->all = memory_zeroed(r->count + UINT64_C(1), sizeof(*r->all));
	for (uint32_t i = 0; i < r->count; i++)
		port_probe_read(&r->all[i].probe, s, s->real.probes.lines[i].text, &unheard);
}

void records_close(struct records *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		free(r->all[i].time_ps);
		free(r->all[i].value);
	}
	free(r->all);
	*r = (struct records){ 0 };
}

/* Capacity doubles: the array grows whenever the count is a power of two. */
static void record_add_point(struct record *r, int64_t time_ps, double value)
{
	if (r->count == RECORD_POINTS_MAX || isnan(value)) /* a scheme may not expose the value */
		return;
	if ((r->count & (r->count - 1)) == 0) {
		uint64_t room = r->count ? 2 * r->count : 1;

		r->time_ps = memory_grow(r->time_ps, room, sizeof(*r->time_ps));
		r->value = memory_grow(r->value, room, sizeof(*r->value));
	}
	r->time_ps[r->count] = time_ps;
	r->value[r->count++] = value;
}

void records_sample(struct records *r, struct plane *plane, uint64_t ports, int64_t now_ps)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct port_probe *w = &r->all[i].probe;

		if (ports >> w->port & 1 && w->next_ps <= now_ps)
			record_add_point(&r->all[i], now_ps,
					 port_probe_sample(w, plane_port(plane, w->port), now_ps));
	}
}

int64_t records_next_ps(const struct records *r, uint64_t ports)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < r->count; i++)
		if (ports >> r->all[i].probe.port & 1 && r->all[i].probe.next_ps < next_ps)
			next_ps = r->all[i].probe.next_ps;
	return next_ps;
}
