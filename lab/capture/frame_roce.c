/* SPDX-License-Identifier: BSD-3-Clause */
/* frame_roce.c -- frames of queue pairs: RoCEv2, reliable connections (InfiniBand Architecture
 * Specification, volume 1, chapter 9, and annex A17).
 *
 * A message of known size is an RDMA WRITE, whose first packet carries the length; one of unlimited
 * size is a SEND without a last packet. The packet sequence number (PSN) is the segment's number.
 * An ACK names the last packet that arrived in order, a NAK the first missing one. With recovery =
 * selective, ACKs that report packets beyond a gap are written as NAKs, because RoCE has no field
 * for SACK blocks.
 *
 * Headers take 58 bytes, 74 in the first packet of a WRITE, CRC included. If rdma.header (with
 * rdma.int-header) is smaller, the payload is shortened so that the frame is as long as in the
 * simulation; the length in the WRITE is not changed. */
#include "lab/capture/frame.h"

enum {
	ROCE_PORT = 4791,
	SOURCE_PORT_FIRST = 0xc000, /* annex A17.9: the source port is the entropy for ECMP */
	SOURCE_PORT_MASK = 0x3fff,
	BTH_BYTES = 12,
	RETH_BYTES = 16,
	ICRC_BYTES = 4,
	CNP_RESERVED_BYTES = 16,
	MIGRATED = 0x40,
	PAD_SHIFT = 4,
	PARTITION_DEFAULT = 0xffff,
	BECN = 0x40,
	ACK_REQUEST = 0x80,
	NUMBER_MASK = 0xffffff, /* 24-bit numbers of packets, messages and queue pairs */
	QUEUE_PAIR_FIRST = 16,  /* lower queue pairs are reserved */
	SYNDROME_ACK = 0x1f,    /* credits: unlimited */
	SYNDROME_SEQUENCE = 0x60,
};

enum roce_opcode {
	SEND_FIRST = 0x00,
	SEND_MIDDLE = 0x01,
	WRITE_FIRST = 0x06,
	WRITE_MIDDLE = 0x07,
	WRITE_LAST = 0x08,
	WRITE_ONLY = 0x0a,
	ACKNOWLEDGE = 0x11,
	NOTIFICATION = 0x81,
};

/* --- the invariant CRC --- */

#define CRC_POLYNOMIAL UINT32_C(0xedb88320) /* CRC-32 of Ethernet, reflected */

static uint32_t roce_crc_byte(uint32_t crc, unsigned char byte)
{
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	return crc;
}

/* Fields that routers change are hashed as ones: type of service, TTL and checksum of IPv4,
 * checksum of UDP, and the byte of the BTH with the FECN and BECN bits. */
static int roce_is_variant(size_t at)
{
	enum { UDP = ETHERNET_BYTES + IPV4_BYTES, BTH = UDP + UDP_BYTES };

	return at == ETHERNET_BYTES + 1 || at == ETHERNET_BYTES + 8 || at == ETHERNET_BYTES + 10 ||
	       at == ETHERNET_BYTES + 11 || at == UDP + 6 || at == UDP + 7 || at == BTH + 4;
}

uint32_t roce_icrc(const unsigned char *head, size_t head_bytes, size_t zeros)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < 8; i++) /* stands for InfiniBand's local route header */
		crc = roce_crc_byte(crc, 0xff);
	for (size_t i = ETHERNET_BYTES; i < head_bytes; i++)
		crc = roce_crc_byte(crc, roce_is_variant(i) ? 0xff : head[i]);
	for (size_t i = 0; i < zeros; i++)
		crc = roce_crc_byte(crc, 0);
	return ~crc;
}

/* --- headers --- */

/* The base transport header (BTH) except the PSN. */
struct bth {
	enum roce_opcode opcode;
	uint32_t pad_bytes;
	uint32_t psn;
	uint32_t request; /* ACK_REQUEST or 0 */
};

/* The queue pair at the packet's destination. */
static uint32_t roce_queue_pair(const struct tapped_packet *tapped)
{
	uint64_t end = (tapped->packet->flags & SEGMENT_ACK) == 0;
	uint64_t number = 2 * (uint64_t)tapped_segment(tapped).connection + end;

	return (uint32_t)(QUEUE_PAIR_FIRST + number % (NUMBER_MASK - QUEUE_PAIR_FIRST));
}

/* UDP header and BTH. The UDP length is set later; the UDP checksum is optional over IPv4. */
static void roce_put_transport(struct frame *f, const struct streams *s,
			       const struct tapped_packet *tapped, const struct bth *b)
{
	uint8_t flags = tapped->packet->flags;

	frame_put_ipv4(f, s, tapped, IP_UDP);
	frame_put(f, SOURCE_PORT_FIRST | (tapped->packet->flow_hash & SOURCE_PORT_MASK), 2);
	frame_put(f, ROCE_PORT, 2);
	frame_put(f, 0, 4);
	frame_put(f, b->opcode, 1);
	frame_put(f, MIGRATED | b->pad_bytes << PAD_SHIFT, 1);
	frame_put(f, PARTITION_DEFAULT, 2);
	frame_put(f, flags & (SEGMENT_ECE | SEGMENT_CNP) ? BECN : 0, 1);
	frame_put(f, roce_queue_pair(tapped), 3);
	frame_put(f, b->request, 1);
	frame_put(f, b->psn & NUMBER_MASK, 3);
}

static void roce_close_transport(struct frame *f, const struct tapped_packet *tapped)
{
	unsigned char *udp = f->head + ETHERNET_BYTES + IPV4_BYTES;
	int is_seen = f->extent == FRAME_WHOLE || f->payload_bytes == 0;

	f->tail_bytes = ICRC_BYTES;
	frame_set(udp + 4, frame_bytes(f) - ETHERNET_BYTES - IPV4_BYTES, 2);
	frame_close_ipv4(f, tapped);
	if (!is_seen)
		return;

	uint32_t icrc = roce_icrc(f->head, f->head_bytes, f->payload_bytes);

	for (int i = 0; i < ICRC_BYTES; i++)
		f->tail[i] = (unsigned char)(icrc >> (8 * i));
}

/* --- data --- */

/* The opcode of a segment by its position in the message. */
static enum roce_opcode roce_opcode_of(const struct flow *message, int is_first, int is_last)
{
	if (message->size_bytes == FLOW_UNLIMITED)
		return is_first ? SEND_FIRST : SEND_MIDDLE;
	if (is_first)
		return is_last ? WRITE_ONLY : WRITE_FIRST;
	return is_last ? WRITE_LAST : WRITE_MIDDLE;
}

/* Payload size, reduced if the frame would exceed the simulated packet; whole words of 4 bytes. */
static uint32_t roce_fit_payload(const struct tapped_packet *tapped, uint32_t headers,
				 uint32_t *pad_bytes)
{
	uint32_t payload = tapped_segment(tapped).payload_bytes, whole = (payload + 3) / 4 * 4;
	uint32_t bytes = tapped->packet->bytes, room = bytes > headers ? bytes - headers : 0;

	*pad_bytes = 0;
	if (whole > room)
		return room / 4 * 4;
	*pad_bytes = whole - payload;
	return whole;
}

static void roce_put_data(struct frame *f, struct streams *s, const struct tapped_packet *tapped)
{
	struct segment segment = tapped_segment(tapped);
	uint32_t end = segment.number + 1;
	struct stream_place place = stream_find(s, tapped, segment.connection, end);
	const struct flow *message = &tapped->flows[place.message];
	int is_known = message->size_bytes != FLOW_UNLIMITED;
	int is_first = segment.number == place.first_segment;
	int is_last = is_known && end == message->end_segment;
	int requests_ack = is_last || end % s->config->rdma.acks_per == 0;
	uint32_t address_bytes = is_first && is_known ? RETH_BYTES : 0;
	struct bth b = { .opcode = roce_opcode_of(message, is_first, is_last),
			 .psn = segment.number,
			 .request = requests_ack ? ACK_REQUEST : 0 };

	f->payload_bytes = roce_fit_payload(tapped,
					    ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + BTH_BYTES +
						    address_bytes + ICRC_BYTES,
					    &b.pad_bytes);
	roce_put_transport(f, s, tapped, &b);
	if (!address_bytes)
		return;
	frame_put(f, place.bytes_before, 8); /* remote address: messages are contiguous in memory */
	frame_put(f, segment.connection, 4);
	frame_put(f, message->size_bytes < UINT32_MAX ? message->size_bytes : UINT32_MAX, 4);
}

/* --- ACKs, NAKs and CNPs --- */

static void roce_put_ack(struct frame *f, struct streams *s, const struct tapped_packet *tapped)
{
	struct segment ack = tapped_segment(tapped);
	int is_refusal = tapped->packet->flags & SEGMENT_NACK || ack.sack[0].count;
	struct stream_place place = stream_find(s, tapped, ack.connection, ack.expected);
	const struct flow *message = &tapped->flows[place.message];
	int is_complete =
		message->size_bytes != FLOW_UNLIMITED && ack.expected == message->end_segment;
	struct bth b = { .opcode = ACKNOWLEDGE,
			 .psn = is_refusal ? ack.expected : ack.expected - 1 };

	roce_put_transport(f, s, tapped, &b);
	frame_put(f, is_refusal ? SYNDROME_SEQUENCE : SYNDROME_ACK, 1);
	frame_put(f, (place.messages_before + (uint32_t)is_complete) & NUMBER_MASK, 3);
}

void frame_roce(struct frame *f, struct streams *s, const struct tapped_packet *tapped)
{
	if (tapped->packet->flags & SEGMENT_CNP) {
		roce_put_transport(f, s, tapped, &(struct bth){ .opcode = NOTIFICATION });
		frame_put(f, 0, CNP_RESERVED_BYTES / 2);
		frame_put(f, 0, CNP_RESERVED_BYTES / 2);
	} else if (tapped->packet->flags & SEGMENT_ACK) {
		roce_put_ack(f, s, tapped);
	} else {
		roce_put_data(f, s, tapped);
	}
	roce_close_transport(f, tapped);
}
