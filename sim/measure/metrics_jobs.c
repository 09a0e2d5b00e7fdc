/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_jobs.c -- metrics of jobs (sim/traffic/job.h): times of rounds and iterations,
 * bandwidth as nccl-tests define it, communication that computing does not hide, and the slowest
 * rank.
 *
 * An iteration counts if it begins in the measured interval, after the warm-up, and ends at all
 * ranks. Iterations of a job may overlap, because ranks do not wait for each other between them. */
#include "sim/measure/metrics.h"
#include "sim/measure/sample.h"
#include "sim/traffic/job.h"
#include <math.h>

/* One iteration of a job, over all its ranks. */
struct job_round {
	int64_t start_ps;           /* first start, computing included */
	int64_t begin_ps;           /* communication begins at the first rank */
	int64_t end_ps, median_ps;  /* last end; median of the ranks' ends */
	double rank_ps, compute_ps; /* sums over ranks: duration, and computing in it */
};

/* 0: a rank has not ended it. `ends` has room for a number of each rank. */
static int job_round_read(const struct graph_job *j, uint32_t k, struct sample *ends,
			  struct job_round *round)
{
	*round = (struct job_round){ .start_ps = WEIR_TIME_NEVER_PS,
				     .begin_ps = WEIR_TIME_NEVER_PS };
	ends->count = 0;
	for (uint32_t r = 0; r < j->rank_count; r++) {
		const struct job_rank *rank = &j->ranks[r];
		const struct job_iteration *i;

		if (!rank->op_count)
			continue;
		if (k >= rank->iteration)
			return 0;
		i = &rank->iterations[k];
		if (i->start_ps < round->start_ps)
			round->start_ps = i->start_ps;
		if (i->begin_ps < round->begin_ps)
			round->begin_ps = i->begin_ps;
		if (i->end_ps > round->end_ps)
			round->end_ps = i->end_ps;
		round->rank_ps += (double)(i->end_ps - i->start_ps);
		round->compute_ps += (double)i->compute_ps;
		sample_add(ends, (double)i->end_ps);
	}
	sample_sort(ends);
	if (!ends->count)
		return 0;
	round->median_ps = (int64_t)sample_quantile(ends, 0.5);
	return 1;
}

/* Sums over the iterations of a job that count. */
struct job_sums {
	struct sample rounds; /* durations, without computing before and iterations before */
	double busy_ps;       /* their sum: in which a rank communicates */
	double span_ps;       /* from the end before the first of them to the last end */
	double lag_ps, rank_ps, compute_ps;
};

static uint32_t job_rounds_begun(const struct graph_job *j)
{
	uint32_t most = 0;

	for (uint32_t r = 0; r < j->rank_count; r++)
		if (j->ranks[r].iteration > most)
			most = j->ranks[r].iteration;
	return most;
}

static void job_sum(const struct measure *m, const struct graph_job *j, struct job_sums *s)
{
	struct sample ends = sample_new(j->rank_count);
	struct job_round round;
	int64_t before_ps = -1; /* end of the iteration before; -1: this is the first */

	*s = (struct job_sums){ .rounds = sample_new(job_rounds_begun(j)) };
	for (uint32_t k = 0; job_round_read(j, k, &ends, &round); k++) {
		int64_t from_ps = before_ps > round.begin_ps ? before_ps : round.begin_ps;

		if (k >= j->warm_up && round.start_ps >= m->from_ps && round.start_ps < m->to_ps) {
			sample_add(&s->rounds, (double)(round.end_ps - from_ps) / WEIR_PS_PER_NS);
			s->busy_ps += (double)(round.end_ps - from_ps);
			s->span_ps += (double)(round.end_ps -
					       (before_ps < 0 ? round.start_ps : before_ps));
			s->lag_ps += (double)(round.end_ps - round.median_ps);
			s->rank_ps += round.rank_ps;
			s->compute_ps += round.compute_ps;
		}
		before_ps = round.end_ps;
	}
	sample_sort(&s->rounds);
	free(ends.values);
}

/* The collective of a job that does nothing else; NULL: there are several, or none. */
static const struct collective *job_only_collective(const struct graph_job *j)
{
	uint32_t collectives = 0;

	for (uint32_t i = 0; i < j->ranks[0].op_count; i++) {
		const struct job_op *o = &j->ops[j->ranks[0].first_op + i];

		if (o->kind == JOB_SEND || o->kind == JOB_RECEIVE)
			return NULL;
		collectives += o->kind == JOB_COLLECTIVE;
	}
	return collectives == 1 && j->kind_count == 1 ? &j->kinds[0] : NULL;
}

/* From the first start to the last end; NAN: it is not over. */
static double job_time_ns(const struct graph_job *j)
{
	int64_t first_ps = WEIR_TIME_NEVER_PS, last_ps = 0;

	for (uint32_t r = 0; r < j->rank_count; r++) {
		const struct job_rank *rank = &j->ranks[r];

		if (!rank->op_count)
			continue;
		if (rank->iteration == 0 || rank->iteration != job_rounds_begun(j) ||
		    rank->iteration < j->iterations)
			return NAN;
		if (rank->iterations[0].start_ps < first_ps)
			first_ps = rank->iterations[0].start_ps;
		if (rank->iterations[rank->iteration - 1].end_ps > last_ps)
			last_ps = rank->iterations[rank->iteration - 1].end_ps;
	}
	return (double)(last_ps - first_ps) / WEIR_PS_PER_NS;
}

static void job_values(const struct measure *m, const struct graph_job *j,
		       double value[METRIC_COUNT])
{
	const struct collective *c = job_only_collective(j);
	struct job_sums s;
	double count;

	job_sum(m, j, &s);
	count = s.rounds.count;
	value[ITERATIONS] = count;
	value[ROUND_MEAN] = sample_mean(&s.rounds);
	value[ROUND_P50] = sample_known_quantile(&s.rounds, 0.5);
	value[ROUND_P99] = sample_known_quantile(&s.rounds, 0.99);
	value[JOB_TIME] = job_time_ns(j);
	value[ITERATION_MEAN] = count > 0 ? s.span_ps / count / WEIR_PS_PER_NS : NAN;
	value[RANK_LAG] = count > 0 ? s.lag_ps / count / WEIR_PS_PER_NS : NAN;
	value[EXPOSED] = s.compute_ps > 0 ? 1 - s.compute_ps / s.rank_ps : NAN;
	value[ALGBW] = c && s.busy_ps > 0 ? weir_bytes_to_bits((double)c->bytes) * count *
						    (double)WEIR_PS_PER_S / s.busy_ps
					  : NAN;
	value[BUSBW] = c ? value[ALGBW] * collective_bus_factor(c) : NAN;
	free(s.rounds.values);
}

/* Has a rank not ended all its iterations? */
static int job_is_unfinished(const struct graph_job *j)
{
	for (uint32_t r = 0; r < j->rank_count; r++)
		if (j->ranks[r].op_count && j->ranks[r].iteration < j->iterations)
			return 1;
	return 0;
}

/* A section's goodput: what its ranks have received in the interval. */
static double job_goodput_bps(const struct measure *m, uint32_t job, double interval_ps)
{
	return weir_bytes_to_bits((double)m->job_bytes[job]) * (double)WEIR_PS_PER_S / interval_ps;
}

void metrics_of_jobs(const struct measure *m, struct run_result *r, double interval_ps)
{
	static const enum metric_id ids[] = {
		ITERATIONS,     ROUND_MEAN, ROUND_P50, ROUND_P99, JOB_TIME,
		ITERATION_MEAN, RANK_LAG,   EXPOSED,   ALGBW,     BUSBW,
	};
	const struct job_list *l = m->engine->flows.jobs;
	double sums[METRIC_COUNT] = { 0 };
	double unfinished = 0;
	int has_rounds = !isnan(r->value[ROUND_MEAN]);

	for (uint32_t i = 0; l && i < l->count; i++) {
		double value[METRIC_COUNT];

		job_values(m, &l->jobs[i], value);
		for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
			section_set(r, l->jobs[i].traffic, ids[k], value[ids[k]]);
			sums[ids[k]] += value[ids[k]];
		}
		unfinished += job_is_unfinished(&l->jobs[i]);
		section_set(r, l->jobs[i].traffic, GOODPUT, job_goodput_bps(m, i, interval_ps));
	}
	r->value[JOBS_UNFINISHED] = l ? unfinished : NAN;
	/* Of the whole run: the mean of the jobs. Rounds of flows come first. */
	for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++)
		if (!(has_rounds && ids[k] >= ROUND_MEAN && ids[k] <= ROUND_P99))
			r->value[ids[k]] = l ? sums[ids[k]] / l->count : NAN;
}
