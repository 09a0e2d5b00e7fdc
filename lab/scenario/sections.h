/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h -- which sections a scenario has and which keys are known in each.
 *
 * The keys of [network] depend on its topology and those of [traffic NAME] on its pattern: a
 * section has keys of its own and, through the one of type WEIR_OPT_SELECTOR, those of the kind
 * that it chooses. Keys of type WEIR_OPT_LINES may be repeated, a line each. The keys of [sweep],
 * [case NAME] and [full] are the paths of settings of the others. The reader, the settings list and
 * the help all ask here. */
#ifndef LAB_SCENARIO_SECTIONS_H
#define LAB_SCENARIO_SECTIONS_H
#include "config/config.h"

/* One topology or pattern, seen as an owner of keys. */
struct kind {
	const char *name; /* as a user writes it: of a plug-in, its path */
	const char *help;
	const struct weir_option *options; /* over params of its own */
	const struct weir_scheme *scheme;
};

enum section_trait {
	SECTION_NAMED = 1, /* "[traffic web]": any number of them, each with a name */
	SECTION_PATHS = 2, /* its keys are paths of other sections' keys */
	SECTION_LATER = 4, /* its settings count only when asked for */
};

struct section {
	const char *name; /* "network" */
	const char *help;
	const struct weir_option *options; /* keys that it always has */
	size_t offset;       /* of its values in struct config, where it is there once */
	const char *example; /* of a header, for messages: "[traffic web]" */
	/* Fills in the i-th kind; 0 when there are no more. NULL: there are no kinds, and no key of
	 * type WEIR_OPT_SELECTOR. */
	int (*kind)(size_t i, struct kind *k);
	unsigned traits; /* enum section_trait */
	/* Where there are kinds: that of a name, or NULL with a message; makes it the kind of the
	 * section's config, with the defaults of its keys; where in the config their values are. */
	const struct weir_scheme *(*find_kind)(const char *name, struct weir_error *e);
	void (*choose_kind)(void *config, const struct weir_scheme *kind);
	size_t kind_params;
	/* The struct line_list of the one key of a kind that may be repeated. Those of the section
	 * itself are where their options say. */
	size_t kind_lines;
};

#define SEED_PATH "seed" /* a key of section_root; it changes nothing of what is built */

extern const struct section section_all[]; /* ends with .name == NULL */
extern const struct section section_root;  /* of keys before the first header; its name is "" */

const struct section *section_find(const char *name);

/* What of a setting's path is its key: "marking.storage" of "switch.marking.storage", "load" of
 * "traffic.web.load". */
const char *section_key_of(const char *path);

/* May the key be repeated, in that section or with one of its kinds? A plug-in has no such key:
 * which plug-in it is may be said further below. */
int section_repeats(const struct section *s, const char *key);

/* The key before the first dot where it names a scheme: what follows is one of its options,
 * "marking.min", or a part that has a scheme of its own, "marking.leaf". NULL: there is no dot, or
 * no such key. */
const struct weir_option *section_spec(const struct section *s, const char *key);

/* The key that picks the kind; NULL: there are no kinds. */
const struct weir_option *section_chooser(const struct section *s);

/* The kind of that name, which must outlive *k; 0, and *k zeroed, when the section has none
 * such. */
int kind_find(const struct section *s, const char *name, struct kind *k);

/* The same, as a reader: -1 with a message that says which there are. */
int kind_read(const struct section *s, const char *name, struct kind *k, struct weir_error *e);

/* The names of all kinds, at most KINDS_MAX. Returns how many. */
enum { KINDS_MAX = 32 };
size_t kind_names(const struct section *s, const char *names[KINDS_MAX]);

/* May the key stand in the section, with that kind (NULL: it has none)? */
int section_has_key(const struct section *s, const char *key, const char *kind);

enum { KEYS_MAX = 128 };

/* Every key of the section and of that kind (NULL: it has none), at most KEYS_MAX. Returns how
 * many. */
size_t section_keys(const struct section *s, const char *kind, const char *names[KEYS_MAX]);

/* "star, dumbbell or fat-tree"; returns buffer. */
const char *names_join(char *buffer, size_t size, const char *const *names, size_t count);
#endif
