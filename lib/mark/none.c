/* SPDX-License-Identifier: BSD-3-Clause */
/* none.c -- no packet is ever marked: drop-tail, the baseline every scheme is compared with. */
#include "weir/mark.h"

const struct weir_mark_ops weir_mark_none = {
	.scheme = {
		.name = "none",
		.help = "drop-tail: no marking, packets are dropped when the buffer is full",
		.cite = "drop-tail; baseline of every comparison",
	},
};
