/* SPDX-License-Identifier: BSD-3-Clause */
/* tc_message.h -- rtnetlink messages about Linux queueing disciplines: pure encoding and decoding
 * in memory, no sockets.
 *
 * The settings of red are min, max and max_p; of codel and fq_codel ce_threshold, the sojourn time
 * beyond which every packet is marked. Decoding tolerates arbitrary bytes. */
#ifndef KEEPER_DRIVERS_TC_MESSAGE_H
#define KEEPER_DRIVERS_TC_MESSAGE_H
#include <stddef.h>
#include <stdint.h>

enum tc_kind { TC_KIND_OTHER, TC_KIND_RED, TC_KIND_CODEL, TC_KIND_FQ_CODEL };

struct tc_qdisc {
	int ifindex;
	uint32_t handle, parent;
	enum tc_kind kind;
	char name[16]; /* qdisc kind */
	/* red: lengths in bytes, max_p in units of 2^-32 */
	uint32_t min_bytes, max_bytes, max_p;
	uint8_t weight_log, p_log, cell_log, flags;
	int marks; /* red with ECN enabled */
	/* codel and fq_codel */
	uint32_t ce_threshold_us; /* as the kernel reports it, which may differ from the requested
				     value */
	int has_ce_threshold;
	/* statistics */
	uint64_t sent_bytes;
	uint32_t drops, marked_pkts, backlog_bytes;
};

enum { TC_MESSAGE_SIZE = 1024 };

/* Encodes a dump request for all qdiscs; returns its length. */
size_t tc_message_dump(unsigned char buffer[TC_MESSAGE_SIZE], uint32_t sequence);

/* Encodes a change to the settings in q; other settings and queued packets stay. rate_bps and
 * packet_bytes parametrise the decay of red's average while the link is idle. */
size_t tc_message_change(unsigned char buffer[TC_MESSAGE_SIZE], const struct tc_qdisc *q,
			 uint64_t rate_bps, uint32_t packet_bytes, uint32_t sequence);

enum tc_said {
	TC_SAID_QDISC, /* filled in q */
	TC_SAID_OTHER, /* a message of another type */
	TC_SAID_DONE,  /* end of the dump */
	TC_SAID_ERROR, /* *error is an errno, 0: acknowledged */
	TC_SAID_GARBAGE,
};

/* Decodes the next message and advances *bytes past it. */
enum tc_said tc_message_read(const unsigned char **bytes, size_t *length, struct tc_qdisc *q,
			     int *error);

/* The nearest ce_threshold that codel can represent: it counts in 1024 ns and rounds down when
 * reporting. */
uint32_t tc_codel_nearest_us(uint64_t time_us);

/* Can red represent lengths up to bytes with its weight? Its average is kept in 32 bits. */
int tc_red_can_hold(const struct tc_qdisc *q, uint64_t bytes);
#endif
