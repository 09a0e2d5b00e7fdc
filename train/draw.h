/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.h -- scenarios to train switch agents on, drawn at random: texts as files have them.
 *
 * DRAW_WEIR is traffic in which the best setting differs: long flows alone, with short messages
 * among them, and with bursts that come and go, over senders that recover slowly (DCQCN).
 * DRAW_PAPER is what ACC's authors say of their training (Yan et al., SIGCOMM 2021, section 4.3),
 * as far as it is public. */
#ifndef TRAIN_DRAW_H
#define TRAIN_DRAW_H
#include <stdint.h>

enum draw_kind { DRAW_WEIR, DRAW_PAPER };

struct draw {
	enum draw_kind kind;
	const char *tune; /* spec of switch.tune */
	uint64_t seed;
};

/* A scenario's text, for the caller to free. measure.from is where judging begins, measure.port
 * what is judged. */
char *draw_scenario(const struct draw *d);
#endif
