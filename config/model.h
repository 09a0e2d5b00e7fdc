/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h -- trained neural networks for schemes, from files or from models/, which is compiled
 * into the program.
 *
 * lib/ reads no files, so the parser of specs (scheme_parse) attaches models to schemes that have a
 * network (weir/scheme.h). A model is fully validated before a scheme sees it, and stays loaded
 * until the program exits, so pointers to it remain valid. Loading the same content under the same
 * name again returns the same model. Thread-safe. */
#ifndef CONFIG_MODEL_H
#define CONFIG_MODEL_H
#include "base/digest.h"
#include "config/config.h"
#include "weir/learn.h"
#include "weir/scheme.h"

/* A model compiled into the program: name and content of a file in models/. */
struct model_file {
	const char *name;
	struct weir_learn_bytes bytes;
};

extern const struct model_file model_files[]; /* ends with .name == NULL */

struct model {
	struct weir_learn_policy
		policy;                /* what schemes see; first, so that model_of can cast back */
	struct digest digest;          /* of the whole file */
	struct weir_learn_bytes bytes; /* for reading metadata */
	const char *about;             /* one sentence: its scheme and how it was trained */
};

/* Names with a slash or a dot are files; others are built in. */
int model_is_file(const char *name);

/* Loads and validates a model. NULL with a message. */
const struct model *model_load(const struct model_file *built_in, const char *name,
			       struct weir_error *e);

/* Sets the policy in parsed params. An empty name becomes that of the standard model, so that the
 * formatted spec names it. */
int model_attach(const struct model_file *built_in, const struct weir_scheme *s, void *params,
		 struct weir_error *e);

/* The attached model; NULL: none. */
const struct model *model_of(const struct weir_scheme *s, const void *params);

/* --- the models that a config uses, for run identities and tables --- */

/* A setting that names a scheme, with its model. */
struct model_use {
	char path[160];            /* "host.cc", "traffic.web.cc" */
	const struct model *model; /* NULL: none */
};

/* The i-th setting of a checked config. 0: there are no more. */
int model_use_at(const struct config *c, uint32_t i, struct model_use *use);

/* The model of the setting at that path; NULL: none. */
const struct model *model_used(const struct config *c, const char *path);
#endif
