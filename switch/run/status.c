/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c -- see status.h. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/status.h"
#include "base/text.h"
#include <inttypes.h>
#include <unistd.h>

static void number(FILE *f, const char *name, uint64_t value)
{
	fprintf(f, ",\"%s\":%" PRIu64, name, value);
}

static void real(FILE *f, const char *name, double value)
{
	fprintf(f, ",\"%s\":%s", name, exact_number(value).text);
}

/* {"queue full":3}: those that are not zero and have a name. */
static void reasons(FILE *f, const char *name, const char *const *names, const uint64_t *counts,
		    uint32_t count)
{
	const char *between = "";

	fprintf(f, ",\"%s\":{", name);
	for (uint32_t i = 0; i < count; i++) {
		if (!names[i] || !counts[i])
			continue;
		fputs(between, f);
		json_text(f, names[i]);
		fprintf(f, ":%" PRIu64, counts[i]);
		between = ",";
	}
	fputc('}', f);
}

/* Lengths over the time that they are measured. */
static void queue_json(FILE *f, const struct weir_port_stats *s)
{
	uint64_t time_ps = 0;

	for (uint32_t i = 0; i < WEIR_PORT_STATS_BUCKETS; i++)
		time_ps += s->bucket_ps[i];
	number(f, "measured_ps", time_ps);
	if (!time_ps)
		return;
	real(f, "queue_mean_pkts", (double)weir_port_stats_pkts_ps(s) / (double)time_ps);
	real(f, "queue_mean_bytes", (double)s->bytes_ps / (double)time_ps);
	number(f, "queue_p50_pkts", weir_port_stats_quantile(s, 0.5));
	number(f, "queue_p95_pkts", weir_port_stats_quantile(s, 0.95));
	number(f, "queue_p99_pkts", weir_port_stats_quantile(s, 0.99));
	number(f, "queue_max_pkts", s->max_pkts);
}

/* What an agent or tuner has set, a row for each queue. */
static void knobs_json(FILE *f, const struct loop *l, uint32_t port, uint32_t queues)
{
	struct weir_tune_knobs k;

	if (!l->tuning)
		return;
	fputs(",\"knobs\":[", f);
	for (uint32_t q = 0; q < queues && tuning_knobs(l->tuning, port, q, &k); q++)
		fprintf(f, "%s{\"min_bytes\":%" PRIu64 ",\"max_bytes\":%" PRIu64 ",\"p\":%s}",
			q ? "," : "", k.min_bytes, k.max_bytes,
			exact_number((double)weir_tune_p_q32(&k) / (double)WEIR_ONE_Q32).text);
	fputc(']', f);
}

/* As 'set port.NAME.marking=' takes it. Where somebody tunes it there are knobs instead. */
static void marking_json(FILE *f, const struct loop *l, const struct plane_port *p)
{
	char spec[1024];

	if (l->tuning)
		return;
	fputs(",\"marking\":", f);
	json_text(f, weir_spec_format(spec, sizeof(spec), p->plan.mark->scheme.name,
				      p->plan.mark->scheme.options, p->plan.mark_params));
}

static void port_json(FILE *f, struct loop *l, uint32_t i)
{
	const struct port_settings *settings = &l->settings->ports[i];
	const struct plane_port *p = loop_port(l, i);
	const struct weir_port *port = p->port;
	uint64_t faults[PLANE_FAULTS];

	for (uint32_t k = 0; k < PLANE_FAULTS; k++)
		faults[k] = loop_faults(l, i, (enum plane_fault)k);
	fputs("{\"name\":", f);
	json_text(f, p->name);
	fputs(settings->to[0] ? ",\"to\":" : ",\"interface\":", f);
	json_text(f, settings->to[0] ? settings->to : settings->interface);
	fprintf(f, ",\"up\":%s", l->is_up[i] ? "true" : "false");
	number(f, "rate_bps", port->kind->rate_bps);
	number(f, "delay_ps", (uint64_t)p->delay_ps);
	number(f, "rx_pkts", p->counts.rx_pkts);
	number(f, "rx_bytes", p->counts.rx_bytes);
	number(f, "rx_ce", p->counts.rx_ce);
	number(f, "rx_lost", loop_lost_pkts(l, i));
	number(f, "tx_pkts", port->tx_pkts);
	number(f, "tx_bytes", port->tx_bytes);
	number(f, "sent_pkts", p->counts.sent_pkts);
	number(f, "lost_time_ps", (uint64_t)p->counts.lost_ps);
	number(f, "marks", plane_marks(p));
	number(f, "drops", plane_drops(p));
	number(f, "queue_pkts", port->pkts);
	number(f, "queue_bytes", port->bytes);
	queue_json(f, &p->stats);
	reasons(f, "mark_reasons", port->kind->mark->reasons, port->rare->marks, WEIR_MARK_REASONS);
	reasons(f, "drop_reasons", weir_port_drop_names, port->rare->drops, WEIR_PORT_DROPS);
	reasons(f, "refused", plane_fault_names, faults, PLANE_FAULTS);
	knobs_json(f, l, i, port->kind->queues);
	marking_json(f, l, p);
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
	json_text(f, l->settings->title);
	fputs(",\"file\":", f);
	json_text(f, l->settings->file);
	number(f, "pid", (uint64_t)getpid());
	number(f, "time_ps", (uint64_t)loop_now_ps(l));
	number(f, "threads", l->group_count);
	number(f, "turns", turns);
	number(f, "buffers", l->settings->real.buffers);
	number(f, "buffers_free", buffers_free);
	fputs(",\"ports\":[", f);
	for (uint32_t i = 0; i < l->settings->port_count; i++) {
		if (i)
			fputc(',', f);
		port_json(f, l, i);
	}
	fputs("]}\n", f);
}
