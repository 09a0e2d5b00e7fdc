/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h -- port quantities over time, under the names that probes have in scenarios: what can be
 * sampled, a probe parsed from the settings, and its recorded points. */
#ifndef SWITCH_RUN_PROBE_H
#define SWITCH_RUN_PROBE_H
#include "switch/plane/plane.h"
#include "switch/run/settings.h"

/* "queue", "queue-bytes", "throughput", "marks" or "drops"; -1 with a message. */
int sample_find(const char *name, uint32_t *what, struct weir_error *e);
const char *sample_name(uint32_t what);
const char *sample_unit(uint32_t what);

/* The counter so far; for a length, the length. */
uint64_t sample_count(const struct plane_port *p, uint32_t what);

/* For a length, its current value. For a counter, the increase since *before as bits per second or
 * packets; *before is updated. */
double sample_value(const struct plane_port *p, uint32_t what, uint64_t *before, int64_t time_ps);

/* Can it be sampled per queue? True for lengths. */
int sample_is_length(uint32_t what);
double sample_queue(const struct plane_port *p, uint32_t what, uint32_t queue);

struct port_probe {
	uint32_t what, port; /* enum sample, or ... */
	const struct weir_mark_value
		*value;          /* ... a value that the port's marking scheme exposes */
	uint32_t queue_plus_one; /* one queue of the port; 0: the whole port */
	int64_t every_ps;        /* 0: no probe */
	int64_t next_ps;         /* next sampling time */
	uint64_t before;         /* counter at the last sample */
};

/* Parses "queue b every 10ms", or with a queue number, for lengths and values of a scheme, "queue
 * b/2 every 10ms"; "lambda b every 10ms". */
int port_probe_read(struct port_probe *p, const struct switch_settings *s, const char *line,
		    struct weir_error *e);

const char *port_probe_name(const struct port_probe *p);
const char *port_probe_unit(const struct port_probe *p);

/* "/2", or empty. */
struct port_probe_queue_text {
	char text[16];
};
struct port_probe_queue_text port_probe_queue(const struct port_probe *p);

/* Starts a probe at run time on a port: due now, counting from here. A probe that was only parsed
 * counts from time 0. */
void port_probe_start(struct port_probe *p, const struct plane_port *port, int64_t now_ps);

/* The current value. The next due time is the first multiple of the interval in the future. */
double port_probe_sample(struct port_probe *p, const struct plane_port *port, int64_t now_ps);

enum { RECORD_POINTS_MAX = 4 << 20 }; /* points kept per probe; later ones are dropped */

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

/* Starts the probes of the settings, which were parsed before, at time 0. */
void records_open(struct records *r, const struct switch_settings *s);
void records_close(struct records *r);

/* Samples the probes that are due on these ports (bitmap), which belong to the plane. */
void records_sample(struct records *r, struct plane *plane, uint64_t ports, int64_t now_ps);

/* Next due time; WEIR_TIME_NEVER_PS: none. */
int64_t records_next_ps(const struct records *r, uint64_t ports);
#endif
