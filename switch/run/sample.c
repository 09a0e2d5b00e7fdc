/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c -- see sample.h. */
#include "switch/run/sample.h"
#include "weir/units.h"
#include <string.h>

enum sample_kind { SAMPLE_LENGTH, SAMPLE_COUNT, SAMPLE_RATE };

static uint64_t queue_pkts(const struct plane_port *p)
{
	return p->port->pkts;
}

static uint64_t queue_bytes(const struct plane_port *p)
{
	return p->port->bytes;
}

static uint64_t tx_bytes(const struct plane_port *p)
{
	return p->port->tx_bytes;
}

static const struct sample {
	const char *name, *unit;
	enum sample_kind kind;
	uint64_t (*read)(const struct plane_port *p);
} samples[] = {
	{ "queue", "pkts", SAMPLE_LENGTH, queue_pkts },
	{ "queue-bytes", "bytes", SAMPLE_LENGTH, queue_bytes },
	{ "throughput", "bps", SAMPLE_RATE, tx_bytes },
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

	return samples[what].read == queue_pkts ? (double)q->pkts : (double)q->bytes;
}
