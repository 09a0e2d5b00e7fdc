/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.h -- what everything that a user can choose by name has in common.
 *
 * A marking scheme, a scheduler, a congestion control, a tuner, a topology or a pattern of traffic
 * is a table of hooks, and the table begins with this head: what it is called, what it is, and
 * which options "name(option=value)" may set. Registries, help, the check of plug-ins and the
 * reader of scenarios see the head alone. */
#ifndef WEIR_SCHEME_H
#define WEIR_SCHEME_H
#include "weir/begin.h"
#include "weir/option.h"

WEIR_BEGIN

struct weir_learn_policy;

/* Of a scheme that works with a trained network: what its params say of it. Whoever reads a spec
 * loads the model and sets the policy, before any hook but check is called. */
struct weir_scheme_model {
	size_t name_offset; /* char[WEIR_OPT_TEXT_SIZE]: option "model", a file or one that is built
			       in */
	size_t policy_offset; /* const struct weir_learn_policy *, of weir/learn.h */
	/* The built-in model to take where option "model" is empty; its name is then written there.
	 * NULL, or NULL returned: none, and the policy stays NULL. */
	const char *(*standard)(const void *params);
	/* Refuses a model that is another scheme's, or of another shape: "has 3 inputs". Whoever
	 * calls it puts the model's name in front. */
	int (*fits)(const void *params, const struct weir_learn_policy *policy,
		    struct weir_error *e);
};

struct weir_scheme {
	const char *name;                  /* "tcn": letters, digits, - and _ */
	const char *help;                  /* one sentence, without a full stop: what it does */
	const char *cite;                  /* where it is defined; NULL: nowhere but here */
	size_t params_size;                /* of its params struct, at most WEIR_SPEC_PARAMS_MAX */
	const struct weir_option *options; /* over that; ends with .name == NULL; NULL: none */
	/* Options that contradict each other, whatever surrounds the scheme. NULL: none can. */
	int (*check)(const void *params, struct weir_error *e);
	const struct weir_scheme_model *model; /* NULL: it has no network */
};

WEIR_END
#endif
