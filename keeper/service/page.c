/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c -- see page.h. */
#define _POSIX_C_SOURCE 200809L
#include "keeper/service/page.h"
#include "keeper/service/desk.h"
#include "base/markup.h"
#include "base/text.h"
#include <inttypes.h>
#include <string.h>

/* --- Prometheus --- */

static double min_bytes(const struct kept *p)
{
	return (double)p->in_force.min_bytes;
}

static double max_bytes(const struct kept *p)
{
	return (double)p->in_force.max_bytes;
}

static double probability(const struct kept *p)
{
	return (double)p->in_force.p_ppm / KEEPER_PPM;
}

static double writes(const struct kept *p)
{
	return (double)p->writes;
}

static double rollbacks(const struct kept *p)
{
	return (double)p->rollbacks;
}

static double refused(const struct kept *p)
{
	return (double)p->refused;
}

static double out_bytes(const struct kept *p)
{
	return (double)p->counters.since_start[KEEPER_OUT_BYTES];
}

static double drops(const struct kept *p)
{
	return (double)p->counters.since_start[KEEPER_DROPS];
}

static double marks(const struct kept *p)
{
	return (double)p->counters.since_start[KEEPER_MARKED_PKTS];
}

static double pauses(const struct kept *p)
{
	return (double)p->counters.since_start[KEEPER_PFC_PKTS];
}

static double queue_bytes(const struct kept *p)
{
	return (double)p->telemetry.queue_max_bytes;
}

/* Names end as those of Prometheus do: _total where something is counted. */
static const struct number {
	const char *name, *type, *help;
	double (*read)(const struct kept *p);
} numbers[] = {
	{ "weir_keeper_min_bytes", "gauge", "Nothing is marked below this length.", min_bytes },
	{ "weir_keeper_max_bytes", "gauge", "The probability is reached at this length.",
	  max_bytes },
	{ "weir_keeper_probability", "gauge", "With which is marked at max.", probability },
	{ "weir_keeper_writes_total", "counter", "Changes that the keeper made.", writes },
	{ "weir_keeper_taken_back_total", "counter", "Changes that it took back.", rollbacks },
	{ "weir_keeper_refused_total", "counter", "Wishes of the tuner that are no setting.",
	  refused },
	{ "weir_keeper_out_bytes_total", "counter", "What the profile's queues sent.", out_bytes },
	{ "weir_keeper_drops_total", "counter", "Packets that they dropped.", drops },
	{ "weir_keeper_marks_total", "counter", "Packets that they marked.", marks },
	{ "weir_keeper_pauses_total", "counter", "Pauses that their ports received.", pauses },
	{ "weir_keeper_queue_bytes", "gauge", "The highest queue of the last interval.",
	  queue_bytes },
};

static void print_head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_whole(FILE *f, const char *name, const char *type, const char *help, double value)
{
	print_head(f, name, type, help);
	fprintf(f, "%s %.15g\n", name, value);
}

/* One of them is 1. */
static void print_states(FILE *f, const struct keeper *k)
{
	static const char name[] = "weir_keeper_state";

	print_head(f, name, "gauge", "1 for the state that the profile is in.");
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		for (int s = 0; s < KEEPER_STATES; s++)
			fprintf(f, "%s{profile=\"%s\",state=\"%s\"} %d\n", name,
				k->plan->profiles[i].name, keeper_state_names[s],
				(int)k->kept[i].state == s);
}

void keeper_page_metrics(const struct keeper *k, FILE *f)
{
	print_whole(f, "weir_keeper_up", "gauge", "1 while the switch answers.", !k->is_lost);
	print_whole(f, "weir_keeper_paused", "gauge", "1 while nothing is changed.", k->is_paused);
	print_whole(f, "weir_keeper_dry_run", "gauge", "1 where it only watches.",
		    k->mode == KEEPER_DRY);
	print_whole(f, "weir_keeper_steps_total", "counter", "Intervals so far.", (double)k->steps);
	print_states(f, k);
	for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		print_head(f, numbers[n].name, numbers[n].type, numbers[n].help);
		for (uint32_t i = 0; i < k->plan->profile_count; i++)
			fprintf(f, "%s{profile=\"%s\"} %.15g\n", numbers[n].name,
				k->plan->profiles[i].name, numbers[n].read(&k->kept[i]));
	}
}

/* --- for people --- */

static void print_bytes(FILE *f, uint64_t bytes)
{
	fprintf(f, bytes < 10000 ? "%.1f KB" : "%.0f KB", (double)bytes / 1000);
}

static void print_setting(FILE *f, const struct keeper_setting *s)
{
	print_bytes(f, s->min_bytes);
	fputs(" / ", f);
	print_bytes(f, s->max_bytes);
	fprintf(f, ", %.4g %%", 100.0 * (double)s->p_ppm / KEEPER_PPM);
}

static void print_profile(FILE *f, const struct keeper *k, uint32_t i)
{
	const struct kept *p = &k->kept[i];
	const struct weir_tune_telemetry *t = &p->telemetry;
	const double capacity = (double)t->rate_bps * (double)t->interval_ns;

	fputs("<tr><td>", f);
	markup_text(f, k->plan->profiles[i].name);
	fprintf(f, "<td class=\"s%d\">%s<td>", (int)p->state, keeper_state_names[p->state]);
	print_setting(f, &p->in_force);
	fputs("<td>", f);
	print_setting(f, &k->records[i].original);
	fprintf(f, "<td>%.1f %%<td>", capacity > 0 ? 800e9 * (double)t->out_bytes / capacity : 0.0);
	print_bytes(f, t->queue_max_bytes);
	fprintf(f, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>%" PRIu64 "<td>",
		t->marked_pkts, p->counters.since_start[KEEPER_DROPS], p->writes, p->rollbacks);
	markup_text(f, p->why);
	fputs("\n", f);
}

static void print_entry(FILE *f, const struct log_entry *entry)
{
	struct tm tm;
	char time[32];

	gmtime_r(&entry->wall, &tm);
	strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%SZ", &tm);
	fprintf(f, "<tr><td>%s<td>", time);
	markup_text(f, entry->profile);
	fprintf(f, "<td>%s<td>", keeper_event_names[entry->kind]);
	if (keeper_log_is_change(entry->kind)) {
		print_setting(f, &entry->from);
		fputs(" &rarr; ", f);
		print_setting(f, &entry->to);
	}
	fputs("<td>", f);
	markup_text(f, entry->why);
	fputs("\n", f);
}

static const char style[] =
	"body{font:14px/1.4 "
	"sans-serif;margin:2em;color:#222}table{border-collapse:collapse;margin:1em 0}"
	"td,th{padding:.2em .6em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}"
	"th{background:#f4f4f4}.s5,.s2{background:#fdd}.s3,.s4,.s6{background:#fec}.s1{background:#"
	"dfd}";

static void print_top(FILE *f, const struct keeper *k)
{
	fprintf(f,
		"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta "
		"http-equiv=\"refresh\" "
		"content=\"5\"><title>weir keeper</title><style>%s</style><h1>",
		style);
	markup_text(f, k->plan->title[0] ? k->plan->title : k->plan->file);
	fputs("</h1><p>", f);
	markup_text(f, k->plan->options.tune);
	fputs(" over ", f);
	markup_text(f, k->plan->options.driver);
	fprintf(f, "; %" PRIu64 " intervals of %g s.%s%s%s</p>\n", k->steps,
		(double)k->plan->options.interval_ns / 1e9,
		k->mode == KEEPER_DRY ? " It only watches." : "",
		k->is_paused ? " Paused: nothing is changed." : "",
		k->is_lost ? " <b>The switch does not answer.</b>" : "");
}

void keeper_page_html(const struct keeper *k, const struct keeper_log *log, FILE *f)
{
	const uint64_t kept = log->count < LOG_KEPT ? log->count : LOG_KEPT;

	print_top(f, k);
	fputs("<table><tr><th>profile<th>state<th>in force: min / max, p<th>original<th>line "
	      "used<th>highest queue<th>marked<th>drops<th>changes<th>taken back<th>why\n",
	      f);
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		print_profile(f, k, i);
	fputs("</table>\n<h2>What happened</h2>\n<table><tr><th>time<th>profile<th>event<th>change"
	      "<th>why\n",
	      f);
	for (uint64_t i = 0; i < kept; i++)
		print_entry(f, &log->entries[(log->count - 1 - i) % LOG_KEPT]);
	fputs("</table></html>\n", f);
}

int keeper_page(void *context, const char *path, FILE *page, const char **type)
{
	const struct keeper_page *p = context;

	if (strcmp(path, "/metrics") == 0) {
		*type = "text/plain; version=0.0.4";
		keeper_page_metrics(p->keeper, page);
	} else if (strcmp(path, "/status") == 0) {
		*type = "application/json";
		keeper_desk_status(p->keeper, page);
	} else if (strcmp(path, "/") == 0) {
		*type = "text/html; charset=utf-8";
		keeper_page_html(p->keeper, p->log, page);
	} else {
		return -1;
	}
	return 0;
}
