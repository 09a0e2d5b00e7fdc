/* SPDX-License-Identifier: BSD-3-Clause */
/* qla.h -- options and state of QLA (qla.c), for schemes that embed it. */
#ifndef TUNE_QLA_H
#define TUNE_QLA_H
#include "weir/tune.h"

/* A probability cannot rise faster than from 0 to 1 within a byte: per MB. */
#define QLA_SLOPE_MAX_Q32 (UINT64_C(1000) * 1000 * WEIR_ONE_Q32)
#define QLA_SLOPE_MIN_Q32 (WEIR_ONE_Q32 / 1000)
#define QLA_LENGTH_MAX (UINT64_C(4) * 1000 * 1000 * 1000)

enum { QLA_TRIALS = 4 };

struct qla_params {
	uint64_t beta_q32;
	uint64_t queue_left, queue_right, min_step; /* WEIR_OPT_LENGTH */
	uint64_t slope_min_q32, slope_step_q32;     /* per MB */
};

struct qla_state {
	uint64_t slope_q32, min_bytes; /* centre of the trials */
	uint64_t start_bytes;          /* min is never less */
	uint64_t utility_q32[QLA_TRIALS];
	uint64_t latest_q32;
	uint32_t trial; /* index of the current one */
	uint32_t mtu_bytes;
};

extern const struct weir_tune_ops weir_tune_qla;

int weir_qla_check(const void *params, struct weir_error *e);

/* The utility U of an interval (qla.c), from beta, q-left and q-right. */
uint64_t weir_qla_utility_q32(const struct qla_params *p, const struct weir_tune_telemetry *t);

/* The options of a struct qla_params that is a member of another struct. */
#define QLA_OPTIONS(t, m) \
	QLA_OPTION(t, m, beta_q32, "beta", WEIR_OPT_FRACTION_Q32, "0.4", 0, WEIR_ONE_Q32, \
		   "weight of the line's use in the utility; the rest is that of a short queue"), \
		QLA_OPTION(t, m, queue_left, "q-left", WEIR_OPT_LENGTH, "15pkts", 0, \
			   QLA_LENGTH_MAX, "a mean queue up to this is as good as none"), \
		QLA_OPTION(t, m, queue_right, "q-right", WEIR_OPT_LENGTH, "500KB", 0, \
			   QLA_LENGTH_MAX, \
			   "a mean queue from this on is worth nothing, and in between less in a " \
			   "line"), \
		QLA_OPTION(t, m, slope_min_q32, "lambda-min", WEIR_OPT_FRACTION_Q32, "0.05", \
			   QLA_SLOPE_MIN_Q32, QLA_SLOPE_MAX_Q32, \
			   "smallest lambda; for less marking still, min rises instead"), \
		QLA_OPTION(t, m, slope_step_q32, "lambda-step", WEIR_OPT_FRACTION_Q32, "0.025", \
			   QLA_SLOPE_MIN_Q32, QLA_SLOPE_MAX_Q32, \
			   "by how much a trial changes lambda"), \
		QLA_OPTION(t, m, min_step, "min-step", WEIR_OPT_LENGTH, "5pkts", 1, \
			   QLA_LENGTH_MAX, "by how much a trial changes min")

#define QLA_OPTION(t, m, field, name, type, def, min, max, help) \
	{ \
		name, type, offsetof(t, m.field), def, min, max, help, NULL \
	}
#endif
