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
#include "lab/scenario/scenario.h"
#include "weir/error.h"
#include "weir/option.h"
#include <stdint.h>
#include <stdio.h>

/* Name of the traffic section of imported flows. */
#define IMPORT_TRAFFIC "flows"

struct import_hpcc;

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

/* --- configurations of the HPCC simulator ---
 *
 * Converts a configuration of the HPCC simulator (Li et al., SIGCOMM 2019, and its descendants)
 * into settings of a scenario: the same congestion control and parameters, marking by link rate,
 * buffer, PFC thresholds, link failure and end of the run; flows complete at the sender, and ACK
 * size, ACK queue and the NIC's round robin are those of that simulator.
 *
 * A configuration has a key and its values on each line:
 *
 *	CC_MODE 3
 *	KMIN_MAP 2 25000000000 100 100000000000 400	number of pairs; then a rate in bit/s
 *							and 1000 bytes
 *	LINK_DOWN 0 0 0					microseconds after 2 s, and two
 *							nodes; 0: never
 *
 * # and { start a comment. A missing key has the simulator's default; if it has none, value.line is
 * 0 and value.text is empty. Unknown keys are errors, although the simulator ignores them.
 * Differences between the simulators are noted, a sentence each, with the line of the key
 * concerned; so are effects of missing keys. */

/* --- the configuration file: hpcc_config.c --- */

enum hpcc_key {
	HPCC_CC_MODE,
	HPCC_ENABLE_QCN,
	HPCC_USE_DYNAMIC_PFC_THRESHOLD,
	HPCC_PACKET_PAYLOAD_SIZE,
	HPCC_TOPOLOGY_FILE,
	HPCC_FLOW_FILE,
	HPCC_SIMULATOR_STOP_TIME,
	HPCC_ALPHA_RESUME_INTERVAL,
	HPCC_RATE_DECREASE_INTERVAL,
	HPCC_CLAMP_TARGET_RATE,
	HPCC_RP_TIMER,
	HPCC_EWMA_GAIN,
	HPCC_FAST_RECOVERY_TIMES,
	HPCC_RATE_AI,
	HPCC_RATE_HAI,
	HPCC_MIN_RATE,
	HPCC_DCTCP_RATE_AI,
	HPCC_ERROR_RATE_PER_LINK,
	HPCC_L2_CHUNK_SIZE,
	HPCC_L2_ACK_INTERVAL,
	HPCC_L2_BACK_TO_ZERO,
	HPCC_HAS_WIN,
	HPCC_GLOBAL_T,
	HPCC_VAR_WIN,
	HPCC_FAST_REACT,
	HPCC_U_TARGET,
	HPCC_MI_THRESH,
	HPCC_INT_MULTI,
	HPCC_MULTI_RATE,
	HPCC_SAMPLE_FEEDBACK,
	HPCC_PINT_LOG_BASE,
	HPCC_PINT_PROB,
	HPCC_RATE_BOUND,
	HPCC_ACK_HIGH_PRIO,
	HPCC_LINK_DOWN,
	HPCC_KMAX_MAP,
	HPCC_KMIN_MAP,
	HPCC_PMAX_MAP,
	HPCC_BUFFER_SIZE,
	/* Outputs of the simulator, and keys that it accepts and ignores. */
	HPCC_TRACE_FILE,
	HPCC_TRACE_OUTPUT_FILE,
	HPCC_FCT_OUTPUT_FILE,
	HPCC_PFC_OUTPUT_FILE,
	HPCC_ENABLE_TRACE,
	HPCC_QLEN_MON_FILE,
	HPCC_QLEN_MON_START,
	HPCC_QLEN_MON_END,
	HPCC_PAUSE_TIME,
	HPCC_DATA_RATE,
	HPCC_LINK_DELAY,
	HPCC_KEYS,
};

/* Values of CC_MODE. */
enum hpcc_mode { HPCC_DCQCN = 1, HPCC_HPCC = 3, HPCC_TIMELY = 7, HPCC_DCTCP = 8, HPCC_PINT = 10 };

struct hpcc_value {
	int line;                      /* 0: not given */
	char text[WEIR_OPT_TEXT_SIZE]; /* as written */
	double number;                 /* rates: bit/s */
};

/* Values by link rate; the limit is that of LINE_WORDS_MAX. */
enum { HPCC_RATES_MAX = 15 };

struct hpcc_map {
	uint32_t count;
	uint64_t rate_bps[HPCC_RATES_MAX];
	double value[HPCC_RATES_MAX];
};

struct hpcc_config {
	const char *file; /* borrowed from the caller */
	struct hpcc_value values[HPCC_KEYS];
	struct hpcc_map kmax_kb, kmin_kb, pmax; /* units of 1000 bytes */
	uint64_t down_us;                       /* microseconds after 2 s; 0: no link fails */
	uint64_t down_node[2];
};

/* Does the file start like such a configuration, with the name of a key? */
int hpcc_config_is(const char *file);

/* Errors are located: "FILE:LINE: ...". */
int hpcc_config_read(struct hpcc_config *c, const char *file, struct weir_error *e);

const char *hpcc_key_name(enum hpcc_key key);

/* --- the settings --- */

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

/* --- shared by import_hpcc.c and import_hpcc_control.c --- */

double hpcc_number_of(const struct import_hpcc *h, enum hpcc_key key);
int hpcc_mode_of(const struct import_hpcc *h);

/* Adds "MULTI_RATE 1: one rate for ...", with the key's line. */
void import_hpcc_note(struct import_hpcc *h, enum hpcc_key key, const char *what);

/* Adds a setting that is located at the line of that key. */
void import_hpcc_add(struct import_hpcc *h, struct scenario *s, enum hpcc_key key, const char *path,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

int import_hpcc_mistake(const struct import_hpcc *h, enum hpcc_key key, const char *what,
			struct weir_error *e);

/* Refuses keys that are missing or 0. */
int import_hpcc_check_given(const struct import_hpcc *h, const enum hpcc_key *keys, size_t count,
			    struct weir_error *e);
#define CHECK_GIVEN(h, e, ...) \
	import_hpcc_check_given( \
		h, (const enum hpcc_key[]){ __VA_ARGS__ }, \
		sizeof((const enum hpcc_key[]){ __VA_ARGS__ }) / sizeof(enum hpcc_key), e)

const char *hpcc_rate_text(char *buffer, size_t size, double bps);

/* A number without exponent (options accept none) and without trailing zeros. */
struct hpcc_plain {
	char text[32];
};
struct hpcc_plain hpcc_plain(double number);

/* Settings of the congestion control and of hosts: import_hpcc_control.c. */
int import_hpcc_control(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
int import_hpcc_transport(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
#endif
