/* SPDX-License-Identifier: BSD-3-Clause */
/* specs.h -- what the keys of a scenario that name a scheme may name, for option tables.
 *
 * An option of type WEIR_OPT_SPEC has one of these as its choices, "marking_specs.kind". That is
 * all that is said about such a key: whether a value can be read, how it is spelled out and which
 * file it names all follow. */
#ifndef CONFIG_SPECS_H
#define CONFIG_SPECS_H
#include "weir/option.h"

/* Built-in ones and plug-ins. */
extern const struct weir_specs marking_specs, scheduler_specs, cc_specs, tune_specs;

/* Built-in ones alone. */
extern const struct weir_specs fabric_specs, card_specs;
#endif
