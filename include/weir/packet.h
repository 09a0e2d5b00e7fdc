/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h -- a packet as a port sees it: 64 bytes, one cache line, copied by value.
 *
 * The port reads and writes the first 24 bytes. The rest belongs to the owner of the port, and the
 * port copies it unread: the simulator keeps route and transport header there, a software switch
 * the address of the frame. */
#ifndef WEIR_PACKET_H
#define WEIR_PACKET_H
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

enum weir_packet_flag {
	WEIR_PACKET_ECT = 1,        /* ECN-capable: may be marked instead of dropped */
	WEIR_PACKET_CE = 2,         /* congestion experienced */
	WEIR_PACKET_OWNER_FLAG = 4, /* this bit and those above are the owner's */
};

enum { WEIR_PACKET_OWNER_BYTES = 40 };

struct weir_packet {
	int64_t time_ps; /* in a queue: when it was enqueued; on a link: when it arrives */
	uint32_t flow_hash;
	uint16_t bytes; /* of the frame, without preamble and gap */
	uint8_t class_id;
	uint8_t flags;
	/* The packet does not say which member is valid: the owner decides once for all of its
	 * packets. An owner that uses int_stack_index has no ports that rank packets; other ports
	 * copy the union unread. 0: none. */
	union {
		int64_t slack_ps; /* how long it may still be queued; a port that ranks packets
				     subtracts the sojourn time */
		uint64_t int_stack_index; /* of its INT stack (in-band network telemetry) */
	};
	WEIR_ALIGN(8) unsigned char owner[WEIR_PACKET_OWNER_BYTES];
};

WEIR_ASSERT(sizeof(struct weir_packet) == 64, "a packet is one cache line");

WEIR_END
#endif
