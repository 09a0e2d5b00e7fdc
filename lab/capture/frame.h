/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h -- a simulated packet as the bytes of an Ethernet frame, for captures.
 *
 * A frame is as long as the simulated packet. If the simulation counts more bytes than headers and
 * payload take (a larger header, telemetry), a trailer of zeros follows the IP packet. If it counts
 * fewer, the headers stay complete, so that a SYN with its options, an ACK with SACK blocks, and
 * RDMA acknowledgements and CNPs (62 and 74 bytes) may be longer than the simulated packet. Then
 * TCP keeps its whole payload, because sequence numbers count it; RDMA shortens the payload, see
 * frame_roce.c.
 *
 * Payload is zeros, and is counted instead of stored. Host n is 10.x.y.z with n + 1 in the lower 24
 * bits, and 02:00:00:xx:yy:zz; a switch port is 02:01 and four bytes of a hash of its name. The
 * DSCP of a section without one is the packet's class.
 *
 * The simulator counts segments; TCP sequence numbers count bytes, and an RDMA packet says whether
 * it is the first or last of its message. Both follow from the messages of the connection, found
 * through the flow records: flow.next leads from one message to the next. It is read only if the
 * segment shows that there is a next message, because the sender may be appending one concurrently
 * on another thread. Everything here runs on the thread of the tapped port. */
#ifndef LAB_CAPTURE_FRAME_H
#define LAB_CAPTURE_FRAME_H
#include "config/config.h"
#include "sim/core/segment.h"
#include "sim/traffic/flow.h"
#include "weir/packet.h"
#include <stddef.h>

/* --- the messages of a connection --- */

/* A packet that a tap has observed. */
struct tapped_packet {
	int64_t start_ps;
	const struct weir_packet *packet;
	const struct flow *flows; /* all flows by number; NULL: a frame between neighbours */
	uint32_t port_hash;       /* hash of the port's name, for its MAC address */
};

/* A message, and what its connection carried before it. */
struct stream_place {
	uint64_t bytes_before;
	uint32_t message; /* flow number of the message */
	uint32_t first_segment;
	uint32_t messages_before;
};

/* Cache: the last message found, for connections with several messages. */
struct streams {
	const struct config *config;
	struct stream_place *found; /* indexed by the flow that opened the connection; bytes_before
				       0: none yet */
	uint32_t found_count;
};

void streams_free(struct streams *s);

/* The message that contains segment end - 1 of a connection; the first message if end is 0. */
struct stream_place stream_find(struct streams *s, const struct tapped_packet *tapped,
				uint32_t connection, uint32_t end);

/* --- frames --- */

enum {
	FRAME_HEAD_MAX = 128,
	FRAME_TAIL_MAX = 4,
	ETHERNET_BYTES = 14,
	IPV4_BYTES = 20,
	UDP_BYTES = 8,
	IP_TCP = 6,
	IP_UDP = 17,
};

/* Captured part of frames: all except payload and what follows it, or everything. */
enum frame_extent { FRAME_HEADERS, FRAME_WHOLE };

/* Order on the wire: head, payload, tail, trailer. Payload and trailer are zeros and only
 * counted. */
struct frame {
	enum frame_extent extent;
	unsigned char head[FRAME_HEAD_MAX];
	unsigned char tail[FRAME_TAIL_MAX];
	uint32_t head_bytes, payload_bytes, tail_bytes, trailer_bytes;
};

/* Builds the frame of an observed packet. The caller has set f->extent. A tail that is not captured
 * may be omitted. */
void frame_build(struct frame *f, struct streams *s, const struct tapped_packet *tapped);

static inline uint32_t frame_bytes(const struct frame *f)
{
	return f->head_bytes + f->payload_bytes + f->tail_bytes + f->trailer_bytes;
}

/* Number of captured bytes. */
static inline uint32_t frame_captured_bytes(const struct frame *f)
{
	if (f->extent == FRAME_WHOLE)
		return frame_bytes(f);
	return f->head_bytes + (f->payload_bytes ? 0 : f->tail_bytes);
}

/* --- shared by the files of this module --- */

/* Big endian. */
void frame_put(struct frame *f, uint64_t value, int width);
void frame_set(unsigned char *at, uint64_t value, int width);

/* Ethernet and IPv4 headers between the two ends of a connection, without lengths and checksum. */
void frame_put_ipv4(struct frame *f, const struct streams *s, const struct tapped_packet *tapped,
		    uint8_t protocol);

/* Called after the last header: fills in the lengths and checksum of IPv4, and adds the trailer up
 * to the simulated length. */
void frame_close_ipv4(struct frame *f, const struct tapped_packet *tapped);

struct segment tapped_segment(const struct tapped_packet *tapped);

void frame_roce(struct frame *f, struct streams *s, const struct tapped_packet *tapped);

/* The invariant CRC (ICRC) of a RoCEv2 packet over IPv4 whose head starts with Ethernet, followed
 * by that many zeros. Sent least significant byte first. */
uint32_t roce_icrc(const unsigned char *head, size_t head_bytes, size_t zeros);
#endif
