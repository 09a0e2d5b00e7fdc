/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c -- how far a sweep is. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"
#include "cli/folder.h"
#include "base/clock.h"
#include "lab/campaign/running.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define SCREEN_NS (WEIR_NS_PER_S / 5)          /* between two lines on a terminal */
#define PLAIN_NS ((int64_t)WEIR_NS_PER_S * 30) /* between two lines in a log */

enum { LINE_SIZE = 1024, LABEL_SIZE = 48 };

static double seconds_gone(const struct sweep_progress *p)
{
	return (double)(clock_ns() - p->begin_ns) / WEIR_NS_PER_S;
}

struct human progress_time(const struct sweep_progress *p)
{
	return human_duration(seconds_gone(p));
}

void progress_begin(struct sweep_progress *p, uint64_t todo, uint64_t total, int silent)
{
	memset(p, 0, sizeof(*p));
	p->todo = todo;
	p->total = total;
	p->before = total - todo;
	p->silent = silent;
	p->terminal = isatty(STDERR_FILENO);
	p->begin_ns = p->shown_ns = clock_ns();
	if (!silent && !p->terminal && todo > 0)
		fprintf(stderr, "weir: %" PRIu64 " run%s to do, %" PRIu64 " are there\n", todo,
			todo == 1 ? "" : "s", p->before);
}

void progress_end(struct sweep_progress *p, int done)
{
	p->ended++;
	p->done += done != 0;
}

void progress_clear(struct sweep_progress *p)
{
	if (p->on_screen)
		fputs("\r\033[K", stderr);
	p->on_screen = 0;
}

/* "12 of 90 runs" and, once it can be guessed, "3 min 10 s left". */
static void write_summary(const struct sweep_progress *p, const struct running_task *running,
			  uint32_t count, char *counts, char *clock)
{
	double gone = seconds_gone(p), share = (double)p->ended;

	for (uint32_t i = 0; i < count; i++)
		share += running[i].share;
	share /= (double)p->todo;
	snprintf(counts, LINE_SIZE, "%" PRIu64 " of %" PRIu64 " runs", p->before + p->done,
		 p->total);
	if (!isnan(running_seconds_left(gone, share)))
		snprintf(clock, LINE_SIZE, "%s, about %s left", human_duration(gone).text,
			 human_duration(running_seconds_left(gone, share)).text);
	else
		snprintf(clock, LINE_SIZE, "%s", human_duration(gone).text);
}

/* The running ones, as many as fit into room characters. */
static void write_running(const struct sweep *w, const struct running_task *running, uint32_t count,
			  char *text, int room)
{
	char label[LABEL_SIZE], one[LABEL_SIZE + 32];
	int used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		int length;

		sweep_label(w, running[i].task, label, sizeof(label));
		length = snprintf(one, sizeof(one), "; %s%s%.0f %%", label, label[0] ? " " : "",
				  100 * running[i].share);
		if (used + length > room)
			break;
		memcpy(text + used, one, (size_t)length + 1);
		used += length;
	}
}

void progress_show(struct sweep_progress *p, const struct sweep *w,
		   const struct running_task *running, uint32_t count)
{
	char counts[LINE_SIZE], clock[LINE_SIZE], middle[LINE_SIZE];
	int64_t now_ns = clock_ns();
	int room;

	if (p->silent || now_ns - p->shown_ns < (p->terminal ? SCREEN_NS : PLAIN_NS))
		return;
	p->shown_ns = now_ns;
	write_summary(p, running, count, counts, clock);
	if (!p->terminal) {
		fprintf(stderr, "weir: %s; %s\n", counts, clock);
		return;
	}
	room = line_width(stderr) - (int)strlen(counts) - (int)strlen(clock) - 3;
	write_running(w, running, count, middle, room < LINE_SIZE - 1 ? room : LINE_SIZE - 1);
	fprintf(stderr, "\r%s%s; %s\033[K", counts, middle, clock);
	p->on_screen = 1;
}
