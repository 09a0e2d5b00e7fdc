/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h -- quantities over time: "probe = WHAT TARGET [every TIME]" in [measure].
 *
 *	queue PORT		packets queued at the port; PORT/2: in its queue 2
 *	queue-bytes PORT	the same in bytes
 *	throughput PORT		frame bytes that started on the link since the last sample;
 *				PORT/2: those of queue 2, if the class alone decides the queue
 *	throughput flow:N	new payload that the receiver of flow N received
 *	throughput traffic:NAME	the same over all flows of [traffic NAME]
 *	window flow:N		its congestion window
 *	marks PORT, drops PORT	packets since the last sample
 *	marks flow:N		data packets of the flow's connection that arrived marked
 *	pauses PORT		part of the time since the last sample, 0 to 1, in which the
 *				sending end, which may be a NIC, was paused; a series PORT/CLASS
 *				for each lossless class
 *	fct traffic:NAME	mean completion time of the flows of [traffic NAME] that
 *				finished since the last sample; no sample if none did
 *	scheme PORT		every value that the port's marking scheme publishes, of each
 *				queue. Under an agent or tuner (switch.tune) also k-min, k-max
 *				and p-max in force, and what the agent publishes
 *	reward PORT		ACC's reward of the port since the last sample
 *
 * With "every" a probe samples at a barrier, from 0 until measuring ends. queue and queue-bytes
 * without it record each change of the port while measuring, on the port's thread. All functions
 * here are called at a barrier. */
#ifndef SIM_MEASURE_PROBE_H
#define SIM_MEASURE_PROBE_H
#include "sim/core/engine.h"
#include "sim/measure/result.h"

struct probe_set;

/* What a series holds, by the first word of its name. */
struct probe_info {
	const char *unit;
	int is_count; /* 1: a sample is the change since the last one; 0: the current value */
};

/* Returns 1 and fills info, or 0: no probe has that name; the series may be a scheme's value. */
int probe_find(const char *name, struct probe_info *info);

/* Reads the lines of measure.probe. Returns 0, or -1 with a message that starts with
 * "measure.probe: 'LINE': ". */
int probes_new(struct probe_set **out, struct engine *e, const struct line_list *lines,
	       struct weir_error *error);
void probes_free(struct probe_set *p);

/* Most points of all series together: 16 bytes each, and as many rows of an export. */
enum { PROBE_POINTS_MAX = 50 * 1000 * 1000 };

/* Refuses probes that would take more samples than that until end_ps. */
int probes_check(const struct probe_set *p, int64_t end_ps, struct weir_error *error);

/* Called now and then for probes that record each change, or whose end was not known: -1 with a
 * message if there are more points than that. */
int probes_overflow(const struct probe_set *p, struct weir_error *error);

/* Time of the next sample; WEIR_TIME_NEVER_PS: none. */
int64_t probes_next_ps(const struct probe_set *p);

/* Takes every sample that is due at now_ps. */
void probes_sample(struct probe_set *p, int64_t now_ps);

/* At the beginning and the end of the measured interval. */
void probes_begin(struct probe_set *p);
void probes_end(struct probe_set *p);

/* A probe outside the scenario, without "every", for a caller that reads it when it likes
 * (weir_sim_watch). A line may have several values, numbered from 0, each with the name of its
 * series. Counters count from the start of the run, in bytes, packets or picoseconds; but fct
 * covers the flows that finished since the last read. */
int probes_watch(struct probe_set **out, struct engine *e, const char *what,
		 struct weir_error *error);
uint32_t probes_values(const struct probe_set *p);
const char *probes_name(const struct probe_set *p, uint32_t value);
double probes_read(struct probe_set *p, uint32_t value, int64_t now_ps);

/* The mean over the samples of the first "reward" probe; NAN: there is none. */
double probes_reward(const struct probe_set *set);

/* The series so far, some perhaps empty; valid until the next sample. */
const struct series *probes_so_far(const struct probe_set *p, uint32_t *count);

/* Moves the series that have points to the caller, who frees them (series_free). */
struct series *probes_series(struct probe_set *p, uint32_t *count);

void series_add(struct series *s, int64_t time_ps, double value);
void series_free(struct series *series, uint32_t count);
#endif
