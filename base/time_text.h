/* SPDX-License-Identifier: BSD-3-Clause */
/* time_text.h -- a time as its user would write it, for messages. */
#ifndef BASE_TIME_TEXT_H
#define BASE_TIME_TEXT_H
#include "weir/option.h"

struct format_exact_ps {
	char text[64];
};

static inline struct format_exact_ps format_exact_ps(uint64_t ps)
{
	static const struct weir_option time = { "time", WEIR_OPT_TIME_PS, 0,  NULL,
						 0,      UINT64_MAX,       "", NULL };
	struct format_exact_ps t;

	weir_option_format(t.text, sizeof(t.text), &time, &ps);
	return t;
}
#endif
