/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h -- trained networks for schemes: files, and those of models/, which travel inside the
 * program.
 *
 * The library reads no files. Whoever reads the spec of a scheme that has a network (weir/scheme.h)
 * has it attached here: scheme_parse does so for every marking scheme, scheduler, control and the
 * like. A model is looked at as a whole before a scheme sees any of it, and stays until the program
 * ends, so that what points at it stays true; the same file with the same content is the same
 * model, for all threads. */
#ifndef CONFIG_MODEL_H
#define CONFIG_MODEL_H
#include "base/digest.h"
#include "config/config.h"
#include "weir/learn.h"
#include "weir/scheme.h"

/* A file of models/ without its ending, and what is in it. */
struct model_file {
	const char *name;
	struct weir_learn_bytes bytes;
};

extern const struct model_file model_files[]; /* ends with .name == NULL */

struct model {
	struct weir_learn_policy policy; /* what schemes see; first, so that it leads back here */
	struct digest digest;            /* of the whole file */
	struct weir_learn_bytes bytes;   /* its texts are read from these */
	const char *about;               /* one sentence: whose it is and how it was trained */
};

/* A name with a slash or a dot is a file's; others are built in. */
int model_is_file(const char *name);

/* The model of that name, read and found sound. NULL with a message that does not name it. */
const struct model *model_load(const struct model_file *built_in, const char *name,
			       struct weir_error *e);

/* Sets the policy of a scheme whose params were read. A name that was left empty becomes that of
 * the standard model, so that a spec that is spelled out says which one it was. */
int model_attach(const struct model_file *built_in, const struct weir_scheme *s, void *params,
		 struct weir_error *e);

/* The one that was attached; NULL: none was. */
const struct model *model_of(const struct weir_scheme *s, const void *params);

/* --- the models of a config, for the names of runs and for tables --- */

/* One of the settings that name a scheme. */
struct model_use {
	char path[160];            /* "host.cc", "traffic.web.cc" */
	const struct model *model; /* NULL: its scheme has none */
};

/* The i-th of a config that was checked; 0: there are no more. */
int model_use_at(const struct config *c, uint32_t i, struct model_use *use);

/* The model of the scheme that the setting of that path names; NULL: none. */
const struct model *model_used(const struct config *c, const char *path);
#endif
