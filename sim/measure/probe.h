/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h -- quantities over time: "probe = WHAT TARGET [every TIME]" in [measure].
 *
 *	queue PORT		packets that wait at the port, or with PORT/2 in its queue 2
 *	queue-bytes PORT	the same in bytes
 *	throughput PORT		frame bytes that started on the line since the last sample, or with
 * PORT/2 those of its queue 2, where a packet's class alone decides its queue throughput flow:N
 * payload that the receiver of flow N got for the first time throughput traffic:NAME	the same of
 * all flows of [traffic NAME] together window flow:N		its congestion window marks PORT,
 * drops PORT	packets since the last sample
 *	marks flow:N		data packets of the flow's connection that arrived marked
 *	pauses PORT		part of the time since the last sample, 0 to 1, in which the sending
 * end was told to pause; a host's card, too. One series, PORT/CLASS, for each lossless class fct
 * traffic:NAME	mean completion time of the flows of [traffic NAME] that ended since the last
 *				sample; no sample where none did
 *	scheme PORT		every value that the port's marking scheme publishes, of each queue;
 * nothing where it publishes none. Under an agent or tuner (switch.tune) also k-min, k-max and
 * p-max, that are in force, and what the agent publishes
 *
 * With "every" a probe samples with all threads at rest, from 0 until measuring ends; queue and
 * queue-bytes without it record each change of the port while measuring. */
#ifndef SIM_MEASURE_PROBE_H
#define SIM_MEASURE_PROBE_H
#include "sim/core/engine.h"
#include "sim/measure/result.h"

struct probe_set;

/* What a series shows by the first word of its name. */
struct probe_info {
	const char *unit;
	int is_count; /* 1: a sample tells what happened since the last one; 0: what is there now */
};

/* 0: there is no probe of that name; the series may be a scheme's value. */
int probe_find(const char *name, struct probe_info *info);

/* Reads the lines. Messages start with "measure.probe: 'LINE': ". */
int probes_new(struct probe_set **out, struct engine *e, const struct line_list *lines,
	       struct weir_error *error);
void probes_free(struct probe_set *p);

/* All series together may have so many points: 16 bytes each, and as many rows of an export. */
enum { PROBE_POINTS_MAX = 50 * 1000 * 1000 };

/* Refuses probes that would take more samples than that until end_ps. */
int probes_check(const struct probe_set *p, int64_t end_ps, struct weir_error *error);

/* Asked now and then: are there more, of those that record each change or until an end that was not
 * known? The message says so. */
int probes_overflow(const struct probe_set *p, struct weir_error *error);

/* When the next sample is due; WEIR_TIME_NEVER_PS: none is. */
int64_t probes_next_ps(const struct probe_set *p);

/* Takes every sample that is due at now_ps. */
void probes_sample(struct probe_set *p, int64_t now_ps);

/* Measuring begins or ends: for probes that record each change. */
void probes_begin(struct probe_set *p);
void probes_end(struct probe_set *p);

/* One probe by itself, without "every", for whoever looks when it likes. A line may stand for
 * several values, numbered from 0, each with the name of its series. What is counted is counted
 * since the beginning: bytes, packets or picoseconds; but fct is of what ended since the last
 * look. */
int probes_watch(struct probe_set **out, struct engine *e, const char *what,
		 struct weir_error *error);
uint32_t probes_values(const struct probe_set *p);
const char *probes_name(const struct probe_set *p, uint32_t value);
double probes_read(struct probe_set *p, uint32_t value, int64_t now_ps);

/* The mean over the samples of the first "reward" probe; NAN: there is none. */
double probes_reward(const struct probe_set *set);

/* The series as far as they go, of which some may hold nothing yet: a view, good until the next
 * sample. */
const struct series *probes_so_far(const struct probe_set *p, uint32_t *count);

/* Hands the series over; the caller frees them (series_free). */
struct series *probes_series(struct probe_set *p, uint32_t *count);

void series_add(struct series *s, int64_t time_ps, double value);
void series_free(struct series *series, uint32_t count);
#endif
