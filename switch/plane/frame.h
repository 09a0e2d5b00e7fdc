/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h -- what a switch must know of an Ethernet frame: is it sound, whose is it, may it be
 * marked?
 *
 * Reading is a pure function of the bytes. It never looks beyond length, follows no pointer that a
 * frame holds, and walks over a bounded number of tags and headers; what it does not know is
 * FRAME_OTHER, and is forwarded untouched. Tags are those of IEEE 802.1Q and 802.1ad, ECN is that
 * of RFC 3168. */
#ifndef SWITCH_PLANE_FRAME_H
#define SWITCH_PLANE_FRAME_H
#include <stdint.h>

enum {
	FRAME_ADDRESS_BYTES = 6,
	FRAME_HEADER_BYTES = 14, /* two addresses and a type */
	FRAME_TAG_BYTES = 4,
	FRAME_TAGS_MAX = 2,
};

enum frame_kind { FRAME_OTHER, FRAME_IPV4, FRAME_IPV6 };

/* The two bits of an IP header (RFC 3168, section 5). */
enum frame_ecn { FRAME_NOT_ECT = 0, FRAME_ECT_1 = 1, FRAME_ECT_0 = 2, FRAME_CE = 3 };

enum frame_fault {
	FRAME_GOOD,
	FRAME_SHORT,  /* no room for an Ethernet header */
	FRAME_BAD_IP, /* says it is IP, and its header contradicts itself or the frame's length */
	FRAME_FAULTS,
};

struct frame_facts {
	uint64_t to, from; /* addresses, as numbers below 2^48 */
	uint32_t flow_hash;
	uint16_t ip_at;        /* where the payload begins, behind all tags */
	uint16_t transport_at; /* where TCP or UDP begins; 0: it has neither, or is a fragment */
	uint8_t kind;          /* enum frame_kind */
	uint8_t ecn;           /* enum frame_ecn; where it is IP */
	uint8_t dscp;
	uint8_t protocol; /* where transport_at is not 0 */
};

enum frame_fault frame_read(const uint8_t *frame, uint32_t length, struct frame_facts *f);

/* Sets CE in a frame of which these are the facts, and keeps an IPv4 header's sum right (RFC
 * 1624). */
void frame_mark(uint8_t *frame, const struct frame_facts *f);

/* Completes the sum of TCP or UDP that a sender left to its card: the sum of the addresses is
 * there, all else is to be added. */
void frame_complete_sum(uint8_t *frame, const struct frame_facts *f);

/* For one host, and not for all or for a group? */
static inline int frame_is_for_one(uint64_t address)
{
	return (address >> 40 & 1) == 0;
}

/* "02:00:00:00:00:1a"; -1: it is no address. */
int frame_address(const char *text, uint64_t *address);
#endif
