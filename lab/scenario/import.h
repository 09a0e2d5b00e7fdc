/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h -- converts files of other simulators, and captures, into a scenario.
 *
 * A topology file of the HPCC family becomes explicit links; a flow file or a connection matrix
 * becomes a list of flows: the same network and the same flows in the same order. A run of the
 * scenario therefore gives the same results as one that uses the files (topology = hpcc, pattern =
 * hpcc-flows or htsim). The flows of a capture become a list, too, preceded by comments that map
 * addresses to hosts. */
#ifndef LAB_SCENARIO_IMPORT_H
#define LAB_SCENARIO_IMPORT_H
#include "lab/capture/capture.h"
#include "lab/scenario/import_hpcc.h"
#include "lab/scenario/scenario.h"
#include <stdio.h>

/* Name of the traffic section of imported flows. */
#define IMPORT_TRAFFIC "flows"

struct import_files {
	const char *topology; /* NULL: settings define the network */
	const char *flows;    /* a connection matrix if it ends in .cm; NULL: a permutation of 1 MB
				 flows */
	const struct capture_flows
		*capture;    /* content of `flows` if it is a capture; NULL: it is none */
	uint32_t star_hosts; /* number of hosts if the network is a star; 0: it is not */
	const struct import_hpcc *hpcc; /* the configuration that names the files; NULL: none,
					   settings have their defaults */
};

/* Makes a scenario that names the files; the caller may add settings by scenario_set and frees it
 * with scenario_free. On -1 there is nothing to free. */
int import_scenario(struct scenario *s, const struct import_files *files, struct weir_error *e);

/* Reads the files that the scenario names, and writes a scenario with their contents in place of
 * the names. */
int import_write(FILE *f, const struct scenario *s, const struct import_files *files,
		 struct weir_error *e);
#endif
