/* SPDX-License-Identifier: BSD-3-Clause */
/* http_endpoint.c -- the HTML page and the Prometheus metrics of a keeper. Contract in
 * service.h. */
#define _POSIX_C_SOURCE 200809L
#include "keeper/service/service.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>

/* --- Prometheus --- */

enum {
	METRIC_UP,
	METRIC_PAUSED,
	METRIC_DRY_RUN,
	METRIC_STEPS,
};

static const struct prometheus_metric keeper_metrics[] = {
	{ METRIC_UP, "weir_keeper_up", "gauge", "1 if the switch answers." },
	{ METRIC_PAUSED, "weir_keeper_paused", "gauge", "1 if tuning is paused." },
	{ METRIC_DRY_RUN, "weir_keeper_dry_run", "gauge", "1 in a dry run, which writes nothing." },
	{ METRIC_STEPS, "weir_keeper_steps_total", "counter",
	  "Control intervals since the keeper started." },
	{ .name = NULL },
};

static double metrics_read_keeper(const void *context, uint32_t object, int metric)
{
	const struct keeper *k = context;

	(void)object;
	switch (metric) {
	case METRIC_UP:
		return !k->is_lost;
	case METRIC_PAUSED:
		return k->is_paused;
	case METRIC_DRY_RUN:
		return k->mode == KEEPER_DRY;
	default:
		return (double)k->steps;
	}
}

enum {
	METRIC_MIN_BYTES,
	METRIC_MAX_BYTES,
	METRIC_PROBABILITY,
	METRIC_WRITES,
	METRIC_ROLLBACKS,
	METRIC_REFUSED,
	METRIC_OUT_BYTES,
	METRIC_DROPS,
	METRIC_MARKS,
	METRIC_PAUSES,
	METRIC_QUEUE_BYTES,
};

static const struct prometheus_metric profile_metrics[] = {
	{ METRIC_MIN_BYTES, "weir_keeper_min_bytes", "gauge",
	  "Minimum threshold; shorter queues are not marked." },
	{ METRIC_MAX_BYTES, "weir_keeper_max_bytes", "gauge", "Maximum threshold." },
	{ METRIC_PROBABILITY, "weir_keeper_probability", "gauge",
	  "Marking probability at the maximum threshold." },
	{ METRIC_WRITES, "weir_keeper_writes_total", "counter",
	  "Settings that the keeper wrote, rollbacks included." },
	{ METRIC_ROLLBACKS, "weir_keeper_rollbacks_total", "counter",
	  "Changes that the keeper rolled back." },
	{ METRIC_REFUSED, "weir_keeper_refused_total", "counter",
	  "Invalid settings that the tuner asked for." },
	{ METRIC_OUT_BYTES, "weir_keeper_out_bytes_total", "counter",
	  "Bytes sent by the profile's queues." },
	{ METRIC_DROPS, "weir_keeper_drops_total", "counter",
	  "Packets dropped by the profile's queues." },
	{ METRIC_MARKS, "weir_keeper_marks_total", "counter",
	  "Packets marked by the profile's queues." },
	{ METRIC_PAUSES, "weir_keeper_pauses_total", "counter",
	  "PFC pause frames received by the profile's ports." },
	{ METRIC_QUEUE_BYTES, "weir_keeper_queue_bytes", "gauge",
	  "Longest queue in the last interval." },
	{ .name = NULL },
};

static double metrics_read_profile(const void *context, uint32_t profile, int metric)
{
	const struct profile_state *p = &((const struct keeper *)context)->profiles[profile];
	const uint64_t *counters = p->counters.since_start;

	switch (metric) {
	case METRIC_MIN_BYTES:
		return (double)p->in_force.min_bytes;
	case METRIC_MAX_BYTES:
		return (double)p->in_force.max_bytes;
	case METRIC_PROBABILITY:
		return (double)p->in_force.p_ppm / KEEPER_PPM;
	case METRIC_WRITES:
		return (double)p->writes;
	case METRIC_ROLLBACKS:
		return (double)p->rollbacks;
	case METRIC_REFUSED:
		return (double)p->refused;
	case METRIC_OUT_BYTES:
		return (double)counters[KEEPER_OUT_BYTES];
	case METRIC_DROPS:
		return (double)counters[KEEPER_DROPS];
	case METRIC_MARKS:
		return (double)counters[KEEPER_MARKED_PKTS];
	case METRIC_PAUSES:
		return (double)counters[KEEPER_PFC_PKTS];
	default:
		return (double)p->telemetry.queue_max_bytes;
	}
}

static const char *profile_name(const void *keeper, uint32_t profile)
{
	return ((const struct keeper *)keeper)->plan->profiles[profile].name;
}

/* One sample per state and profile, exactly one of which is 1, so that alerts can select a state by
 * label. */
static void metrics_write_states(FILE *f, const struct keeper *k)
{
	static const struct prometheus_metric state = {
		.name = "weir_keeper_state",
		.type = "gauge",
		.help = "1 for the profile's current state.",
	};

	prometheus_write_head(f, &state);
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		for (int s = 0; s < KEEPER_STATES; s++)
			fprintf(f, "%s{profile=\"%s\",state=\"%s\"} %d\n", state.name,
				profile_name(k, i), keeper_state_names[s],
				(int)k->profiles[i].state == s);
}

void keeper_http_metrics(const struct keeper *k, FILE *f)
{
	const struct prometheus_objects whole = {
		.count = 1,
		.read = metrics_read_keeper,
		.context = k,
	};
	const struct prometheus_objects profiles = {
		.label = "profile",
		.count = k->plan->profile_count,
		.name = profile_name,
		.read = metrics_read_profile,
		.context = k,
	};

	prometheus_write(f, keeper_metrics, &whole);
	metrics_write_states(f, k);
	prometheus_write(f, profile_metrics, &profiles);
}

/* --- HTML --- */

static void html_print_bytes(FILE *f, uint64_t bytes)
{
	fprintf(f, bytes < 10000 ? "%.1f KB" : "%.0f KB", (double)bytes / 1000);
}

static void html_print_setting(FILE *f, const struct keeper_setting *s)
{
	html_print_bytes(f, s->min_bytes);
	fputs(" / ", f);
	html_print_bytes(f, s->max_bytes);
	fprintf(f, ", %.4g %%", 100.0 * (double)s->p_ppm / KEEPER_PPM);
}

static void html_print_profile(FILE *f, const struct keeper *k, uint32_t i)
{
	const struct profile_state *p = &k->profiles[i];
	const struct weir_tune_telemetry *t = &p->telemetry;
	const double capacity = (double)t->rate_bps * (double)t->interval_ns;

	fputs("<tr><td>", f);
	html_write_text(f, k->plan->profiles[i].name);
	fprintf(f, "<td class=\"s%d\">%s<td>", (int)p->state, keeper_state_names[p->state]);
	html_print_setting(f, &p->in_force);
	fputs("<td>", f);
	html_print_setting(f, &k->records[i].original);
	fprintf(f, "<td>%.1f %%<td>", capacity > 0 ? 800e9 * (double)t->out_bytes / capacity : 0.0);
	html_print_bytes(f, t->queue_max_bytes);
	fprintf(f, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>",
		t->marked_pkts, p->counters.since_start[KEEPER_DROPS], p->writes, p->rollbacks);
	html_write_text(f, p->why);
	fputs("\n", f);
}

static void html_print_event(FILE *f, const struct log_entry *entry)
{
	struct tm tm;
	char time[32];

	gmtime_r(&entry->wall, &tm);
	strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%SZ", &tm);
	fprintf(f, "<tr><td>%s<td>", time);
	html_write_text(f, entry->profile);
	fprintf(f, "<td>%s<td>", keeper_event_names[entry->kind]);
	if (keeper_log_is_change(entry->kind)) {
		html_print_setting(f, &entry->from);
		fputs(" &rarr; ", f);
		html_print_setting(f, &entry->to);
	}
	fputs("<td>", f);
	html_write_text(f, entry->why);
	fputs("\n", f);
}

static const char style[] =
	"body{font:14px/1.4 "
	"sans-serif;margin:2em;color:#222}table{border-collapse:collapse;margin:1em 0}"
	"td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}"
	"th{background:#f4f4f4}.s5,.s2{background:#fdd}.s3,.s4,.s6{background:#fec}.s1{background:#"
	"dfd}";

static void html_print_top(FILE *f, const struct keeper *k)
{
	fprintf(f,
		"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta "
		"http-equiv=\"refresh\" "
		"content=\"5\"><title>weir keeper</title><style>%s</style><h1>",
		style);
	html_write_text(f, k->plan->title[0] ? k->plan->title : k->plan->file);
	fputs("</h1><p>", f);
	html_write_text(f, k->plan->options.tune);
	fputs(" over ", f);
	html_write_text(f, k->plan->options.driver);
	fprintf(f, "; %" PRIu64 " intervals of %g s.%s%s%s</p>\n", k->steps,
		(double)k->plan->options.interval_ns / 1e9,
		k->mode == KEEPER_DRY ? " Dry run: nothing is written." : "",
		k->is_paused ? " Paused: no changes are written." : "",
		k->is_lost ? " <b>The switch does not answer.</b>" : "");
}

void keeper_http_html(const struct keeper *k, const struct keeper_log *log, FILE *f)
{
	const uint64_t kept = log->count < LOG_ENTRIES ? log->count : LOG_ENTRIES;

	html_print_top(f, k);
	fputs("<table><tr><th>profile<th>state<th>in force: min / max, "
	      "p<th>original<th>utilisation<th>longest "
	      "queue<th>marked<th>drops<th>writes<th>rollbacks<th>reason\n",
	      f);
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		html_print_profile(f, k, i);
	fputs("</table>\n<h2>What happened</h2>\n<table><tr><th>time<th>profile<th>event<th>change"
	      "<th>why\n",
	      f);
	for (uint64_t i = 0; i < kept; i++)
		html_print_event(f, &log->entries[(log->count - 1 - i) % LOG_ENTRIES]);
	fputs("</table></html>\n", f);
}

int keeper_http_page(void *context, const char *path, FILE *page, const char **type)
{
	const struct keeper_http *p = context;

	if (strcmp(path, "/metrics") == 0) {
		*type = PROMETHEUS_CONTENT_TYPE;
		keeper_http_metrics(p->keeper, page);
	} else if (strcmp(path, "/status") == 0) {
		*type = "application/json";
		keeper_status_json(p->keeper, page);
	} else if (strcmp(path, "/") == 0) {
		*type = "text/html; charset=utf-8";
		keeper_http_html(p->keeper, p->log, page);
	} else {
		return -1;
	}
	return 0;
}
