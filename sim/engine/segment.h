/* segment.h -- what the simulator keeps in a packet besides what its port needs: route and TCP.
 *
 * Sequence numbers count segments, not bytes: every segment of a message but its last carries one
 * MSS, so the number says which bytes it holds. */
#ifndef SIM_ENGINE_SEGMENT_H
#define SIM_ENGINE_SEGMENT_H
#include "weir/packet.h"

enum segment_flag {
	SEGMENT_ACK = WEIR_PACKET_OWNER_FLAG,
	SEGMENT_ECE = SEGMENT_ACK << 1,
	SEGMENT_CWR = SEGMENT_ACK << 2,
	SEGMENT_LAST =
		SEGMENT_CWR, /* of a queue pair's data, where flows are counted: the message's last */
	SEGMENT_SYN = SEGMENT_ACK << 3,
	SEGMENT_NACK = SEGMENT_SYN,     /* of a queue pair's ACK: number was skipped, send again */
	SEGMENT_CNP = SEGMENT_ACK << 4, /* says that marked data arrived, and nothing else */
	SEGMENT_PAUSE = SEGMENT_ACK << 5, /* no segment: a frame between neighbours, lossless.h */
};

enum { SACK_BLOCKS = 3 };

struct segment {
	uint64_t path;       /* shift register, see route.h */
	uint32_t connection; /* flow that opened it */
	uint32_t number;     /* data: this segment; ACK: the next one expected */
	int64_t sent_ps;     /* data: when it left; ACK: echo of that */
	union {
		struct sack_block {
			uint16_t offset, count; /* received: count segments from number + offset;
						 * 0: no block */
		} sack[SACK_BLOCKS];            /* ACK */
		struct segment_hop {            /* data, where a fabric scheme is on: its own */
			uint32_t no_sack;       /* 0 */
			uint32_t dst;           /* floodgate: host number */
			uint16_t queue;         /* bfc: the queue that it left, or came from;
						 * floodgate: the port that it waits for */
			uint8_t is_queued, is_counted; /* bfc: it waits; and the queue it came from
							* does, for its sake */
		} hop;
	};
	uint16_t payload_bytes;
	uint16_t input; /* in an ordered switch: where it came in */
} __attribute__((may_alias));

_Static_assert(sizeof(struct segment) == WEIR_PACKET_OWNER_BYTES,
	       "a segment fills the owner's part");

static inline struct segment *packet_segment(struct weir_packet *p)
{
	return (struct segment *)p->owner;
}
#endif
