/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_say.h -- writes a ranking as sentences. Private to answer.c. */
#ifndef LAB_ANALYSIS_ANSWER_SAY_H
#define LAB_ANALYSIS_ANSWER_SAY_H
#include "lab/analysis/answer.h"
#include "lab/analysis/answer_rank.h"

/* where: prefix of each line, "web: " or "". */
void answer_say_ranking(const struct ranking *r, const char *where, const struct line_sink *ear);

/* Writes that no run has a value of the goal. */
void answer_say_unknown(const char *words, const char *where, const struct line_sink *ear);
#endif
