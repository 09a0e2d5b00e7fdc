/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c -- frames of hosts (Ethernet, IPv4, TCP) and frames between neighbours (PFC); RoCEv2 is
 * in frame_roce.c.
 *
 * TCP (RFC 9293): sequence number 0 is the SYN, even without a handshake (handshake = no). A SYN
 * offers what the connection then uses: maximum segment size, SACK (RFC 2018), window scale (RFC
 * 7323) and ECN (RFC 3168). The window is the receiver's, host.max-window; without a SYN there is
 * no scale, and the window is limited to 16 bits.
 *
 * Between neighbours: priority flow control (IEEE 802.1Qbb). Frames of fabric schemes have no
 * standard format and get the EtherType that IEEE 802 reserves for local experiments. */
#include "lab/capture/frame.h"
#include "base/memory.h"
#include "sim/core/switch_pfc.h"
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_IPV4 = 0x0800,
	ECN_ECT0 = 2,
	ECN_CE = 3,
	DSCP_MASK = 0x3f,
	HOPS_LEFT = 64,
	HOST_MASK = 0xffffff,
	DO_NOT_FRAGMENT = 0x4000,
	/* offsets in the IPv4 header */
	IPV4_TOTAL = 2,
	IPV4_CHECKSUM = 10,
};

/* --- the messages of a connection --- */

void streams_free(struct streams *s)
{
	free(s->found);
	s->found = NULL;
}

/* Does the connection that the flow opened use RDMA? */
static int stream_is_rdma(const struct streams *s, const struct flow *flow)
{
	return traffic_cc(s->config, flow->traffic)->transport == WEIR_CC_RDMA;
}

/* A message of unlimited size is the only one of its connection. */
static int message_has_next(const struct flow *message, uint32_t end)
{
	return message->size_bytes != FLOW_UNLIMITED && end > message->end_segment;
}

/* The same, searching from the message at *from, which must not be after it. */
static struct stream_place stream_find_from(const struct stream_place *from,
					    const struct tapped_packet *tapped, uint32_t end)
{
	struct stream_place at = *from;
	const struct flow *message = &tapped->flows[at.message];

	while (message_has_next(message, end)) {
		at.bytes_before += message->size_bytes;
		at.first_segment = message->end_segment;
		at.message = message->next;
		at.messages_before++;
		message = &tapped->flows[at.message];
	}
	return at;
}

static void streams_reserve(struct streams *s, uint32_t connection)
{
	uint32_t count = s->found_count;

	if (connection < count)
		return;
	s->found_count = connection < UINT32_MAX / 2 ? 2 * connection + 1 : UINT32_MAX;
	s->found = memory_grow(s->found, s->found_count, sizeof(*s->found));
	memset(s->found + count, 0, (s->found_count - count) * sizeof(*s->found));
}

struct stream_place stream_find(struct streams *s, const struct tapped_packet *tapped,
				uint32_t connection, uint32_t end)
{
	const struct stream_place first = { .message = connection };

	if (!message_has_next(&tapped->flows[connection], end))
		return first;
	streams_reserve(s, connection);

	struct stream_place *found = &s->found[connection];
	int is_behind = found->bytes_before && found->first_segment < end;

	*found = stream_find_from(is_behind ? found : &first, tapped, end);
	return *found;
}

/* Bytes of the connection before segment end; place: from stream_find for that end. */
static uint64_t stream_bytes(const struct streams *s, const struct tapped_packet *tapped,
			     const struct stream_place *place, uint32_t end)
{
	const struct flow *message = &tapped->flows[place->message];
	uint64_t mss =
		stream_is_rdma(s, message) ? s->config->rdma.mtu_bytes : s->config->host.mss_bytes;
	uint64_t bytes = (uint64_t)(end - place->first_segment) * (uint32_t)mss;

	return place->bytes_before + (bytes < message->size_bytes ? bytes : message->size_bytes);
}

/* --- Ethernet and IPv4 --- */

void frame_set(unsigned char *at, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		at[i] = (unsigned char)(value >> (8 * (width - 1 - i)));
}

void frame_put(struct frame *f, uint64_t value, int width)
{
	frame_set(f->head + f->head_bytes, value, width);
	f->head_bytes += (uint32_t)width;
}

/* Internet checksum (RFC 1071): adds 16-bit words to a ones' complement sum; and folds it. */
static uint32_t checksum_add(const unsigned char *data, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i += 2)
		sum += (uint32_t)data[i] << 8 | (i + 1 < count ? data[i + 1] : 0);
	return sum;
}

static uint16_t checksum_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

struct segment tapped_segment(const struct tapped_packet *tapped)
{
	struct segment segment;

	memcpy(&segment, tapped->packet->owner, sizeof(segment));
	return segment;
}

static const struct flow *tapped_flow(const struct tapped_packet *tapped)
{
	return &tapped->flows[tapped_segment(tapped).connection];
}

static void frame_put_ethernet(struct frame *f, uint64_t to, uint64_t from, uint16_t type)
{
	frame_put(f, to, 6);
	frame_put(f, from, 6);
	frame_put(f, type, 2);
}

static uint64_t mac_of(uint32_t host)
{
	return UINT64_C(0x02) << 40 | (host & HOST_MASK);
}

static uint32_t address_of(uint32_t host)
{
	return UINT32_C(10) << 24 | ((host + 1) & HOST_MASK);
}

static uint32_t frame_dscp(const struct config *c, const struct tapped_packet *tapped)
{
	const struct traffic_config *t = &c->traffic[tapped_flow(tapped)->traffic];
	const struct weir_packet *packet = tapped->packet;

	if (!t->code.is_given)
		return packet->class_id & DSCP_MASK;
	if (packet->flags & SEGMENT_CNP)
		return c->dscp.cnp;
	if (packet->flags & SEGMENT_ACK)
		return t->code.ack;
	return t->first_bytes && packet->class_id == t->first_class ? t->code.first : t->code.data;
}

void frame_put_ipv4(struct frame *f, const struct streams *s, const struct tapped_packet *tapped,
		    uint8_t protocol)
{
	const struct weir_packet *packet = tapped->packet;
	const struct flow *flow = tapped_flow(tapped);
	int is_back = (packet->flags & SEGMENT_ACK) != 0;
	uint32_t from = is_back ? flow->dst : flow->src, to = is_back ? flow->src : flow->dst;
	uint32_t ecn = packet->flags & WEIR_PACKET_CE    ? ECN_CE
		       : packet->flags & WEIR_PACKET_ECT ? ECN_ECT0
							 : 0;

	frame_put_ethernet(f, mac_of(to), mac_of(from), TYPE_IPV4);
	frame_put(f, 0x45, 1); /* version 4, header of five words */
	frame_put(f, frame_dscp(s->config, tapped) << 2 | ecn, 1);
	frame_put(f, 0, 2); /* total length, set by frame_close_ipv4 */
	frame_put(f, DO_NOT_FRAGMENT, 4);
	frame_put(f, HOPS_LEFT, 1);
	frame_put(f, protocol, 1);
	frame_put(f, 0, 2); /* checksum, set by frame_close_ipv4 */
	frame_put(f, address_of(from), 4);
	frame_put(f, address_of(to), 4);
}

void frame_close_ipv4(struct frame *f, const struct tapped_packet *tapped)
{
	unsigned char *ip = f->head + ETHERNET_BYTES;
	uint32_t whole = frame_bytes(f);

	frame_set(ip + IPV4_TOTAL, whole - ETHERNET_BYTES, 2);
	frame_set(ip + IPV4_CHECKSUM, checksum_fold(checksum_add(ip, IPV4_BYTES, 0)), 2);
	if (tapped->packet->bytes > whole)
		f->trailer_bytes = tapped->packet->bytes - whole;
}

/* --- TCP --- */

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

/* All packets except the first SYN have ACK. A SYN that offers ECN sets ECE and CWR, its answer
 * ECE. */
static uint8_t tcp_header_flags(const struct streams *s, const struct tapped_packet *tapped)
{
	uint8_t flags = tapped->packet->flags, made = 0;
	int is_ack = (flags & SEGMENT_ACK) != 0;

	if (flags & SEGMENT_SYN) {
		made = is_ack ? FLAG_SYN | FLAG_ACK : FLAG_SYN;
		if (traffic_cc(s->config, tapped_flow(tapped)->traffic)->echo != WEIR_CC_ECHO_NONE)
			made |= is_ack ? FLAG_ECE : FLAG_ECE | FLAG_CWR;
		return made;
	}
	return (uint8_t)(FLAG_ACK | (flags & SEGMENT_ECE ? FLAG_ECE : 0) |
			 (flags & SEGMENT_CWR ? FLAG_CWR : 0));
}

/* The smallest window scale that the window needs. */
static uint32_t tcp_window_scale(uint64_t window_bytes)
{
	uint32_t scale = 0;

	while (scale < SCALE_MAX && window_bytes >> scale > UINT16_MAX)
		scale++;
	return scale;
}

/* The window field. SYNs are not scaled; rounded up, so that it covers what the sender may send. */
static uint16_t tcp_window_field(const struct streams *s, const struct tapped_packet *tapped)
{
	uint64_t bytes = s->config->host.max_window_bytes, scale = 0;

	if (s->config->host.handshake && !(tapped->packet->flags & SEGMENT_SYN))
		scale = tcp_window_scale(bytes);
	if (bytes >> scale >= UINT16_MAX)
		return UINT16_MAX;
	return (uint16_t)((bytes + (UINT64_C(1) << scale) - 1) >> scale);
}

static void tcp_put_syn_options(struct frame *f, const struct streams *s)
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
	frame_put(f, tcp_window_scale(s->config->host.max_window_bytes), 1);
}

/* Sequence number of a byte: the connection's first byte is 1. */
static uint32_t tcp_sequence(uint64_t bytes_before)
{
	return (uint32_t)(bytes_before + 1);
}

static void tcp_put_sack(struct frame *f, const struct streams *s,
			 const struct tapped_packet *tapped, const struct stream_place *place)
{
	struct segment ack = tapped_segment(tapped);
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
		struct stream_place begin = stream_find_from(place, tapped, first);
		struct stream_place behind = stream_find_from(&begin, tapped, end);

		frame_put(f, tcp_sequence(stream_bytes(s, tapped, &begin, first)), 4);
		frame_put(f, tcp_sequence(stream_bytes(s, tapped, &behind, end)), 4);
	}
}

/* The checksum covers a pseudo-header; payload of zeros adds nothing. */
static void tcp_set_checksum(struct frame *f)
{
	unsigned char *ip = f->head + ETHERNET_BYTES, *tcp = ip + IPV4_BYTES;
	uint32_t tcp_bytes = f->head_bytes - ETHERNET_BYTES - IPV4_BYTES;
	uint32_t sum = checksum_add(ip + IPV4_BYTES - 8, 8, IP_TCP + tcp_bytes + f->payload_bytes);

	frame_set(tcp + TCP_CHECKSUM, checksum_fold(checksum_add(tcp, tcp_bytes, sum)), 2);
}

static void frame_tcp(struct frame *f, struct streams *s, const struct tapped_packet *tapped)
{
	struct segment segment = tapped_segment(tapped);
	int is_ack = (tapped->packet->flags & SEGMENT_ACK) != 0;
	int is_syn = (tapped->packet->flags & SEGMENT_SYN) != 0;
	struct stream_place place = stream_find(s, tapped, segment.connection, segment.number);
	uint32_t number = tcp_sequence(stream_bytes(s, tapped, &place, segment.number));
	/* Ports from the number of the connection's flow: unique up to billions of flows. */
	uint16_t here = (uint16_t)(PORT_FIRST + segment.connection % PORTS);
	uint16_t there = (uint16_t)(RECEIVER_PORT + segment.connection / PORTS % RECEIVER_PORTS);

	frame_put_ipv4(f, s, tapped, IP_TCP);

	unsigned char *tcp = f->head + f->head_bytes;

	frame_put(f, is_ack ? there : here, 2);
	frame_put(f, is_ack ? here : there, 2);
	frame_put(f, is_syn ? 0 : is_ack ? 1 : number, 4);
	frame_put(f, is_ack ? number : is_syn ? 0 : 1, 4);
	frame_put(f, 0, TCP_BYTES - 12); /* set by tcp_set_checksum */
	if (is_syn)
		tcp_put_syn_options(f, s);
	else if (is_ack)
		tcp_put_sack(f, s, tapped, &place);
	f->payload_bytes = segment.payload_bytes;
	tcp[TCP_FLAGS - 1] = (unsigned char)((f->head + f->head_bytes - tcp) / 4 << 4);
	tcp[TCP_FLAGS] = tcp_header_flags(s, tapped);
	frame_set(tcp + TCP_WINDOW, tcp_window_field(s, tapped), 2);
	tcp_set_checksum(f);
	frame_close_ipv4(f, tapped);
}

/* --- between neighbours --- */

enum {
	TYPE_MAC_CONTROL = 0x8808,
	TYPE_EXPERIMENT = 0x88b5,
	OPCODE_PFC = 0x0101,
	QUANTA_MAX =
		0xffff, /* longest pause, in units of 512 bit times; the resume frame ends it */
};

#define MAC_CONTROL_GROUP UINT64_C(0x0180c2000001)

static uint64_t mac_of_port(uint32_t number)
{
	return UINT64_C(0x0201) << 32 | number;
}

static void frame_pause(struct frame *f, const struct tapped_packet *tapped)
{
	const struct weir_packet *packet = tapped->packet;
	uint32_t kind = tapped_segment(tapped).frame_kind;

	if (kind >= FRAME_FABRIC) {
		frame_put_ethernet(f, MAC_CONTROL_GROUP, mac_of_port(tapped->port_hash),
				   TYPE_EXPERIMENT);
		frame_put(f, kind, 4);
	} else {
		frame_put_ethernet(f, MAC_CONTROL_GROUP, mac_of_port(tapped->port_hash),
				   TYPE_MAC_CONTROL);
		frame_put(f, OPCODE_PFC, 2);
		frame_put(f, UINT64_C(1) << packet->class_id, 2);
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			frame_put(f, k == packet->class_id && kind == FRAME_PAUSE ? QUANTA_MAX : 0,
				  2);
	}
	if (packet->bytes > f->head_bytes)
		f->trailer_bytes = packet->bytes - f->head_bytes;
}

void frame_build(struct frame *f, struct streams *s, const struct tapped_packet *tapped)
{
	f->head_bytes = f->payload_bytes = f->tail_bytes = f->trailer_bytes = 0;
	if (tapped->packet->flags & SEGMENT_LINK_FRAME)
		frame_pause(f, tapped);
	else if (stream_is_rdma(s, tapped_flow(tapped)))
		frame_roce(f, s, tapped);
	else
		frame_tcp(f, s, tapped);
}
