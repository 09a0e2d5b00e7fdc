/* desk.c -- see desk.h. */
#define _GNU_SOURCE
#include "keeper/run/desk.h"
#include "lab/base/text.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { REQUEST_SIZE = 256, CLIENT_MS = 200 };

/* --- the socket --- */

static int set_address(struct sockaddr_un *address, const char *path, struct weir_error *e)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return weir_error_set(e, "keeper.socket: %s is too long for a socket",
				      weir_quote(path).text);
	memcpy(address->sun_path, path, strlen(path) + 1);
	return 0;
}

/* A descriptor that is connected, or -1. */
static int reach(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int keeper_desk_open(struct keeper_desk *d, const char *path, struct weir_error *e)
{
	struct sockaddr_un address;
	mode_t mask;
	int fd, failed;

	*d = (struct keeper_desk){ .fd = -1 };
	if (set_address(&address, path, e))
		return -1;
	fd = reach(&address);
	if (fd >= 0) {
		close(fd);
		return weir_error_set(e, "%s: another keeper answers there", path);
	}
	unlink(path); /* what a keeper that was killed has left */
	d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	failed = d->fd < 0 || bind(d->fd, (struct sockaddr *)&address, sizeof(address)) ||
		 listen(d->fd, 8);
	umask(mask);
	snprintf(d->path, sizeof(d->path), "%s", path);
	if (!failed)
		return 0;
	weir_error_set(e, "%s: no socket can be made there: %s", path, strerror(errno));
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	return -1;
}

void keeper_desk_close(struct keeper_desk *d)
{
	if (d->fd < 0)
		return;
	close(d->fd);
	unlink(d->path);
	d->fd = -1;
}

/* --- answers --- */

static double line_use(const struct weir_tune_telemetry *t)
{
	double capacity = (double)t->rate_bps * (double)t->interval_ns;

	return capacity > 0 ? (double)t->out_bytes * 8 * 1e9 / capacity : 0;
}

static void print_profile(FILE *f, const struct keeper *k, uint32_t i)
{
	const struct kept *p = &k->kept[i];

	fputs("{\"name\":", f);
	json_text(f, k->plan->profiles[i].name);
	fprintf(f, ",\"state\":\"%s\",\"canary\":%s,", keeper_state_names[p->state],
		k->plan->profiles[i].limits.canary ? "true" : "false");
	keeper_log_setting(f, "in_force", &p->in_force);
	fputc(',', f);
	keeper_log_setting(f, "original", &k->records[i].original);
	fprintf(f,
		",\"writes\":%" PRIu64 ",\"taken_back\":%" PRIu64 ",\"refused\":%" PRIu64
		",\"line_use\":%s,\"marked_pkts\":%" PRIu64 ",\"queue_max_bytes\":%" PRIu64
		",\"why\":",
		p->writes, p->rollbacks, p->refused, exact_number(line_use(&p->telemetry)).text,
		p->telemetry.marked_pkts, p->telemetry.queue_max_bytes);
	json_text(f, p->why);
	fputc('}', f);
}

void keeper_desk_status(const struct keeper *k, FILE *f)
{
	fputs("{\"title\":", f);
	json_text(f, k->plan->title);
	fputs(",\"driver\":", f);
	json_text(f, k->plan->options.driver);
	fputs(",\"tune\":", f);
	json_text(f, k->plan->options.tune);
	fprintf(f,
		",\"pid\":%ld,\"dry_run\":%s,\"paused\":%s,\"answers\":%s,\"steps\":%" PRIu64
		",\"profiles\":[",
		(long)getpid(), k->mode == KEEPER_DRY ? "true" : "false",
		k->is_paused ? "true" : "false", k->is_lost ? "false" : "true", k->steps);
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		if (i)
			fputc(',', f);
		print_profile(f, k, i);
	}
	fputs("]}\n", f);
}

static int find_profile(const struct keeper *k, const char *name, uint32_t *profile, FILE *answer)
{
	const char *names[KEEPER_PROFILES_MAX];
	struct weir_error e;

	for (*profile = 0; *profile < k->plan->profile_count; (*profile)++) {
		names[*profile] = k->plan->profiles[*profile].name;
		if (strcmp(names[*profile], name) == 0)
			return 0;
	}
	weir_error_unknown(&e, "profile", name, names, k->plan->profile_count);
	fprintf(answer, "%s\n", e.text);
	return -1;
}

/* The oldest that is remembered first; then what is so now. */
static int explain(const struct keeper *k, const struct keeper_log *log, const char *name, FILE *f)
{
	uint64_t first = log->count > LOG_KEPT ? log->count - LOG_KEPT : 0;
	uint32_t profile;

	if (find_profile(k, name, &profile, f))
		return -1;
	for (uint64_t i = first; i < log->count; i++) {
		const struct log_entry *entry = &log->entries[i % LOG_KEPT];

		if (!entry->profile[0] || strcmp(entry->profile, name) == 0)
			keeper_log_print(f, entry);
	}
	print_profile(f, k, profile);
	fputc('\n', f);
	return 0;
}

static int resume(struct keeper *k, const char *name, FILE *f)
{
	uint32_t profile;

	if (!*name) {
		k->is_paused = 0;
		return fputs("resumed\n", f) < 0;
	}
	if (find_profile(k, name, &profile, f))
		return -1;
	if (keeper_take_again(k, profile)) {
		fprintf(f, "%s is %s; only one that was yielded or had an alarm is taken again\n",
			name, keeper_state_names[k->kept[profile].state]);
		return -1;
	}
	fprintf(f, "%s is the keeper's again\n", name);
	return 0;
}

int keeper_desk_obey(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log,
		     const char *request, FILE *answer)
{
	static const char *const verbs[] = { "status", "explain", "pause",
					     "resume", "reload",  "stop" };
	char verb[16] = "", name[INI_NAME_SIZE] = "";
	struct weir_error e;

	sscanf(request, "%15s %63s", verb, name);
	if (strcmp(verb, "status") == 0) {
		keeper_desk_status(k, answer);
	} else if (strcmp(verb, "explain") == 0) {
		return explain(k, log, name, answer);
	} else if (strcmp(verb, "pause") == 0) {
		k->is_paused = 1;
		fputs("paused: what is in force stays until 'resume' or 'stop'\n", answer);
	} else if (strcmp(verb, "resume") == 0) {
		return resume(k, name, answer);
	} else if (strcmp(verb, "reload") == 0) {
		d->reloads = 1;
		fputs("reading the plan again; the log says what came of it\n", answer);
	} else if (strcmp(verb, "stop") == 0) {
		d->stops = 1;
		fputs("stopping: originals are put back\n", answer);
	} else {
		weir_error_unknown(&e, "request", verb, verbs, sizeof(verbs) / sizeof(verbs[0]));
		fprintf(answer, "%s\n", e.text);
		return -1;
	}
	return 0;
}

/* --- both sides --- */

/* A line of the client; empty where they are slow or silent. */
static void hear(int fd, char request[REQUEST_SIZE])
{
	struct pollfd waits = { .fd = fd, .events = POLLIN };
	ssize_t got = poll(&waits, 1, CLIENT_MS) == 1 ? read(fd, request, REQUEST_SIZE - 1) : 0;

	request[got > 0 ? got : 0] = '\0';
	request[strcspn(request, "\n")] = '\0';
}

/* The first byte says whether it was a mistake; who does not listen hears nothing. */
static void answer(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log, int fd)
{
	char request[REQUEST_SIZE], *text = NULL;
	size_t length = 0, sent = 0;
	FILE *f = open_memstream(&text, &length);
	ssize_t went = 0;

	hear(fd, request);
	if (!f)
		return;
	fputc(' ', f);
	went = keeper_desk_obey(d, k, log, request, f);
	fclose(f);
	text[0] = went ? '!' : ' ';
	do {
		went = send(fd, text + sent, length - sent, MSG_NOSIGNAL);
		sent += went > 0 ? (size_t)went : 0;
	} while (went > 0 && sent < length);
	free(text);
}

void keeper_desk_serve(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log)
{
	const struct timeval patience = { 0, CLIENT_MS * 1000 };
	int fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	answer(d, k, log, fd);
	close(fd);
}

int keeper_desk_ask(const char *path, const char *request, struct weir_error *e)
{
	struct sockaddr_un address;
	char buffer[4096];
	char status = ' ';
	int fd, is_first = 1;
	ssize_t got;

	if (set_address(&address, path, e))
		return -1;
	fd = reach(&address);
	if (fd < 0)
		return weir_error_set(e, "%s: no keeper answers there: %s", path, strerror(errno));
	dprintf(fd, "%s\n", request);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0) {
		if (is_first)
			status = buffer[0];
		fwrite(buffer + is_first, 1, (size_t)(got - is_first), stdout);
		is_first = 0;
	}
	close(fd);
	return status == '!' ? weir_error_set(e, "%s: was refused", request) : 0;
}
