/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h -- every --pcap PORT=FILE of a command line, as taps of a run. */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H
#include "cli/commands.h"
#include "lab/capture/pcap.h"

enum { CAPTURES_MAX = 16 };

struct captures {
	uint32_t count;
	struct pcap files[CAPTURES_MAX];
	struct tap taps[CAPTURES_MAX];
};

/* Opens the files; on -1 none is left. */
int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct weir_error *e);

/* Either all files appear, or they are removed. */
int captures_publish(struct captures *c, struct weir_error *e);
void captures_abandon(struct captures *c);
#endif
