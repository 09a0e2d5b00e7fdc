/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.c -- see numbers.h. */
#include "switch/run/numbers.h"
#include <inttypes.h>
#include <string.h>

static uint64_t rx_pkts(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->counts.rx_pkts;
}

static uint64_t rx_bytes(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->counts.rx_bytes;
}

static uint64_t tx_pkts(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->port->tx_pkts;
}

static uint64_t tx_bytes(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->port->tx_bytes;
}

static uint64_t marks(struct loop *l, uint32_t i)
{
	return plane_marks(loop_port(l, i));
}

static uint64_t drops(struct loop *l, uint32_t i)
{
	return plane_drops(loop_port(l, i));
}

static uint64_t refused(struct loop *l, uint32_t i)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < PLANE_FAULTS; k++)
		sum += loop_faults(l, i, (enum plane_fault)k);
	return sum;
}

static uint64_t queue_pkts(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->port->pkts;
}

static uint64_t queue_bytes(struct loop *l, uint32_t i)
{
	return loop_port(l, i)->port->bytes;
}

static uint64_t is_up(struct loop *l, uint32_t i)
{
	return (uint64_t)l->is_up[i];
}

/* Names end as those of Prometheus do: _total where something is counted. */
static const struct number {
	const char *name, *type, *help;
	uint64_t (*read)(struct loop *l, uint32_t port);
} numbers[] = {
	{ "weir_rx_packets_total", "counter", "Frames that came in.", rx_pkts },
	{ "weir_rx_bytes_total", "counter", "Bytes of these.", rx_bytes },
	{ "weir_tx_packets_total", "counter", "Frames that the port's line took.", tx_pkts },
	{ "weir_tx_bytes_total", "counter", "Bytes of these.", tx_bytes },
	{ "weir_marks_total", "counter", "Packets that the port marked.", marks },
	{ "weir_drops_total", "counter", "Packets that the port dropped.", drops },
	{ "weir_refused_total", "counter", "Frames that came in and were offered to no port.",
	  refused },
	{ "weir_queue_packets", "gauge", "Packets that wait in the port.", queue_pkts },
	{ "weir_queue_bytes", "gauge", "Bytes that wait in the port.", queue_bytes },
	{ "weir_link_up", "gauge", "1 where the port's interface is up.", is_up },
};

int numbers_page(void *context, const char *path, FILE *f, const char **type)
{
	struct loop *l = context;

	if (strcmp(path, "/metrics") != 0 && strcmp(path, "/") != 0)
		return -1;
	*type = "text/plain; version=0.0.4";
	for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", numbers[n].name, numbers[n].help,
			numbers[n].name, numbers[n].type);
		for (uint32_t i = 0; i < l->settings->port_count; i++)
			fprintf(f, "%s{port=\"%s\"} %" PRIu64 "\n", numbers[n].name,
				loop_port(l, i)->name, numbers[n].read(l, i));
	}
	return 0;
}
