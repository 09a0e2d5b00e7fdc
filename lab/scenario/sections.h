/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h -- which sections a scenario has, and which keys each of them knows.
 *
 * The keys of [network] depend on its topology, those of [traffic NAME] on its pattern: a section
 * has keys of its own and, through its key of type WEIR_OPT_SELECTOR, those of the selected kind.
 * Keys of type WEIR_OPT_LINES may be repeated, one line each. The keys of [sweep], [case NAME] and
 * [full] are paths of settings of other sections. Used by the reader, the list of settings and the
 * help. All data is constant. */
#ifndef LAB_SCENARIO_SECTIONS_H
#define LAB_SCENARIO_SECTIONS_H
#include "config/config.h"

/* One topology or traffic pattern, as owner of keys. */
struct kind {
	const char *name; /* as a user writes it; a plug-in's path */
	const char *help;
	const struct weir_option *options; /* offsets are into params of its own */
	const struct weir_scheme *scheme;
};

enum section_trait {
	SECTION_NAMED = 1, /* any number of sections with a name each, "[traffic web]" */
	SECTION_PATHS = 2, /* keys are paths of settings of other sections */
	SECTION_LATER = 4, /* settings apply only if the case, or --full, is selected */
};

struct section {
	const char *name; /* "network" */
	const char *help;
	const struct weir_option *options; /* keys that do not depend on the kind */
	size_t offset;       /* of its values in struct config, if it is not SECTION_NAMED */
	const char *example; /* header for messages: "[traffic web]" */
	/* Fills in the i-th kind; 0: no more. NULL: the section has no kinds and no key of type
	 * WEIR_OPT_SELECTOR. */
	int (*kind)(size_t i, struct kind *k);
	unsigned traits; /* bit set of enum section_trait */
	/* Only with kinds. find_kind: the kind of that name, or NULL with a message. choose_kind:
	 * makes it the kind of the section's config and sets the defaults of its keys. kind_params:
	 * offset of their values in that config. */
	const struct weir_scheme *(*find_kind)(const char *name, struct weir_error *e);
	void (*choose_kind)(void *config, const struct weir_scheme *kind);
	size_t kind_params;
	/* Offset of the struct line_list of a kind's repeatable key. Repeatable keys of the section
	 * itself use their option's offset. */
	size_t kind_lines;
};

#define SEED_PATH "seed" /* a key of section_root; does not affect what is built */

extern const struct section section_all[]; /* terminated by .name == NULL */
extern const struct section section_root;  /* keys before the first header; its name is "" */

const struct section *section_find(const char *name);

/* The key in a setting's path: "marking.storage" of "switch.marking.storage", "load" of
 * "traffic.web.load". */
const char *section_key_of(const char *path);

/* May the key be repeated in that section, with any of its kinds? A plug-in has no such key,
 * because the file may name the plug-in further below. */
int section_repeats(const struct section *s, const char *key);

/* The option before the key's first dot, if it is a scheme; after the dot follows an option of the
 * scheme, "marking.min", or a part with its own scheme, "marking.leaf". NULL: no dot, or no such
 * option. */
const struct weir_option *section_spec(const struct section *s, const char *key);

/* The key that selects the kind; NULL: no kinds. */
const struct weir_option *section_chooser(const struct section *s);

/* Fills in the kind of that name, which must outlive *k. 0: there is none, and *k is zeroed. */
int kind_find(const struct section *s, const char *name, struct kind *k);

/* The same; -1 with a message that names the kinds. */
int kind_read(const struct section *s, const char *name, struct kind *k, struct weir_error *e);

/* The names of all kinds, at most KINDS_MAX; returns their number. */
enum { KINDS_MAX = 32 };
size_t kind_names(const struct section *s, const char *names[KINDS_MAX]);

/* Does the section know the key with that kind (NULL: none)? */
int section_has_key(const struct section *s, const char *key, const char *kind);

enum { KEYS_MAX = 128 };

/* The keys of the section and of that kind (NULL: none), at most KEYS_MAX; returns their number. */
size_t section_keys(const struct section *s, const char *kind, const char *names[KEYS_MAX]);

/* A section of a config, whose values are read or written. */
struct section_view {
	const struct section *section;
	struct kind kind;  /* .name NULL: the section has no kinds, or none was chosen yet */
	const char *owner; /* prefix of its paths: "network", "traffic.web" */
	void *params;      /* its values in the config */
};

/* Not [traffic NAME], which may occur several times, nor [sweep] and others that hold paths. */
static inline int section_is_single(const struct section *s)
{
	return s->traits == 0;
}

/* Views without kind: of a single section of the config, and of a [traffic NAME]. */
struct section_view section_view_single(struct config *c, const struct section *s);
struct section_view section_view_traffic(struct traffic_config *t, const char *owner);

/* Address of the values of an option table: the section's own, or that of its kind. */
void *section_values(const struct section_view *v, const struct weir_option *table);

/* The lines of a repeatable key of the table. */
struct line_list *section_lines(const struct section_view *v, const struct weir_option *table,
				const struct weir_option *o);

/* Joins names for messages, "star, dumbbell or fat-tree"; returns buffer. */
const char *names_join(char *buffer, size_t size, const char *const *names, size_t count);
#endif
