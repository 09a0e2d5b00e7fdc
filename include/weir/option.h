/* SPDX-License-Identifier: BSD-3-Clause */
/* option.h -- option tables: a setting is declared once, and parsing, limits, help and
 * documentation follow from the declaration.
 *
 * A module describes each setting by a struct weir_option, which says where in the params struct
 * the value is stored. Values are written number+unit ("100us", "64KB", "25Gbps"); k = 1000, Ki =
 * 1024; a unit is required wherever a quantity has one. Scenario files, the command line and
 * defaults use the same text form. All functions are pure but for their output arguments. */
#ifndef WEIR_OPTION_H
#define WEIR_OPTION_H
#include "weir/begin.h"
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

enum weir_opt_type {
	WEIR_OPT_TIME_NS,      /* uint64_t nanoseconds: ns us ms s; must be a whole number of ns */
	WEIR_OPT_TIME_PS,      /* uint64_t picoseconds: ps ns us ms s */
	WEIR_OPT_TIME_AUTO_PS, /* the same, or "auto" = WEIR_OPT_AUTO */
	WEIR_OPT_SPAN_PS,      /* struct weir_span_ps: one time, or two as "0us..100us" */
	WEIR_OPT_BYTES,        /* uint64_t bytes: B KB MB GB (1000), KiB MiB GiB (1024) */
	WEIR_OPT_LENGTH, /* uint64_t: a queue length in bytes (as above) or in packets ("70pkts") */
	WEIR_OPT_SIZE,   /* uint64_t bytes as WEIR_OPT_BYTES, or "unlimited" = UINT64_MAX */
	WEIR_OPT_RATE_BPS,     /* uint64_t bits per second: bps Kbps Mbps Gbps Tbps */
	WEIR_OPT_COUNT,        /* uint64_t: a plain whole number */
	WEIR_OPT_FRACTION_Q32, /* uint64_t scaled by 2^32, the nearest: "0.05", "5%" or "1/16" */
	WEIR_OPT_FLAG,         /* uint64_t 0 or 1: yes/no, true/false, on/off */
	WEIR_OPT_CHOICE,       /* uint64_t index into .choices */
	WEIR_OPT_WEIGHTS,      /* struct weir_weights: "4:2:1", or "equal" = count 0 */
	WEIR_OPT_TEXT,         /* char[WEIR_OPT_TEXT_SIZE] */
	/* Texts with a meaning for the run's identity; not for plug-ins. */
	WEIR_OPT_SCHEME,   /* a scheme with its options; .choices is of a struct weir_scheme_set */
	WEIR_OPT_FILE,     /* name of a file */
	WEIR_OPT_SELECTOR, /* a name that decides which further options there are */
	/* An option that may be repeated, a line each time. The scenario reader keeps the lines;
	 * .choices[0] is the form of a line. */
	WEIR_OPT_LINES,
};

/* Is the value a char[WEIR_OPT_TEXT_SIZE], whatever it means? */
static inline int weir_opt_is_text(enum weir_opt_type type)
{
	return type >= WEIR_OPT_TEXT && type <= WEIR_OPT_SELECTOR;
}

enum { WEIR_OPT_TEXT_SIZE = 256, WEIR_WEIGHTS_MAX = 128 };

struct weir_span_ps {
	int64_t first_ps, last_ps;
};

struct weir_weights {
	uint32_t count;
	uint32_t weight[WEIR_WEIGHTS_MAX];
};

/* The value "auto": derived from the rest of the configuration. */
#define WEIR_OPT_AUTO UINT64_MAX

/* Flag in a WEIR_OPT_LENGTH: the length counts packets, of whatever size, not bytes. */
#define WEIR_LENGTH_IN_PACKETS (UINT64_C(1) << 63)

static inline int weir_length_is_packets(uint64_t length)
{
	return (length & WEIR_LENGTH_IN_PACKETS) != 0;
}

static inline uint64_t weir_length_number(uint64_t length)
{
	return length & ~WEIR_LENGTH_IN_PACKETS;
}

/* The length in bytes, for packets of that size. */
static inline uint64_t weir_length_bytes(uint64_t length, uint32_t packet_bytes)
{
	return weir_length_number(length) * (weir_length_is_packets(length) ? packet_bytes : 1);
}

/* Has a queue of that many bytes and packets reached the length? */
static inline int weir_length_reached(uint64_t length, uint64_t bytes, uint64_t pkts)
{
	return weir_length_is_packets(length) ? pkts >= weir_length_number(length)
					      : bytes >= length;
}

/* Shared by every Q32 fraction: 1.0. */
#define WEIR_ONE_Q32 (UINT64_C(1) << 32)

struct weir_option {
	const char *name; /* as written in a file; NULL ends a table */
	enum weir_opt_type type;
	size_t offset;     /* of the value in the params struct */
	const char *def;   /* default, as a user would write it; NULL: none, the value stays zero */
	uint64_t min, max; /* of the stored number (of each number, for spans and weights; of
			    * weir_length_number, for lengths); flags, choices and text have none */
	const char *help;  /* one sentence, without a full stop */
	const char *const *choices; /* WEIR_OPT_CHOICE: names, ends with NULL; WEIR_OPT_SCHEME:
				     * the kind that a struct weir_scheme_set begins with;
				     * WEIR_OPT_LINES: how a line looks */
};

/* Reads text into params. The message names the option, what was read and what is allowed. */
int weir_option_parse(void *params, const struct weir_option *o, const char *text,
		      struct weir_error *e);

/* Bytes that a value of the type occupies in the params struct; 0 for WEIR_OPT_LINES. */
size_t weir_option_value_size(enum weir_opt_type type);

/* The largest stored number that the option allows and its type can hold. */
uint64_t weir_option_largest(const struct weir_option *o);

/* Stores every default of the table. An invalid default is a bug and fails an assertion. */
void weir_options_default(void *params, const struct weir_option *table);

const struct weir_option *weir_option_find(const struct weir_option *table, const char *name);

/* "unknown option 'mim' of red; it has min, max, p (nearest: min)". Returns -1. */
int weir_option_unknown(const char *owner, const char *name, const struct weir_option *table,
			struct weir_error *e);

/* The value as users write it, in the largest unit that is exact. A spec is written with all its
 * options, so that equal meanings give equal texts. Returns buffer. */
const char *weir_option_format(char *buffer, size_t size, const struct weir_option *o,
			       const void *params);

/* "2us to 10ms", "0 to 1", "yes or no", "one of a, b, c". Returns buffer. */
const char *weir_option_range(char *buffer, size_t size, const struct weir_option *o);

/* The type's name in help: "time", "bytes", "bytes or packets", "rate", ... */
const char *weir_option_kind(const struct weir_option *o);

/* Does the option have its default value? */
int weir_option_is_default(const struct weir_option *o, const void *params);

/* --- schemes with options: "red(min=5KB, max=200KB, p=1%)" --- */

enum { WEIR_SPEC_PARAMS_MAX = 1024 };

/* weir_spec_name copies the name before the bracket. weir_spec_params stores the table's defaults,
 * then the arguments in brackets, which may be empty. -1 with a message: an argument is malformed,
 * unknown or repeated. */
int weir_spec_name(const char *text, char *name, size_t size, struct weir_error *e);
int weir_spec_params(const char *text, void *params, const struct weir_option *table,
		     struct weir_error *e);

/* The kind of scheme that an option of type WEIR_OPT_SCHEME names. */
struct weir_scheme_set {
	const char *const kind[2]; /* { "marking", NULL } */
	/* Parses a spec, independently of other settings, into params of WEIR_SPEC_PARAMS_MAX
	 * bytes, and sets *table to their options. NULL: specs are kept as written. */
	int (*read)(const char *spec, void *params, const struct weir_option **table,
		    struct weir_error *e);
	/* Is the name before the bracket a file, as a plug-in's is? NULL: never. */
	int (*is_file)(const char *spec);
};

/* The scheme kind of an option of type WEIR_OPT_SCHEME, from its .choices. */
static inline const struct weir_scheme_set *weir_option_scheme_set(const struct weir_option *o)
{
	return (const struct weir_scheme_set *)(const void *)o->choices;
}

/* The spec with all options, in table order: "ecn(k=70pkts, scope=queue, at=enqueue)". Returns
 * buffer. */
const char *weir_spec_format(char *buffer, size_t size, const char *name,
			     const struct weir_option *table, const void *params);

WEIR_END
#endif
