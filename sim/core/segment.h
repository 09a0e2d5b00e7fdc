/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h -- the owner's part of a packet in the simulator: path, connection, and the fields of
 * data, ACKs and frames between neighbours.
 *
 * Sequence numbers count segments, not bytes: every segment of a message but the last carries one
 * MSS, so the number determines the bytes. */
#ifndef SIM_CORE_SEGMENT_H
#define SIM_CORE_SEGMENT_H
#include "weir/packet.h"

enum segment_flag {
	SEGMENT_ACK = WEIR_PACKET_OWNER_FLAG,
	SEGMENT_ECE = SEGMENT_ACK << 1,
	SEGMENT_CWR = SEGMENT_ACK << 2,
	SEGMENT_LAST = SEGMENT_CWR, /* RDMA data: last of a message; for flow_census_pass */
	SEGMENT_SYN = SEGMENT_ACK << 3,
	SEGMENT_NACK = SEGMENT_SYN,     /* RDMA ACK: segment `expected` is missing */
	SEGMENT_CNP = SEGMENT_ACK << 4, /* congestion notification: acknowledges nothing */
	/* A frame between neighbours (switch_pfc.h), not a segment. */
	SEGMENT_LINK_FRAME = SEGMENT_ACK << 5,
};

enum { SACK_BLOCKS = 3, FRAME_CREDITS = 3 };

/* frame_kind of a frame between neighbours. */
enum link_frame {
	FRAME_RESUME,
	FRAME_PAUSE,  /* PFC, of the frame's class */
	FRAME_FABRIC, /* from here on: of the fabric scheme */
	FRAME_BFC_RESUME = FRAME_FABRIC,
	FRAME_BFC_PAUSE,
	FRAME_FLOODGATE_CREDIT = FRAME_FABRIC,
};

/* SACK block of an ACK: segments [expected + offset, + count) have arrived; count 0: no block. */
struct sack_block {
	uint16_t offset, count;
};

/* State of the fabric scheme in a data packet, from hop to hop. */
struct segment_hop {
	uint32_t no_sack; /* 0: overlays sack[0], so that no SACK block is read */
	uint32_t dst;     /* Floodgate: host number of the destination */
	union {
		uint16_t bfc_queue; /* queue of the upstream neighbour that it came from */
		uint16_t kept_port; /* Floodgate: egress port of a packet that is kept back */
	};
	uint8_t is_queued;  /* BFC: it waits in a queue */
	uint8_t is_counted; /* BFC: bfc_queue is paused until it leaves */
};

/* Floodgate frame: credit of that many bytes for the destination host dst. */
struct segment_credit {
	uint32_t dst, bytes;
};

/* The packet's flags select the members of the unions: with SEGMENT_LINK_FRAME the packet is a
 * frame between neighbours, with SEGMENT_ACK an ACK (NACK, CNP and SYN-ACK are ACKs), otherwise
 * data or a SYN. In a frame, frame_kind selects further. The kinds of fabric schemes overlap, as do
 * the members of segment_hop, because a scenario has at most one fabric scheme. */
struct segment {
	union {
		uint64_t path;      /* data, ACK: shift register, see route.h */
		uint64_t bfc_queue; /* BFC frame: the receiver's queue that it pauses or resumes */
		uint64_t credit_count; /* Floodgate frame: how many of credit[] hold */
	};
	uint32_t connection; /* flow that opened it; UINT32_MAX: a frame, which has none */
	union {
		uint32_t number;     /* data: this segment; SYN: 0 */
		uint32_t expected;   /* ACK: the next segment; with SEGMENT_NACK it is missing */
		uint32_t frame_kind; /* frame: enum link_frame */
	};
	union {
		struct {
			union {
				int64_t sent_ps; /* data, SYN, CNP: when it left */
				int64_t echo_ps; /* other ACKs: sent_ps of the data or SYN that it
						    answers */
			};
			union {
				struct sack_block sack[SACK_BLOCKS]; /* ACK */
				struct segment_hop hop; /* data, under a fabric scheme */
			};
			uint16_t payload_bytes; /* data */
			uint16_t ingress;       /* in an ordered switch: ingress port */
		};
		struct segment_credit credit[FRAME_CREDITS]; /* Floodgate frame */
	};
} __attribute__((may_alias));

_Static_assert(sizeof(struct segment) == WEIR_PACKET_OWNER_BYTES,
	       "a segment fills the owner's part");

static inline struct segment *packet_segment(struct weir_packet *p)
{
	return (struct segment *)p->owner;
}
#endif
