/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h -- a quantity of a port at times that follow each other evenly: read from a line, and
 * taken when due. */
#ifndef SWITCH_RUN_WATCH_H
#define SWITCH_RUN_WATCH_H
#include "switch/run/settings.h"

struct watch {
	uint32_t what, port;                 /* sample.h, or ... */
	const struct weir_mark_value *value; /* ... a number that the port's marking scheme shows */
	uint32_t queue_plus_one;             /* of one of its queues; 0: of all of it */
	int64_t every_ps;                    /* 0: none */
	int64_t next_ps;                     /* when it is due */
	uint64_t before;                     /* what was counted then */
};

/* "queue b every 10ms", or "queue b/2 every 10ms" of queue 2, for lengths and what a scheme shows:
 * "lambda b every 10ms" */
int watch_read(struct watch *p, const struct switch_settings *s, const char *line,
	       struct weir_error *e);

const char *watch_name(const struct watch *p);
const char *watch_unit(const struct watch *p);

/* "/2", or nothing. */
struct watch_queue_text {
	char text[16];
};
struct watch_queue_text watch_queue(const struct watch *p);

/* Of that port, which is that of the watch: it is first due now; what is counted counts from here
 * on. One that was just read counts from the start. */
void watch_begin(struct watch *p, const struct plane_port *port, int64_t now_ps);

/* The value now. It is due again at the next of its times that is not yet over. */
double watch_take(struct watch *p, const struct plane_port *port, int64_t now_ps);
#endif
