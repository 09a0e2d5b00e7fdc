/* SPDX-License-Identifier: BSD-3-Clause */
/* import_hpcc.h -- a configuration of HPCC's simulator as settings of a scenario: the same control
 * with the same numbers, the same marking by link rate, buffer, pauses, failure and end; flows end
 * at the sender, ACKs have the size and the queue, and NICs the round robin, that they have there.
 *
 * What has no like here is said, a sentence each, with the line of the configuration it is about;
 * so is what a key that was not given stands for there. */
#ifndef LAB_SCENARIO_IMPORT_HPCC_H
#define LAB_SCENARIO_IMPORT_HPCC_H
#include "lab/scenario/hpcc_config.h"
#include "lab/scenario/scenario.h"

/* A configuration and the paths of its two files. */
struct import_hpcc {
	struct hpcc_config config;
	char topology[2 * WEIR_OPT_TEXT_SIZE], flows[2 * WEIR_OPT_TEXT_SIZE];
	int64_t stop_ps;
	struct line_list notes; /* how Weir's run differs, one sentence each */
};

/* On -1 there is nothing to free. */
int import_hpcc_read(struct import_hpcc *h, const char *file, struct weir_error *e);
void import_hpcc_free(struct import_hpcc *h);

/* Adds the settings to a scenario made by import_scenario, and fills the notes. */
int import_hpcc_settings(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
#endif
