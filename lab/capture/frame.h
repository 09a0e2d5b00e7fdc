/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h -- a simulated packet as the bytes of an Ethernet frame, for captures.
 *
 * A frame is as long as the simulated packet. Where the simulation counts more than headers and
 * payload take (a larger header, telemetry), the rest follows the IP packet as a trailer of the
 * frame, in zeros. Where it counts less, what cannot be left out stays: no frame is shorter than
 * its headers, so that a SYN with its options, an ACK with SACK blocks and the answers of RDMA (62
 * and 74 bytes) may be longer than the simulated packet. Between the two, TCP keeps its payload,
 * because sequence numbers count it, and RDMA its length: see frame_roce.c.
 *
 * Payload is zeros, and is not kept here but counted. Host n is 10.x.y.z with n + 1 in the lower 24
 * bits, and 02:00:00:xx:yy:zz; a port of a switch is 02:01 and four bytes made from its name. Where
 * a section has no DSCP its packets show their class in that place. */
#ifndef LAB_CAPTURE_FRAME_H
#define LAB_CAPTURE_FRAME_H
#include "lab/capture/stream.h"
#include "sim/core/segment.h"
#include <stddef.h>

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
void frame_build(struct frame *f, struct streams *s, const struct sighting *seen);

static inline uint32_t frame_bytes(const struct frame *f)
{
	return f->head_bytes + f->payload_bytes + f->tail_bytes + f->trailer_bytes;
}

/* Number of captured bytes. */
static inline uint32_t frame_kept_bytes(const struct frame *f)
{
	if (f->extent == FRAME_WHOLE)
		return frame_bytes(f);
	return f->head_bytes + (f->payload_bytes ? 0 : f->tail_bytes);
}

/* --- for frame_*.c --- */

/* Big endian. */
void frame_put(struct frame *f, uint64_t value, int width);
void frame_set(unsigned char *at, uint64_t value, int width);

void frame_put_ethernet(struct frame *f, uint64_t to, uint64_t from, uint16_t type);

/* Ethernet and IPv4 headers between the two ends of a connection, without lengths and checksum. */
void frame_put_ipv4(struct frame *f, const struct streams *s, const struct sighting *seen,
		    uint8_t protocol);

/* Called after the last header: fills in the lengths and checksum of IPv4, and adds the trailer up
 * to the simulated length. */
void frame_close_ipv4(struct frame *f, const struct sighting *seen);

/* Internet checksum (RFC 1071): adds 16-bit words to a ones' complement sum; and folds it. */
uint32_t sum16(const unsigned char *data, size_t count, uint32_t sum);
uint16_t fold16(uint32_t sum);

const struct flow *seen_flow(const struct sighting *seen);
struct segment seen_segment(const struct sighting *seen);

void frame_tcp(struct frame *f, struct streams *s, const struct sighting *seen);
void frame_roce(struct frame *f, struct streams *s, const struct sighting *seen);
void frame_pause(struct frame *f, const struct sighting *seen);

/* The invariant CRC (ICRC) of a RoCEv2 packet over IPv4 whose head starts with Ethernet, followed
 * by that many zeros. Sent least significant byte first. */
uint32_t roce_icrc(const unsigned char *head, size_t head_bytes, size_t zeros);
#endif
