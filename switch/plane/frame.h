/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h -- Ethernet frame parsing for the data plane: validity, addresses, flow hash, ECN field.
 *
 * Parsing is a pure function of the bytes: it never reads beyond length, follows no pointer from
 * the frame, and walks a bounded number of tags and extension headers. A frame of an unknown
 * protocol is FRAME_OTHER and is forwarded unchanged. VLAN tags follow IEEE 802.1Q and 802.1ad, ECN
 * follows RFC 3168. */
#ifndef SWITCH_PLANE_FRAME_H
#define SWITCH_PLANE_FRAME_H
#include <stdint.h>

enum {
	FRAME_ADDRESS_BYTES = 6,
	FRAME_HEADER_BYTES = 14, /* destination, source, EtherType */
	FRAME_TAG_BYTES = 4,
	FRAME_TAGS_MAX = 2,
};

enum frame_kind { FRAME_OTHER, FRAME_IPV4, FRAME_IPV6 };

/* The two bits of an IP header (RFC 3168, section 5). */
enum frame_ecn { FRAME_NOT_ECT = 0, FRAME_ECT_1 = 1, FRAME_ECT_0 = 2, FRAME_CE = 3 };

enum frame_fault {
	FRAME_GOOD,
	FRAME_SHORT,  /* too short for an Ethernet header */
	FRAME_BAD_IP, /* claims to be IP, but the header contradicts itself or the frame length */
	FRAME_FAULTS,
};

struct frame_facts {
	uint64_t to, from; /* MAC addresses as 48-bit numbers */
	uint32_t flow_hash;
	uint16_t ip_at;        /* offset of the network header, after all VLAN tags */
	uint16_t transport_at; /* offset of the TCP or UDP header; 0: none, or a fragment */
	uint8_t kind;          /* enum frame_kind */
	uint8_t ecn;           /* enum frame_ecn; valid for IP */
	uint8_t dscp;
	uint8_t protocol; /* IP protocol; valid when transport_at is not 0 */
};

enum frame_fault frame_read(const uint8_t *frame, uint32_t length, struct frame_facts *f);

/* Sets CE in the frame described by the facts and updates the IPv4 header checksum incrementally
 * (RFC 1624). */
void frame_mark(uint8_t *frame, const struct frame_facts *f);

/* Completes a TCP or UDP checksum that the sender left to NIC offload: the pseudo-header sum is
 * already in place, the rest is added here. */
void frame_complete_checksum(uint8_t *frame, const struct frame_facts *f);

/* Is it a unicast address? */
static inline int frame_is_for_one(uint64_t address)
{
	return (address >> 40 & 1) == 0;
}

/* Parses "02:00:00:00:00:1a"; -1: not a MAC address. */
int frame_address(const char *text, uint64_t *address);
#endif
