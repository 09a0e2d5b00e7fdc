/* SPDX-License-Identifier: BSD-3-Clause */
/* defaults.h -- the source of each default, and the link rates that it suits.
 *
 * One table for every default that holds a time, a size, a queue length or a rate, of [switch],
 * [host], [rdma] and of every scheme; tests/sim/test_defaults.c holds the registries against it.
 * 'weir help defaults' and docs/reference/scenario.md show it, with the values from the option
 * tables; 'weir check' compares it with a scenario's links (lab/scenario/default_notes.c). */
#ifndef CONFIG_DEFAULTS_H
#define CONFIG_DEFAULTS_H
#include "base/registry.h"

/* Tolerance: a link is out of range if it is slower or faster by more than this factor. */
enum { DEFAULT_RATE_FACTOR = 2 };

struct default_entry {
	const char *owner;   /* "switch", "host" or "rdma"; or a kind of default_kinds, "cc" */
	const char *scheme;  /* NULL: keys of a section */
	const char *when;    /* "preset=paper": of the scheme's options; NULL: always */
	const char *options; /* separated by blanks */
	const char *source;  /* "chosen here" where there is no other */
	uint64_t rate_min_bps, rate_max_bps; /* meant for; 0: no bound on that side */
	const char *note;                    /* NULL: none */
};

extern const struct default_entry default_all[]; /* ends with .owner == NULL */

/* The kinds of schemes that have entries. */
struct default_kind {
	const char *name;
	const struct registry *schemes;
};

extern const struct default_kind default_kinds[]; /* ends with .name == NULL */

/* Has the option a default with a dimension: a time, a size, a queue length or a rate? */
int default_is_bound(const struct weir_option *o);

/* The option table of the entry. NULL: there is no such scheme. */
const struct weir_option *default_options(const struct default_entry *d);

/* Copies the next name of a blank-separated list; returns the rest, NULL at the end. */
const char *default_next_option(const char *list, char *name, size_t size);

/* Does the entry's condition hold for the scheme's params? */
int default_holds(const struct default_entry *d, const void *params);

/* Is a link of that rate out of range? */
int default_is_outside(const struct default_entry *d, uint64_t rate_bps);

/* "10Gbps", "10Gbps to 100Gbps", "10Gbps and more", "any rate"; and one rate. Both return
 * buffer. */
const char *default_rates(const struct default_entry *d, char *buffer, size_t size);
const char *default_rate(uint64_t rate_bps, char *buffer, size_t size);
#endif
