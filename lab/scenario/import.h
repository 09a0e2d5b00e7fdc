/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h -- files of other simulators, and captures, as a scenario in Weir's own form.
 *
 * A topology file of the HPCC family becomes explicit links, a flow file or a connection matrix a
 * list of flows: the same network and the same flows in the same order, so that a run of the
 * scenario and one of the files themselves (topology = hpcc, pattern = hpcc-flows or htsim) give
 * the same results. The flows of a capture become a list too; which address is which host is
 * written above it as comments. */
#ifndef LAB_SCENARIO_IMPORT_H
#define LAB_SCENARIO_IMPORT_H
#include "lab/capture/capture_flows.h"
#include "lab/scenario/import_hpcc.h"
#include "lab/scenario/scenario.h"
#include <stdio.h>

/* The name of the section that imported flows are in. */
#define IMPORT_TRAFFIC "flows"

struct import_files {
	const char *topology; /* NULL: the settings say which network it is */
	const char
		*flows; /* a connection matrix where it ends in .cm; NULL: a permutation of 1 MB */
	const struct capture_flows *capture; /* what is in flows, where that is a capture */
	uint32_t star_hosts;                 /* the network is a star of so many; 0: it is not */
	const struct import_hpcc
		*hpcc; /* whose files these are; NULL: nobody's, settings are defaults */
};

/* A scenario that names the files, to which further settings may be added by scenario_set. On -1
 * nothing is left to free. */
int import_scenario(struct scenario *s, const struct import_files *files, struct weir_error *e);

/* Reads the files that the scenario names and writes it without them. */
int import_write(FILE *f, const struct scenario *s, const struct import_files *files,
		 struct weir_error *e);
#endif
