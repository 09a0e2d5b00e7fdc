/* SPDX-License-Identifier: BSD-3-Clause */
/* event_log.c -- the event log of a keeper: JSON lines and a ring of recent events. Contract in
 * service.h. */
#define _POSIX_C_SOURCE 200809L
#include "keeper/service/service.h"
#include "base/text.h"
#include <inttypes.h>

void keeper_log_setting(FILE *f, const char *name, const struct keeper_setting *s)
{
	fprintf(f, "\"%s\":{\"min_bytes\":%" PRIu64 ",\"max_bytes\":%" PRIu64 ",\"p\":%s}", name,
		s->min_bytes, s->max_bytes,
		format_exact((double)s->p_ppm / (double)KEEPER_PPM).text);
}

static void log_print_time(FILE *f, time_t wall)
{
	struct tm tm;
	char text[32];

	gmtime_r(&wall, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(f, "{\"time\":\"%s\"", text);
}

int keeper_log_is_change(enum keeper_event_kind kind)
{
	return kind == KEEPER_DID_BEGIN || kind == KEEPER_DID_WRITE || kind == KEEPER_WOULD_WRITE ||
	       kind == KEEPER_DID_ROLL_BACK || kind == KEEPER_DID_YIELD ||
	       kind == KEEPER_IS_ALARM || kind == KEEPER_DID_RELEASE;
}

void keeper_log_print(FILE *f, const struct log_entry *entry)
{
	log_print_time(f, entry->wall);
	fprintf(f, ",\"clock_s\":%.6f", (double)entry->time_ns / 1e9);
	fprintf(f, ",\"event\":\"%s\"", keeper_event_names[entry->kind]);
	if (entry->profile[0]) {
		fputs(",\"profile\":", f);
		json_write_string(f, entry->profile);
	}
	if (keeper_log_is_change(entry->kind)) {
		fputc(',', f);
		keeper_log_setting(f, "from", &entry->from);
		fputc(',', f);
		keeper_log_setting(f, "to", &entry->to);
	}
	fputs(",\"why\":", f);
	json_write_string(f, entry->why);
	fputs("}\n", f);
}

void keeper_log_event(void *user, const struct keeper_event *event)
{
	struct keeper_log *log = user;
	struct log_entry *entry = &log->entries[log->count++ % LOG_ENTRIES];

	*entry = (struct log_entry){
		.wall = time(NULL),
		.time_ns = event->time_ns,
		.kind = event->kind,
		.from = event->from,
		.to = event->to,
	};
	if (event->profile)
		snprintf(entry->profile, sizeof(entry->profile), "%s", event->profile->name);
	snprintf(entry->why, sizeof(entry->why), "%s", event->why);
	keeper_log_print(log->out, entry);
	fflush(log->out);
}

void keeper_log_restored(void *user, const struct keeper_record *r, enum keeper_restored became,
			 const char *why)
{
	static const char *const names[] = {
		[KEEPER_PUT_BACK] = "put back",
		[KEEPER_WAS_BACK] = "unchanged: it has its original setting",
		[KEEPER_THEIRS] = "not restored: an operator changed it",
		[KEEPER_MIXED] = "not restored: an operator changed a part of it",
		[KEEPER_DISABLED] = "not restored: it cannot be written now",
		[KEEPER_ABSENT] = "not restored: it does not exist",
		[KEEPER_NOT_BACK] = "not restored",
	};
	struct keeper_log *log = user;

	log_print_time(log->out, time(NULL));
	fputs(",\"event\":\"restore\",\"profile\":", log->out);
	json_write_string(log->out, r->name);
	fputc(',', log->out);
	keeper_log_setting(log->out, "original", &r->original);
	fprintf(log->out, ",\"became\":\"%s\",\"why\":", names[became]);
	json_write_string(log->out, why);
	fputs("}\n", log->out);
	fflush(log->out);
}
