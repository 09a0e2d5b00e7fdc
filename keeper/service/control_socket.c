/* SPDX-License-Identifier: BSD-3-Clause */
/* control_socket.c -- operator requests to a running keeper. Contract in service.h. */
#define _GNU_SOURCE
#include "keeper/service/service.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int keeper_control_open(struct keeper_control *d, const char *path, struct weir_error *e)
{
	d->stops = d->reloads = 0;
	return control_socket_open(&d->socket, path, "keeper", e)
		       ? weir_error_prefix(e, "keeper.socket: ")
		       : 0;
}

void keeper_control_close(struct keeper_control *d)
{
	control_socket_close(&d->socket);
}

/* --- replies --- */

static double control_utilisation(const struct weir_tune_telemetry *t)
{
	double capacity = (double)t->rate_bps * (double)t->interval_ns;

	return capacity > 0 ? (double)t->out_bytes * 8 * 1e9 / capacity : 0;
}

static void control_print_profile(FILE *f, const struct keeper *k, uint32_t i)
{
	const struct profile_state *p = &k->profiles[i];

	fputs("{\"name\":", f);
	json_write_string(f, k->plan->profiles[i].name);
	fprintf(f, ",\"state\":\"%s\",\"canary\":%s,", keeper_state_names[p->state],
		k->plan->profiles[i].limits.canary ? "true" : "false");
	keeper_log_setting(f, "in_force", &p->in_force);
	fputc(',', f);
	keeper_log_setting(f, "original", &k->records[i].original);
	fprintf(f, ",\"counted\":%s", p->is_uncounted ? "false" : "true");
	fprintf(f,
		",\"writes\":%" PRIu64 ",\"rollbacks\":%" PRIu64 ",\"refused\":%" PRIu64
		",\"line_use\":%s,\"marked_pkts\":%" PRIu64 ",\"queue_max_bytes\":%" PRIu64
		",\"why\":",
		p->writes, p->rollbacks, p->refused,
		format_exact(control_utilisation(&p->telemetry)).text, p->telemetry.marked_pkts,
		p->telemetry.queue_max_bytes);
	json_write_string(f, p->why);
	fputc('}', f);
}

/* A profile that the plan does not name, but whose original is in the journal. */
static void control_print_unnamed(FILE *f, const struct keeper_record *r)
{
	fputs("{\"name\":", f);
	json_write_string(f, r->name);
	fputc(',', f);
	keeper_log_setting(f, "original", &r->original);
	fputc('}', f);
}

void keeper_status_json(const struct keeper *k, FILE *f)
{
	fputs("{\"title\":", f);
	json_write_string(f, k->plan->title);
	fputs(",\"driver\":", f);
	json_write_string(f, k->plan->options.driver);
	fputs(",\"tune\":", f);
	json_write_string(f, k->plan->options.tune);
	fprintf(f,
		",\"pid\":%ld,\"dry_run\":%s,\"paused\":%s,\"answers\":%s,\"steps\":%" PRIu64
		",\"profiles\":[",
		(long)getpid(), k->mode == KEEPER_DRY ? "true" : "false",
		k->is_paused ? "true" : "false", k->is_lost ? "false" : "true", k->steps);
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		if (i)
			fputc(',', f);
		control_print_profile(f, k, i);
	}
	fputs("],\"unnamed\":[", f);
	for (uint32_t i = k->plan->profile_count; i < k->record_count; i++) {
		if (i > k->plan->profile_count)
			fputc(',', f);
		control_print_unnamed(f, &k->records[i]);
	}
	fputs("]}\n", f);
}

/* --- requests --- */

struct control_context {
	struct keeper_control *control;
	struct keeper *keeper;
	const struct keeper_log *log;
};

/* Lists the remembered events, oldest first, then the present state. */
static int control_explain(const struct control_context *s, const char *name, FILE *f,
			   struct weir_error *e)
{
	const struct keeper_log *log = s->log;
	const struct keeper *k = s->keeper;
	uint64_t first = log->count > LOG_ENTRIES ? log->count - LOG_ENTRIES : 0;
	uint32_t profile;

	if (keeper_find_profile(k->plan, name, &profile, e))
		return -1;
	for (uint64_t i = first; i < log->count; i++) {
		const struct log_entry *entry = &log->entries[i % LOG_ENTRIES];

		if (!entry->profile[0] || strcmp(entry->profile, name) == 0)
			keeper_log_print(f, entry);
	}
	control_print_profile(f, k, profile);
	fputc('\n', f);
	return 0;
}

static int control_resume(struct keeper *k, const char *name, FILE *f, struct weir_error *e)
{
	if (!*name) {
		k->is_paused = 0;
		fputs("resumed\n", f);
		return 0;
	}
	if (keeper_resume_profile(k, name, e))
		return -1;
	fprintf(f, "%s is managed again\n", name);
	return 0;
}

/* A client's request. */
struct request {
	struct control_client *client;
	char verb[16], name[INI_NAME_SIZE];
};

enum verb { STATUS, EXPLAIN, PAUSE, RESUME, RESTORE, RELEASE, RELOAD, STOP, VERBS };

static const char *const verbs[VERBS] = {
	[STATUS] = "status",   [EXPLAIN] = "explain", [PAUSE] = "pause",   [RESUME] = "resume",
	[RESTORE] = "restore", [RELEASE] = "release", [RELOAD] = "reload", [STOP] = "stop",
};

/* 1: the reply follows when the keeper has ended; -1 with a message. */
static int control_handle_request(const struct control_context *s, const struct request *r,
				  FILE *answer, struct weir_error *e)
{
	int verb = 0;

	while (verb < VERBS && strcmp(r->verb, verbs[verb]) != 0)
		verb++;
	switch (verb) {
	case STATUS:
		keeper_status_json(s->keeper, answer);
		return 0;
	case EXPLAIN:
		return control_explain(s, r->name, answer, e);
	case PAUSE:
		s->keeper->is_paused = 1;
		fputs("paused: settings in force stay until 'resume' or 'stop'\n", answer);
		return 0;
	case RESUME:
		return control_resume(s->keeper, r->name, answer, e);
	case RESTORE:
		fprintf(answer, "%s: original restored; the profile is the operator's\n", r->name);
		return keeper_restore_profile(s->keeper, r->name, e);
	case RELEASE:
		fprintf(answer, "%s: original released; the profile is the operator's\n", r->name);
		return keeper_release_profile(s->keeper, r->name, e);
	case RELOAD:
		s->control->reloads = 1;
		fputs("reloading the plan; see the log for the result\n", answer);
		return 0;
	case STOP:
		s->control->stops = 1;
		fputs("stopping: restoring the originals\n", answer);
		return control_socket_pin(&s->control->socket, r->client) == 0;
	default:
		return weir_error_unknown(e, "request", r->verb, verbs, VERBS);
	}
}

/* Sends one piece of text and closes the connection. */
static void control_send_answer(struct control_client *client, char first, const char *text)
{
	control_socket_send(client, &first, 1);
	control_socket_send(client, text, strlen(text));
	control_socket_end(client);
}

/* A control_handler. */
static void control_answer_request(void *context, struct control_client *client, const char *line)
{
	const struct control_context *s = context;
	struct request r = { .client = client };
	struct weir_error e = { "" };
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	int status;

	if (!f)
		return control_socket_end(client);
	sscanf(line, "%15s %63s", r.verb, r.name);
	status = control_handle_request(s, &r, f, &e);
	fclose(f);
	if (status <= 0)
		control_send_answer(client, status ? '!' : ' ', status ? e.text : text);
	free(text);
}

void keeper_control_serve(struct keeper_control *d, struct keeper *k, const struct keeper_log *log)
{
	control_socket_serve(&d->socket, control_answer_request,
			     &(struct control_context){ d, k, log });
}

void keeper_control_answer_stop(struct keeper_control *d, const struct weir_error *error)
{
	struct control_client *clients = d->socket.clients;

	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (clients[i].is_pinned)
			control_send_answer(&clients[i], error ? '!' : ' ',
					    error ? error->text
						  : "stopped: all originals are restored\n");
}

/* --- client side --- */

/* A reply that begins with '!' is an error message; others are printed as they arrive. */
static int control_print_answer(int fd, struct weir_error *e)
{
	char buffer[4096];
	size_t used = 0;
	int status = 0;
	ssize_t got;

	e->text[0] = '\0';
	while ((got = read(fd, buffer, sizeof(buffer))) > 0) {
		const char *text = buffer + (status == 0);
		size_t length = (size_t)got - (status == 0);

		if (status == 0)
			status = buffer[0];
		if (status != '!') {
			fwrite(text, 1, length, stdout);
			continue;
		}
		if (length > sizeof(e->text) - 1 - used)
			length = sizeof(e->text) - 1 - used;
		memcpy(e->text + used, text, length);
		used += length;
		e->text[used] = '\0';
	}
	return status;
}

int keeper_control_ask(const char *path, const char *request, struct weir_error *e)
{
	int fd = control_socket_connect(path, "keeper", e), status;

	if (fd < 0)
		return -1;
	dprintf(fd, "%s\n", request);
	status = control_print_answer(fd, e);
	close(fd);
	if (!status)
		return weir_error_set(e, "%s: the keeper closed the connection without a reply",
				      path);
	return status == '!' ? -1 : 0;
}
