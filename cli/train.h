/* SPDX-License-Identifier: BSD-3-Clause */
/* train.h -- what the files of weir train share. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H
#include "train/rounds.h"
#include <stdio.h>

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

/* The curve as a table, and as a page with charts and the portrait of the policy. */
void train_csv(FILE *f, const struct train_request *q, const struct training *t);
void train_page(FILE *f, const struct train_request *q, const struct training *t);
#endif
