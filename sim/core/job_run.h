/* SPDX-License-Identifier: BSD-3-Clause */
/* job_run.h -- executes the operation graphs of jobs (sim/traffic/job.h) by messages and calls of
 * mailboxes.
 *
 * A rank's state belongs to the worker of its host. Everything that happens to it happens there: a
 * receive is complete when the last byte has arrived, a computation when its timer fires. What
 * depends on that starts at once, in the order in which it became ready. So results do not depend
 * on threads or processes. */
#ifndef SIM_CORE_JOB_RUN_H
#define SIM_CORE_JOB_RUN_H
#include "sim/core/engine.h"

struct host;

/* Messages and connections of each host that the jobs of the list need, for the engine's plan. */
void jobs_plan(const struct flow_list *flows, struct engine_plan *plan);

/* 1: a job's sends are complete when they are acknowledged. */
int jobs_wait_for_acks(const struct flow_list *flows);

/* Sets the start of every rank. Called once, after engine_new. -1: message. */
int jobs_start(struct engine *e, struct weir_error *error);

/* The last byte of a job's message has arrived at the host; the last one was acknowledged there. */
void job_on_delivery(struct worker *w, struct host *h, uint64_t label, uint64_t bytes);
void job_on_ack(struct worker *w, struct host *h, uint64_t label);

/* 1: a message could not be sent, and the run has no result; message. */
int jobs_failed(const struct engine *e, struct weir_error *error);
#endif
