/* SPDX-License-Identifier: BSD-3-Clause */
/* train.h -- shared by train.c (command line, training) and train_output.c (model, curve, page). */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H
#include "train/trainer.h"

/* The parsed command line. */
struct train_request {
	const struct trainer *trainer;
	const char *out;               /* path of the model */
	char *checkpoint, *csv, *page; /* paths beside it */
	char *identity;
	uint64_t steps, seed, threads, episodes, judge, judge_every;
	uint64_t show; /* evaluation episode to print, from 1; 0: none */
	int quiet;
	uint32_t scenario_count;
	const char **files;
	char **texts;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

/* Writes the curve as CSV, the page with charts and the policy by observation, and last the
 * model: if it exists, the others do. Each file is published when it is complete. */
int train_write_all(const struct train_request *q, const struct training *t, struct weir_error *e);
#endif
