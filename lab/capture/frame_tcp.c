/* SPDX-License-Identifier: BSD-3-Clause */
/* frame_tcp.c -- TCP in captures (RFC 9293). Sequence numbers count bytes from 0, which is the SYN,
 * also where there is none (handshake = no).
 *
 * A SYN offers what the connection then does: the largest segment, SACK (RFC 2018), a window scale
 * (RFC 7323) and ECN (RFC 3168). The window is the receiver's, host.max-window; without a SYN there
 * is no scale, and the window is what fits. */
#include "lab/capture/frame.h"

enum {
	TCP_BYTES = 20,
	TCP_FLAGS = 13, /* offsets in the TCP header */
	TCP_WINDOW = 14,
	TCP_CHECKSUM = 16,
	FLAG_SYN = 0x02,
	FLAG_ACK = 0x10,
	FLAG_ECE = 0x40,
	FLAG_CWR = 0x80,
	OPTION_NOTHING = 1,
	OPTION_MSS = 2,
	OPTION_SCALE = 3,
	OPTION_SACK_PERMITTED = 4,
	OPTION_SACK = 5,
	SCALE_MAX = 14,
	PORT_FIRST = 1024,
	PORTS = 65536 - PORT_FIRST,
	RECEIVER_PORT = 5001,
	RECEIVER_PORTS = 60000,
};

/* Ports of a connection from its flow's number; unique up to billions of flows. */
static uint16_t sender_port(uint32_t connection)
{
	return (uint16_t)(PORT_FIRST + connection % PORTS);
}

static uint16_t receiver_port(uint32_t connection)
{
	return (uint16_t)(RECEIVER_PORT + connection / PORTS % RECEIVER_PORTS);
}

/* All packets except the first SYN have ACK. A SYN that offers ECN sets ECE and CWR, its answer
 * ECE. */
static uint8_t flags_of(const struct streams *s, const struct sighting *seen)
{
	uint8_t flags = seen->packet->flags, made = 0;
	int is_ack = (flags & SEGMENT_ACK) != 0;

	if (flags & SEGMENT_SYN) {
		made = is_ack ? FLAG_SYN | FLAG_ACK : FLAG_SYN;
		if (traffic_cc(s->config, seen_flow(seen)->traffic)->echo != WEIR_CC_ECHO_NONE)
			made |= is_ack ? FLAG_ECE : FLAG_ECE | FLAG_CWR;
		return made;
	}
	return (uint8_t)(FLAG_ACK | (flags & SEGMENT_ECE ? FLAG_ECE : 0) |
			 (flags & SEGMENT_CWR ? FLAG_CWR : 0));
}

/* The smallest window scale that the window needs. */
static uint32_t scale_of(uint64_t window_bytes)
{
	uint32_t scale = 0;

	while (scale < SCALE_MAX && window_bytes >> scale > UINT16_MAX)
		scale++;
	return scale;
}

/* The window field. SYNs are not scaled; rounded up, so that it covers what the sender may send. */
static uint16_t window_of(const struct streams *s, const struct sighting *seen)
{
	uint64_t bytes = s->config->host.max_window_bytes, scale = 0;

	if (s->config->host.handshake && !(seen->packet->flags & SEGMENT_SYN))
		scale = scale_of(bytes);
	if (bytes >> scale >= UINT16_MAX)
		return UINT16_MAX;
	return (uint16_t)((bytes + (UINT64_C(1) << scale) - 1) >> scale);
}

static void put_offer(struct frame *f, const struct streams *s)
{
	frame_put(f, OPTION_MSS, 1);
	frame_put(f, 4, 1);
	frame_put(f, s->config->host.mss_bytes, 2);
	frame_put(f, OPTION_NOTHING, 1);
	frame_put(f, OPTION_NOTHING, 1);
	frame_put(f, OPTION_SACK_PERMITTED, 1);
	frame_put(f, 2, 1);
	frame_put(f, OPTION_NOTHING, 1);
	frame_put(f, OPTION_SCALE, 1);
	frame_put(f, 3, 1);
	frame_put(f, scale_of(s->config->host.max_window_bytes), 1);
}

/* Sequence number of a byte: the connection's first byte is 1. */
static uint32_t wire_number(uint64_t bytes_before)
{
	return (uint32_t)(bytes_before + 1);
}

static void put_blocks(struct frame *f, const struct streams *s, const struct sighting *seen,
		       const struct stream_place *place)
{
	struct segment ack = seen_segment(seen);
	uint32_t count = 0;

	while (count < SACK_BLOCKS && ack.sack[count].count)
		count++;
	if (!count)
		return;
	frame_put(f, OPTION_NOTHING, 1);
	frame_put(f, OPTION_NOTHING, 1);
	frame_put(f, OPTION_SACK, 1);
	frame_put(f, 2 + 8 * count, 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = ack.expected + ack.sack[i].offset, end = first + ack.sack[i].count;
		struct stream_place begin = stream_find_from(place, seen, first);
		struct stream_place behind = stream_find_from(&begin, seen, end);

		frame_put(f, wire_number(stream_bytes(s, seen, &begin, first)), 4);
		frame_put(f, wire_number(stream_bytes(s, seen, &behind, end)), 4);
	}
}

/* The checksum covers a pseudo-header; payload of zeros adds nothing. */
static void set_checksum(struct frame *f)
{
	unsigned char *ip = f->head + ETHERNET_BYTES, *tcp = ip + IPV4_BYTES;
	uint32_t tcp_bytes = f->head_bytes - ETHERNET_BYTES - IPV4_BYTES;
	uint32_t sum = sum16(ip + IPV4_BYTES - 8, 8, IP_TCP + tcp_bytes + f->payload_bytes);

	frame_set(tcp + TCP_CHECKSUM, fold16(sum16(tcp, tcp_bytes, sum)), 2);
}

void frame_tcp(struct frame *f, struct streams *s, const struct sighting *seen)
{
	struct segment segment = seen_segment(seen);
	int is_ack = (seen->packet->flags & SEGMENT_ACK) != 0;
	int is_syn = (seen->packet->flags & SEGMENT_SYN) != 0;
	struct stream_place place = stream_find(s, seen, segment.connection, segment.number);
	uint32_t number = wire_number(stream_bytes(s, seen, &place, segment.number));
	uint16_t here = sender_port(segment.connection), there = receiver_port(segment.connection);

	frame_put_ipv4(f, s, seen, IP_TCP);

	unsigned char *tcp = f->head + f->head_bytes;

	frame_put(f, is_ack ? there : here, 2);
	frame_put(f, is_ack ? here : there, 2);
	frame_put(f, is_syn ? 0 : is_ack ? 1 : number, 4);
	frame_put(f, is_ack ? number : is_syn ? 0 : 1, 4);
	frame_put(f, 0, TCP_BYTES - 12); /* set by set_checksum */
	if (is_syn)
		put_offer(f, s);
	else if (is_ack)
		put_blocks(f, s, seen, &place);
	f->payload_bytes = segment.payload_bytes;
	tcp[TCP_FLAGS - 1] = (unsigned char)((f->head + f->head_bytes - tcp) / 4 << 4);
	tcp[TCP_FLAGS] = flags_of(s, seen);
	frame_set(tcp + TCP_WINDOW, window_of(s, seen), 2);
	set_checksum(f);
	frame_close_ipv4(f, seen);
}
