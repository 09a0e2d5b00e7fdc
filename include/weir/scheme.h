/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.h -- the head of every table of hooks that a user can select by name: marking schemes,
 * schedulers, congestion controls, tuners, agents, topologies, traffic patterns.
 *
 * It holds the name, a description, and the options that "name(option=value)" may set. Registries,
 * help, the check of plug-ins and the scenario reader look at the head only. All of it is constant
 * and must outlive every use. */
#ifndef WEIR_SCHEME_H
#define WEIR_SCHEME_H
#include "weir/begin.h"
#include "weir/option.h"

WEIR_BEGIN

struct weir_learn_policy;

/* For schemes with a neural network: where their params hold the model's name and the loaded
 * policy. The parser of the spec loads the model and sets the policy before any hook but check is
 * called. */
struct weir_scheme_model {
	size_t name_offset;   /* char[WEIR_OPT_TEXT_SIZE]: option "model", a file or a built-in name
			       */
	size_t policy_offset; /* const struct weir_learn_policy *, of weir/learn.h */
	/* The built-in model to use where option "model" is empty; its name is then stored there.
	 * NULL, or NULL returned: none, and the policy stays NULL. */
	const char *(*standard)(const void *params);
	/* Refuses a model of another scheme or shape, with a message such as "has 3 inputs" that
	 * the caller prefixes with the model's name. */
	int (*fits)(const void *params, const struct weir_learn_policy *policy,
		    struct weir_error *e);
	/* Sets options that were left open to what the model was trained with, before fits.
	 * policy NULL: there is no model, so to their defaults. NULL: no option depends on it. */
	void (*adopt)(void *params, const struct weir_learn_policy *policy);
};

struct weir_scheme {
	const char *name;                  /* "tcn": letters, digits, - and _ */
	const char *help;                  /* one sentence, without a full stop: what it does */
	const char *cite;                  /* its publication; NULL: none */
	size_t params_size;                /* bytes of the params struct, <= WEIR_SPEC_PARAMS_MAX */
	const struct weir_option *options; /* ends with .name == NULL; NULL: none */
	/* Refuses contradicting options, with a message. NULL: every combination is valid. */
	int (*check)(const void *params, struct weir_error *e);
	const struct weir_scheme_model *model; /* NULL: no neural network */
};

WEIR_END
#endif
