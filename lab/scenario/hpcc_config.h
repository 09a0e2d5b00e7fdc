/* SPDX-License-Identifier: BSD-3-Clause */
/* hpcc_config.h -- the configuration file of the HPCC simulator (Li et al., SIGCOMM 2019) and its
 * descendants: a key and its values a line.
 *
 *	CC_MODE 3
 *	KMIN_MAP 2 25000000000 100 100000000000 400	how many; then a rate in bit/s
 *							and 1000 bytes
 *	LINK_DOWN 0 0 0					microseconds after 2 s, and two
 *							nodes; 0: never
 *
 * # and { begin a comment. A key that is not given has the value that the simulator has for it;
 * where it has none, value.line is 0 and value.text empty. A key that it does not know is refused
 * here, where the simulator passes over it. */
#ifndef LAB_SCENARIO_HPCC_CONFIG_H
#define LAB_SCENARIO_HPCC_CONFIG_H
#include "weir/error.h"
#include "weir/option.h"
#include <stdint.h>

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
#endif
