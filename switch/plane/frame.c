/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c -- Ethernet, IPv4, IPv6, TCP and UDP header parsing, CE marking and checksums. Contract
 * in frame.h. */
#include "switch/plane/frame.h"
#include "weir/rng.h"

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_TAG = 0x8100,       /* 802.1Q */
	TYPE_OUTER_TAG = 0x88a8, /* 802.1ad */
};

enum {
	IPV4_HEADER_BYTES = 20,
	IPV6_HEADER_BYTES = 40,
	IPV6_EXTENSIONS_MAX = 8,
	IPV4_SUM_AT = 10,
	PORT_BYTES = 4, /* source and destination port of TCP or UDP */
	TCP_SUM_AT = 16,
	TCP_HEADER_BYTES = 20,
	UDP_SUM_AT = 6,
	UDP_HEADER_BYTES = 8,
};

enum protocol {
	PROTOCOL_HOP_OPTIONS = 0,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	PROTOCOL_ROUTING = 43,
	PROTOCOL_DESTINATION_OPTIONS = 60,
};

static uint32_t read_u16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t read_u32(const uint8_t *at)
{
	return read_u16(at) << 16 | read_u16(at + 2);
}

static uint64_t frame_read_address(const uint8_t *at)
{
	return (uint64_t)read_u16(at) << 32 | read_u32(at + 2);
}

/* --- flows --- */

/* Flow hash over the addresses, the protocol and, when every packet of the flow carries them, the
 * transport ports. */
static uint32_t frame_hash_flow(const uint8_t *addresses, uint32_t bytes, uint32_t protocol,
				uint32_t ports)
{
	uint64_t hash = weir_hash64(protocol, ports);

	for (uint32_t i = 0; i < bytes; i += 4)
		hash = weir_hash64(hash, read_u32(addresses + i));
	return (uint32_t)hash;
}

/* Reads the transport header between at and end and returns the hash input of its two ports: 0 if
 * there are none. f->protocol names the header. */
static uint32_t frame_read_transport(const uint8_t *frame, uint32_t at, uint32_t end,
				     struct frame_facts *f)
{
	uint32_t header = f->protocol == PROTOCOL_TCP ? TCP_HEADER_BYTES : UDP_HEADER_BYTES;

	if (f->protocol != PROTOCOL_TCP && f->protocol != PROTOCOL_UDP)
		return 0;
	if (at + header <= end)
		f->transport_at = (uint16_t)at;
	return at + PORT_BYTES <= end ? read_u32(frame + at) : 0;
}

/* --- IPv4, RFC 791 --- */

static enum frame_fault frame_read_ipv4(const uint8_t *frame, uint32_t length,
					struct frame_facts *f)
{
	const uint8_t *ip = frame + f->ip_at;
	uint32_t left = length - f->ip_at, header, total, ports = 0;

	if (left < IPV4_HEADER_BYTES || ip[0] >> 4 != 4)
		return FRAME_BAD_IP;
	header = 4u * (ip[0] & 15);
	total = read_u16(ip + 2);
	if (header < IPV4_HEADER_BYTES || total < header || total > left)
		return FRAME_BAD_IP;
	f->kind = FRAME_IPV4;
	f->dscp = ip[1] >> 2;
	f->ecn = ip[1] & 3;
	f->protocol = ip[9];
	/* Only the first fragment carries ports, so no fragment contributes them to the hash. */
	if ((read_u16(ip + 6) & 0x3fff) == 0)
		ports = frame_read_transport(frame, f->ip_at + header, f->ip_at + total, f);
	f->flow_hash = frame_hash_flow(ip + 12, 8, f->protocol, ports);
	return FRAME_GOOD;
}

/* --- IPv6, RFC 8200 --- */

static int is_extension(uint32_t protocol)
{
	return protocol == PROTOCOL_HOP_OPTIONS || protocol == PROTOCOL_ROUTING ||
	       protocol == PROTOCOL_DESTINATION_OPTIONS;
}

/* Skips IPv6 extension headers by their length fields, stopping at the end of the packet. */
static uint32_t frame_read_ipv6_ports(const uint8_t *frame, uint32_t at, uint32_t end,
				      struct frame_facts *f)
{
	for (int i = 0; i < IPV6_EXTENSIONS_MAX && is_extension(f->protocol); i++) {
		uint32_t bytes;

		if (at + 8 > end)
			return 0;
		bytes = 8 * (frame[at + 1] + 1u);
		if (at + bytes > end)
			return 0;
		f->protocol = frame[at];
		at += bytes;
	}
	return frame_read_transport(frame, at, end, f);
}

static enum frame_fault frame_read_ipv6(const uint8_t *frame, uint32_t length,
					struct frame_facts *f)
{
	const uint8_t *ip = frame + f->ip_at;
	uint32_t left = length - f->ip_at, first = f->ip_at + IPV6_HEADER_BYTES, payload, ports;

	if (left < IPV6_HEADER_BYTES || ip[0] >> 4 != 6)
		return FRAME_BAD_IP;
	payload = read_u16(ip + 4);
	if (payload > left - IPV6_HEADER_BYTES)
		return FRAME_BAD_IP;
	f->kind = FRAME_IPV6;
	f->dscp = (uint8_t)((ip[0] & 15) << 2 | ip[1] >> 6);
	f->ecn = ip[1] >> 4 & 3;
	f->protocol = ip[6];
	ports = frame_read_ipv6_ports(frame, first, first + payload, f);
	f->flow_hash = frame_hash_flow(ip + 8, 32, f->protocol, ports);
	return FRAME_GOOD;
}

/* --- Ethernet --- */

static int is_tag(uint32_t type)
{
	return type == TYPE_TAG || type == TYPE_OUTER_TAG;
}

enum frame_fault frame_read(const uint8_t *frame, uint32_t length, struct frame_facts *f)
{
	uint32_t type, at = FRAME_HEADER_BYTES;

	*f = (struct frame_facts){ 0 };
	if (length < FRAME_HEADER_BYTES)
		return FRAME_SHORT;
	f->to = frame_read_address(frame);
	f->from = frame_read_address(frame + FRAME_ADDRESS_BYTES);
	type = read_u16(frame + at - 2);
	for (int tags = 0; tags < FRAME_TAGS_MAX && is_tag(type); tags++) {
		if (length < at + FRAME_TAG_BYTES)
			return FRAME_SHORT;
		at += FRAME_TAG_BYTES;
		type = read_u16(frame + at - 2);
	}
	f->ip_at = (uint16_t)at;
	if (type == TYPE_IPV4)
		return frame_read_ipv4(frame, length, f);
	if (type == TYPE_IPV6)
		return frame_read_ipv6(frame, length, f);
	f->flow_hash = (uint32_t)weir_hash64(f->to, f->from);
	return FRAME_GOOD;
}

/* --- marking --- */

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), in ones' complement; m is the header's first
 * word. */
static void frame_mark_ipv4(uint8_t *ip)
{
	uint32_t before = read_u16(ip), sum;

	ip[1] |= FRAME_CE;
	sum = (~read_u16(ip + IPV4_SUM_AT) & 0xffff) + (~before & 0xffff) + read_u16(ip);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	ip[IPV4_SUM_AT] = (uint8_t)(sum >> 8);
	ip[IPV4_SUM_AT + 1] = (uint8_t)sum;
}

void frame_mark(uint8_t *frame, const struct frame_facts *f)
{
	uint8_t *ip = frame + f->ip_at;

	if (f->kind == FRAME_IPV4)
		frame_mark_ipv4(ip);
	else if (f->kind == FRAME_IPV6)
		ip[1] |= FRAME_CE << 4;
}

/* --- checksums --- */

static uint32_t frame_packet_end(const uint8_t *frame, const struct frame_facts *f)
{
	const uint8_t *ip = frame + f->ip_at;

	return f->kind == FRAME_IPV4 ? f->ip_at + read_u16(ip + 2)
				     : f->ip_at + IPV6_HEADER_BYTES + read_u16(ip + 4);
}

/* RFC 1071: ones' complement of the ones' complement sum. A UDP checksum of 0 is sent as 0xffff
 * because 0 means "no checksum" (RFC 768). */
void frame_complete_checksum(uint8_t *frame, const struct frame_facts *f)
{
	uint32_t sum_at = f->protocol == PROTOCOL_TCP ? TCP_SUM_AT : UDP_SUM_AT;
	uint32_t at = f->transport_at, end;
	uint64_t sum = 0;

	if (!at)
		return;
	sum_at += at;
	end = frame_packet_end(frame, f);
	for (; at + 1 < end; at += 2)
		sum += read_u16(frame + at);
	if (at < end)
		sum += (uint32_t)frame[at] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	if (sum == 0 && f->protocol == PROTOCOL_UDP)
		sum = 0xffff;
	frame[sum_at] = (uint8_t)(sum >> 8);
	frame[sum_at + 1] = (uint8_t)sum;
}

/* --- addresses --- */

static int frame_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int frame_address(const char *text, uint64_t *address)
{
	*address = 0;
	for (int i = 0; i < FRAME_ADDRESS_BYTES; i++, text += 3) {
		int high = frame_hex_digit(text[0]), low = high < 0 ? -1 : frame_hex_digit(text[1]);

		if (low < 0 || text[2] != (i + 1 < FRAME_ADDRESS_BYTES ? ':' : '\0'))
			return -1;
		*address = *address << 8 | (uint64_t)(high << 4 | low);
	}
	return 0;
}
