/* SPDX-License-Identifier: BSD-3-Clause */
/* train.h -- what weir train is asked for (train.c) and what it writes (train_output.c). */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H
#include "train/trainer.h"

/* What the command line asks for. */
struct train_request {
	const struct trainer *trainer;
	const char *out;               /* the model */
	char *checkpoint, *csv, *page; /* beside it */
	char *identity;
	uint64_t steps, seed, threads, episodes, judge, judge_every;
	uint64_t show; /* which judging episode, from 1; 0: none is asked for */
	int quiet;
	uint32_t scenario_count;
	const char **files;
	char **texts;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

/* Writes the curve as a table, the page with charts and the portrait of the policy, and the model,
 * which comes last: where it is, everything is. Each file appears when it is whole. */
int train_write_all(const struct train_request *q, const struct training *t, struct weir_error *e);
#endif
