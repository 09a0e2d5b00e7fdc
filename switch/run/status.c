/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c -- counters of a switch, as JSON for the control socket and as Prometheus metrics.
 * Contract in control.h. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/control.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void status_print_number(FILE *f, const char *name, uint64_t value)
{
	fprintf(f, ",\"%s\":%" PRIu64, name, value);
}

static void status_print_real(FILE *f, const char *name, double value)
{
	fprintf(f, ",\"%s\":%s", name, format_exact(value).text);
}

/* {"queue full":3}: the named reasons with a non-zero count. */
static void status_print_reasons(FILE *f, const char *name, const char *const *names,
				 const uint64_t *counts, uint32_t count)
{
	const char *between = "";

	fprintf(f, ",\"%s\":{", name);
	for (uint32_t i = 0; i < count; i++) {
		if (!names[i] || !counts[i])
			continue;
		fputs(between, f);
		json_write_string(f, names[i]);
		fprintf(f, ":%" PRIu64, counts[i]);
		between = ",";
	}
	fputc('}', f);
}

/* Queue statistics over the measurement interval. */
static void status_print_queue(FILE *f, const struct weir_port_stats *s)
{
	uint64_t time_ps = 0;

	for (uint32_t i = 0; i < WEIR_PORT_STATS_BUCKETS; i++)
		time_ps += s->bucket_ps[i];
	status_print_number(f, "measured_ps", time_ps);
	if (!time_ps)
		return;
	status_print_real(f, "queue_mean_pkts",
			  (double)weir_port_stats_pkts_ps(s) / (double)time_ps);
	status_print_real(f, "queue_mean_bytes", (double)s->bytes_ps / (double)time_ps);
	status_print_number(f, "queue_p50_pkts", weir_port_stats_quantile(s, 0.5));
	status_print_number(f, "queue_p95_pkts", weir_port_stats_quantile(s, 0.95));
	status_print_number(f, "queue_p99_pkts", weir_port_stats_quantile(s, 0.99));
	status_print_number(f, "queue_max_pkts", s->max_pkts);
}

/* Settings in force by an agent or tuner, one row per queue. */
static void status_print_knobs(FILE *f, const struct loop *l, uint32_t port, uint32_t queues)
{
	struct weir_tune_knobs k;

	if (!l->tuning)
		return;
	fputs(",\"knobs\":[", f);
	for (uint32_t q = 0; q < queues && tuning_knobs(l->tuning, port, q, &k); q++)
		fprintf(f, "%s{\"min_bytes\":%" PRIu64 ",\"max_bytes\":%" PRIu64 ",\"p\":%s}",
			q ? "," : "", k.min_bytes, k.max_bytes,
			format_exact((double)weir_tune_p_q32(&k) / (double)WEIR_ONE_Q32).text);
	fputc(']', f);
}

/* The marking spec, in the form that 'set port.NAME.marking=' accepts. When a tuner controls it,
 * the knobs are listed instead. */
static void status_print_marking(FILE *f, const struct loop *l, const struct plane_port *p)
{
	char spec[1024];

	if (l->tuning)
		return;
	fputs(",\"marking\":", f);
	json_write_string(f, weir_spec_format(spec, sizeof(spec), p->plan.mark->scheme.name,
					      p->plan.mark->scheme.options, p->plan.mark_params));
}

static void status_print_port(FILE *f, struct loop *l, uint32_t i)
{
	const struct port_settings *settings = &l->settings->ports[i];
	const struct plane_port *p = loop_port(l, i);
	const struct weir_port *port = p->port;
	uint64_t faults[PLANE_FAULTS];

	for (uint32_t k = 0; k < PLANE_FAULTS; k++)
		faults[k] = loop_faults(l, i, (enum plane_fault)k);
	fputs("{\"name\":", f);
	json_write_string(f, p->name);
	fputs(settings->to[0] ? ",\"to\":" : ",\"interface\":", f);
	json_write_string(f, settings->to[0] ? settings->to : settings->interface);
	fprintf(f, ",\"up\":%s", l->is_up[i] ? "true" : "false");
	status_print_number(f, "rate_bps", port->kind->rate_bps);
	status_print_number(f, "delay_ps", (uint64_t)p->delay_ps);
	status_print_number(f, "rx_pkts", p->counts.rx_pkts);
	status_print_number(f, "rx_bytes", p->counts.rx_bytes);
	status_print_number(f, "rx_ce", p->counts.rx_ce);
	status_print_number(f, "rx_lost", loop_lost_pkts(l, i));
	status_print_number(f, "tx_pkts", port->tx_pkts);
	status_print_number(f, "tx_bytes", port->tx_bytes);
	status_print_number(f, "sent_pkts", p->counts.sent_pkts);
	status_print_number(f, "lost_time_ps", (uint64_t)p->counts.lost_ps);
	status_print_number(f, "marks", plane_marks(p));
	status_print_number(f, "drops", plane_drops(p));
	status_print_number(f, "queue_pkts", port->pkts);
	status_print_number(f, "queue_bytes", port->bytes);
	status_print_queue(f, &p->stats);
	status_print_reasons(f, "mark_reasons", port->kind->mark->reasons, port->cold->marks,
			     WEIR_MARK_REASONS);
	status_print_reasons(f, "drop_reasons", weir_port_drop_names, port->cold->drops,
			     WEIR_PORT_DROPS);
	status_print_reasons(f, "refused", plane_fault_names, faults, PLANE_FAULTS);
	status_print_knobs(f, l, i, port->kind->queues);
	status_print_marking(f, l, p);
	fputc('}', f);
}

void status_json(FILE *f, struct loop *l)
{
	uint64_t turns = 0, buffers_free = 0;

	for (uint32_t i = 0; i < l->group_count; i++) {
		turns += l->groups[i].turns;
		buffers_free += plane_buffers_free(l->groups[i].plane);
	}
	loop_account(l);
	fputs("{\"title\":", f);
	json_write_string(f, l->settings->title);
	fputs(",\"file\":", f);
	json_write_string(f, l->settings->file);
	status_print_number(f, "pid", (uint64_t)getpid());
	status_print_number(f, "time_ps", (uint64_t)loop_now_ps(l));
	status_print_number(f, "threads", l->group_count);
	status_print_number(f, "turns", turns);
	status_print_number(f, "buffers", l->settings->real.buffers);
	status_print_number(f, "buffers_free", buffers_free);
	fputs(",\"ports\":[", f);
	for (uint32_t i = 0; i < l->settings->port_count; i++) {
		if (i)
			fputc(',', f);
		status_print_port(f, l, i);
	}
	fputs("]}\n", f);
}

/* --- Prometheus --- */

enum {
	METRIC_RX_PKTS,
	METRIC_RX_BYTES,
	METRIC_TX_PKTS,
	METRIC_TX_BYTES,
	METRIC_MARKS,
	METRIC_DROPS,
	METRIC_REFUSED,
	METRIC_QUEUE_PKTS,
	METRIC_QUEUE_BYTES,
	METRIC_LINK_UP,
};

static const struct prometheus_metric port_metrics[] = {
	{ METRIC_RX_PKTS, "weir_rx_packets_total", "counter", "Frames received." },
	{ METRIC_RX_BYTES, "weir_rx_bytes_total", "counter", "Bytes received." },
	{ METRIC_TX_PKTS, "weir_tx_packets_total", "counter", "Frames transmitted." },
	{ METRIC_TX_BYTES, "weir_tx_bytes_total", "counter", "Bytes transmitted." },
	{ METRIC_MARKS, "weir_marks_total", "counter", "Packets marked with CE at egress." },
	{ METRIC_DROPS, "weir_drops_total", "counter", "Packets dropped at egress." },
	{ METRIC_REFUSED, "weir_refused_total", "counter",
	  "Frames received but forwarded to no port." },
	{ METRIC_QUEUE_PKTS, "weir_queue_packets", "gauge", "Packets queued at egress." },
	{ METRIC_QUEUE_BYTES, "weir_queue_bytes", "gauge", "Bytes queued at egress." },
	{ METRIC_LINK_UP, "weir_link_up", "gauge", "1 if the port's interface is up." },
	{ .name = NULL },
};

static double status_read_metric(const void *context, uint32_t number, int metric)
{
	const struct loop *l = context;
	const struct plane_port *p = loop_port(l, number);
	uint64_t refused = 0;

	switch (metric) {
	case METRIC_RX_PKTS:
		return (double)p->counts.rx_pkts;
	case METRIC_RX_BYTES:
		return (double)p->counts.rx_bytes;
	case METRIC_TX_PKTS:
		return (double)p->port->tx_pkts;
	case METRIC_TX_BYTES:
		return (double)p->port->tx_bytes;
	case METRIC_MARKS:
		return (double)plane_marks(p);
	case METRIC_DROPS:
		return (double)plane_drops(p);
	case METRIC_REFUSED:
		for (uint32_t k = 0; k < PLANE_FAULTS; k++)
			refused += loop_faults(l, number, (enum plane_fault)k);
		return (double)refused;
	case METRIC_QUEUE_PKTS:
		return p->port->pkts;
	case METRIC_QUEUE_BYTES:
		return (double)p->port->bytes;
	default:
		return l->is_up[number];
	}
}

static const char *port_name(const void *loop, uint32_t port)
{
	return loop_port(loop, port)->name;
}

int status_page(void *context, const char *path, FILE *f, const char **type)
{
	const struct loop *l = context;
	const struct prometheus_objects ports = {
		.label = "port",
		.count = l->settings->port_count,
		.name = port_name,
		.read = status_read_metric,
		.context = l,
	};

	if (strcmp(path, "/metrics") != 0 && strcmp(path, "/") != 0)
		return -1;
	*type = PROMETHEUS_CONTENT_TYPE;
	prometheus_write(f, port_metrics, &ports);
	return 0;
}
