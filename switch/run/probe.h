/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h -- quantities of a port over time, under the names that probes have in scenarios: what
 * can be sampled, a probe read from a line of the settings, and its recorded points. */
#ifndef SWITCH_RUN_PROBE_H
#define SWITCH_RUN_PROBE_H
#include "switch/plane/plane.h"
#include "switch/run/settings.h"

/* "queue", "queue-bytes", "throughput", "marks" or "drops"; -1 with a message. */
int sample_find(const char *name, uint32_t *what, struct weir_error *e);
const char *sample_name(uint32_t what);
const char *sample_unit(uint32_t what);

/* What is counted so far; of a length, the length. */
uint64_t sample_count(const struct plane_port *p, uint32_t what);

/* A length now; of what is counted, how much more than before, which becomes what it is now: bits
 * per second over the time, or packets. */
double sample_value(const struct plane_port *p, uint32_t what, uint64_t *before, int64_t time_ps);

/* Of one of the port's queues, a length. */
int sample_is_length(uint32_t what);
double sample_queue(const struct plane_port *p, uint32_t what, uint32_t queue);

struct port_probe {
	uint32_t what, port;                 /* sample.h, or ... */
	const struct weir_mark_value *value; /* ... a number that the port's marking scheme shows */
	uint32_t queue_plus_one;             /* of one of its queues; 0: of all of it */
	int64_t every_ps;                    /* 0: none */
	int64_t next_ps;                     /* when it is due */
	uint64_t before;                     /* what was counted then */
};

/* "queue b every 10ms", or "queue b/2 every 10ms" of queue 2, for lengths and what a scheme shows:
 * "lambda b every 10ms" */
int port_probe_read(struct port_probe *p, const struct switch_settings *s, const char *line,
		    struct weir_error *e);

const char *port_probe_name(const struct port_probe *p);
const char *port_probe_unit(const struct port_probe *p);

/* "/2", or nothing. */
struct port_probe_queue_text {
	char text[16];
};
struct port_probe_queue_text port_probe_queue(const struct port_probe *p);

/* Of that port, which is that of the watch: it is first due now; what is counted counts from here
 * on. One that was just read counts from the start. */
void port_probe_start(struct port_probe *p, const struct plane_port *port, int64_t now_ps);

/* The value now. It is due again at the next of its times that is not yet over. */
double port_probe_sample(struct port_probe *p, const struct plane_port *port, int64_t now_ps);

enum { RECORD_POINTS_MAX = 4 << 20 }; /* of a probe; later ones are not kept */

struct record {
	struct port_probe probe;
	uint64_t count;
	int64_t *time_ps;
	double *value;
};

struct records {
	uint32_t count;
	struct record *all;
};

/* Begins those of the settings, which were read before, at time 0. */
void records_open(struct records *r, const struct switch_settings *s);
void records_close(struct records *r);

/* Takes what is due of these ports, bit each, which are the plane's. */
void records_take(struct records *r, struct plane *plane, uint64_t ports, int64_t now_ps);

/* When the next is due; WEIR_TIME_NEVER_PS: none ever is. */
int64_t records_next_ps(const struct records *r, uint64_t ports);
#endif
