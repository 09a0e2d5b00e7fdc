/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h -- the file that a real switch is made from.
 *
 *	# two hosts and a bottleneck link to the second
 *	[switch]
 *	marking = ecn(k=20pkts)
 *	[real]
 *	delay = 100us
 *	[port a]
 *	interface = veth-a
 *	[port b]
 *	interface = veth-b
 *	rate = 100Mbps
 *
 * [switch] is the section of scenarios, with the same keys from the same table; [port NAME] may
 * override any of them for that port, besides keys that only ports have. [real] holds what only a
 * real switch needs. Error messages begin with the location: "FILE:LINE: section.key: ". */
#ifndef SWITCH_RUN_SETTINGS_H
#define SWITCH_RUN_SETTINGS_H
#include "base/ini.h"
#include "config/config.h"
#include "switch/plane/plane.h"
#include "switch/wire/wire.h"

enum { REAL_THREADS_MAX = 8 };

enum urgency { URGENT_NO, URGENT_NICE, URGENT_REALTIME };

/* [real] */
struct real_settings {
	char backend[WEIR_OPT_TEXT_SIZE];
	uint64_t mtu_bytes;
	uint64_t buffers;
	uint64_t ring_frames;
	uint64_t learn;
	uint64_t age_ps;
	uint64_t unknown; /* enum plane_unknown */
	struct line_list dscps;
	uint64_t catch_up_ps;
	uint64_t rtt_ns; /* 0: computed from the ports' rates and delays */
	uint64_t urgent; /* enum urgency */
	uint64_t threads;
	char socket[WEIR_OPT_TEXT_SIZE];
	struct line_list probes;
	uint64_t prometheus; /* TCP port on 127.0.0.1; 0: none */
};

/* [port NAME] */
struct port_settings {
	char name[PLANE_NAME_SIZE];
	int line;                           /* line of its section header */
	char interface[WEIR_OPT_TEXT_SIZE]; /* empty: the port's name */
	uint64_t rate_bps;
	uint64_t delay_ps;
	char part[WEIR_OPT_TEXT_SIZE]; /* switch it belongs to, when one file holds several; empty:
					  the only one */
	char to[WEIR_OPT_TEXT_SIZE];   /* peer port of an internal link, in place of an interface;
					  empty: none */
	uint32_t part_number, peer_plus_one; /* the same two, as the plane has them */
	struct line_list addresses;          /* of the hosts behind it */
	struct config config;                /* its [switch], checked */
};

struct switch_settings {
	char file[WEIR_OPT_TEXT_SIZE], title[WEIR_OPT_TEXT_SIZE];
	char renamed[WEIR_OPT_TEXT_SIZE]; /* note about a former name, see config.h; empty: none */
	uint64_t seed;
	struct real_settings real;
	uint8_t class_of_dscp[PLANE_DSCPS];
	const struct wire_ops *backend;
	struct config config; /* [switch] without the ports' overrides, checked */
	uint32_t port_count;
	struct port_settings *ports;
};

extern const struct weir_option real_options[], real_port_options[];

/* After -1 there is nothing to free. */
int settings_read(struct switch_settings *s, const char *file, struct weir_error *e);
int settings_read_text(struct switch_settings *s, const char *file, const char *text, size_t length,
		       struct weir_error *e);
void settings_free(struct switch_settings *s);

/* The index of the port of that name. */
int settings_port(const struct switch_settings *s, const char *name, uint32_t *port,
		  struct weir_error *e);

struct tuning;

/* The share of the switch that one plane serves; see plane_plan. */
struct settings_share {
	uint64_t own;
	uint32_t buffers;
	struct plane_others others;
};

/* Builds the plane of these settings with the static addresses they name. The settings must outlive
 * it. tuning may be NULL. */
struct plane *settings_plane(const struct switch_settings *s, struct tuning *tuning,
			     const struct settings_share *share);

/* --- parsing: settings.c applies pairs, checks.c rejects contradictions --- */

enum owner { OWNER_ROOT, OWNER_SWITCH, OWNER_REAL, OWNER_PORT };

struct reader {
	struct switch_settings *s;
	enum owner owner;
	int seen[2]; /* line numbers of [switch] and [real] */
	struct ini_pairs pairs;
};

/* Adds the location of that pair to the error. */
int reading_locate(const struct reader *r, const struct ini_pair *p, struct weir_error *e);

/* Checks [switch] and [real], then each port, then the combination. */
int reading_check_common(struct reader *r, struct weir_error *e);
int reading_check_port(struct reader *r, uint32_t port, struct weir_error *e);
int reading_check_whole(struct reader *r, struct weir_error *e);
#endif
