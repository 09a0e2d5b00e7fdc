/* SPDX-License-Identifier: BSD-3-Clause */
/* tc_message.h -- queueing disciplines of Linux as rtnetlink says them: messages in memory, no
 * sockets here.
 *
 * Of red are turned min, max and max_p. Of codel and fq_codel is turned ce_threshold, the time in
 * queue beyond which every packet is marked. Any bytes may come. */
#ifndef KEEPER_DRIVERS_TC_MESSAGE_H
#define KEEPER_DRIVERS_TC_MESSAGE_H
#include <stddef.h>
#include <stdint.h>

enum tc_kind { TC_KIND_OTHER, TC_KIND_RED, TC_KIND_CODEL, TC_KIND_FQ_CODEL };

struct tc_qdisc {
	int ifindex;
	uint32_t handle, parent;
	enum tc_kind kind;
	char name[16]; /* of the kind */
	/* red; lengths in bytes, max_p of 2^32 */
	uint32_t min_bytes, max_bytes, max_p;
	uint8_t weight_log, p_log, cell_log, flags;
	int marks; /* red with ECN on */
	/* codel and fq_codel */
	uint32_t ce_threshold_us; /* as the kernel says it: one that is asked for may be another */
	int has_ce_threshold;
	/* counted */
	uint64_t sent_bytes;
	uint32_t drops, marked_pkts, backlog_bytes;
};

enum { TC_MESSAGE_SIZE = 1024 };

/* "Which are there?" Returns the length. */
size_t tc_message_ask(unsigned char buffer[TC_MESSAGE_SIZE], uint32_t sequence);

/* What q says is to be in force from now on; whatever else the discipline has stays, packets that
 * wait too. rate_bps and packet_bytes are for how red's average fades while nothing comes. */
size_t tc_message_change(unsigned char buffer[TC_MESSAGE_SIZE], const struct tc_qdisc *q,
			 uint64_t rate_bps, uint32_t packet_bytes, uint32_t sequence);

enum tc_said {
	TC_SAID_QDISC, /* in q */
	TC_SAID_OTHER, /* nothing of interest */
	TC_SAID_DONE,  /* no more comes */
	TC_SAID_ERROR, /* *error is an errno, or 0: it was done as asked */
	TC_SAID_GARBAGE,
};

/* The next message of so many bytes, which are cut off in front. */
enum tc_said tc_message_read(const unsigned char **bytes, size_t *length, struct tc_qdisc *q,
			     int *error);

/* The nearest ce_threshold that there is: codel counts in 1024 ns, and what it says of a time is
 * rounded down. */
uint32_t tc_codel_nearest_us(uint64_t time_us);

/* Can red have such lengths with its weight? Its average is kept in 32 bits. */
int tc_red_can_hold(const struct tc_qdisc *q, uint64_t bytes);
#endif
