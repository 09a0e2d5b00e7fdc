/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_packet.c -- parses the headers of a captured packet: Ethernet with VLAN tags, IPv4 (RFC
 * 791), IPv6 (RFC 8200), TCP (RFC 9293), UDP (RFC 768), RoCEv2 (InfiniBand Architecture
 * Specification, annex A17).
 *
 * Sizes come from the headers, because captures often hold truncated packets. */
#include "lab/capture/capture.h"
#include <string.h>

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_VLAN = 0x8100,
	TYPE_SERVICE_VLAN = 0x88a8,
	IP_HOP_BY_HOP = 0,
	IP_TCP = 6,
	IP_UDP = 17,
	IP_ROUTING = 43,
	IP_FRAGMENT = 44,
	IP_OPTIONS = 60,
	IPV6_BYTES = 40,
	FRAGMENT_MASK = 0x1fff, /* IPv4: fragment offset */
	TCP_SYN = 0x02,
	ROCE_PORT = 4791,
	BTH_BYTES = 12,
	RETH_BYTES = 16, /* RDMA extended header of a WRITE: address, key, length */
	ICRC_BYTES = 4,
};

/* The unparsed rest of a packet: captured bytes, and their number on the wire. */
struct view {
	const unsigned char *at;
	uint32_t here, whole;
};

static uint32_t wire_number_at(const unsigned char *at, int width)
{
	uint32_t value = 0;

	for (int i = 0; i < width; i++)
		value = value << 8 | at[i];
	return value;
}

/* Skips a header. -1: truncated. */
static int view_skip(struct view *v, uint32_t bytes)
{
	if (bytes > v->here || bytes > v->whole)
		return -1;
	v->at += bytes;
	v->here -= bytes;
	v->whole -= bytes;
	return 0;
}

/* Limits the rest to the length that a header gives, which excludes padding. */
static void view_limit(struct view *v, uint32_t bytes)
{
	if (v->whole > bytes)
		v->whole = bytes;
	if (v->here > bytes)
		v->here = bytes;
}

/* --- RoCE --- */

/* Size of the extended headers between BTH and payload, by the lower five bits of the opcode, which
 * reliable and unreliable connections share; -1: no payload to count. */
static const int8_t extended_bytes[32] = {
	[0x00] = 0,  0,  0,  4,  0,  4, /* SEND first, middle, last (immediate), only (immediate) */
	[0x06] = 16, 0,  0,  4,  16, 20, /* RDMA WRITE first, middle, last (immediate), only
					    (immediate) */
	[0x0c] = -1,                     /* RDMA READ request */
	[0x0d] = 4,  0,  4,  4,          /* RDMA READ response first, middle, last, only */
	[0x11] = -1, -1, -1, -1, -1,     /* acknowledgements, atomic operations */
	[0x16] = 4,  4,                  /* SEND last, only, with invalidate */
	[0x18] = -1, -1, -1, -1, -1, -1, -1, -1,
};

enum { OPCODE_MASK = 0x1f, OPCODE_FAMILIES = 0x40, WRITE_FIRST = 0x06, WRITE_END = 0x0b };

/* v: the packet after its UDP header. */
static void wire_read_roce(struct wire_packet *w, struct view v)
{
	const unsigned char *bth = v.at;

	if (view_skip(&v, BTH_BYTES))
		return;

	uint32_t opcode = bth[0] & OPCODE_MASK, pad = bth[1] >> 4 & 3, behind = pad + ICRC_BYTES;
	int extended = bth[0] < OPCODE_FAMILIES ? extended_bytes[opcode] : -1;
	const unsigned char *header = v.at;

	w->kind = WIRE_ROCE;
	w->key.src_port = 0;
	w->key.queue_pair = wire_number_at(bth + 5, 3);
	w->psn = wire_number_at(bth + 9, 3);
	w->payload_bytes = 0;
	if (extended < 0 || view_skip(&v, (uint32_t)extended) || v.whole < behind)
		return;
	w->payload_bytes = v.whole - behind;
	w->is_write = opcode >= WRITE_FIRST && opcode <= WRITE_END;
	w->is_write_begin = w->is_write && extended >= RETH_BYTES;
	if (w->is_write_begin)
		w->write_bytes = wire_number_at(header + RETH_BYTES - 4, 4);
}

/* --- transport --- */

static int wire_read_tcp(struct wire_packet *w, struct view v)
{
	const unsigned char *tcp = v.at;

	if (view_skip(&v, 20))
		return -1;

	uint32_t header = (uint32_t)(tcp[12] >> 4) * 4, options = header - 20;

	if (header < 20 || options > v.whole)
		return -1;
	w->kind = WIRE_TCP;
	w->is_syn = (tcp[13] & TCP_SYN) != 0;
	w->sequence = wire_number_at(tcp + 4, 4) + (w->is_syn ? 1 : 0);
	w->payload_bytes = v.whole - options;
	return 0;
}

static int wire_read_udp(struct wire_packet *w, struct view v)
{
	const unsigned char *udp = v.at;

	if (view_skip(&v, 8))
		return -1;

	uint32_t length = wire_number_at(udp + 4, 2);

	if (length >= 8) /* 0: the rest of the IP packet (jumbogram) */
		view_limit(&v, length - 8);
	w->kind = WIRE_UDP;
	w->payload_bytes = v.whole;
	if (w->key.dst_port == ROCE_PORT)
		wire_read_roce(w, v);
	return 0;
}

static int wire_read_transport(struct wire_packet *w, struct view v)
{
	if ((w->key.protocol != IP_TCP && w->key.protocol != IP_UDP) || v.here < 4)
		return -1;
	w->key.src_port = (uint16_t)wire_number_at(v.at, 2);
	w->key.dst_port = (uint16_t)wire_number_at(v.at + 2, 2);
	return w->key.protocol == IP_TCP ? wire_read_tcp(w, v) : wire_read_udp(w, v);
}

/* --- IP --- */

static void wire_set_ipv4(struct wire_address *a, const unsigned char *at)
{
	a->bytes[10] = a->bytes[11] = 0xff;
	memcpy(a->bytes + 12, at, 4);
}

/* Only the first fragment has ports. Total length 0: captured before segmentation offload. */
static int wire_read_ipv4(struct wire_packet *w, struct view v)
{
	const unsigned char *ip = v.at;

	if (v.here < 20 || ip[0] >> 4 != 4)
		return -1;

	uint32_t total = wire_number_at(ip + 2, 2), header = (ip[0] & UINT32_C(15)) * 4;

	if (total)
		view_limit(&v, total);
	if (header < 20 || view_skip(&v, header) || wire_number_at(ip + 6, 2) & FRAGMENT_MASK)
		return -1;
	wire_set_ipv4(&w->key.src, ip + 12);
	wire_set_ipv4(&w->key.dst, ip + 16);
	w->key.protocol = ip[9];
	return wire_read_transport(w, v);
}

static int wire_read_ipv6(struct wire_packet *w, struct view v)
{
	const unsigned char *ip = v.at;

	if (view_skip(&v, IPV6_BYTES) || ip[0] >> 4 != 6)
		return -1;

	uint32_t next = ip[6], payload = wire_number_at(ip + 4, 2);

	if (payload)
		view_limit(&v, payload);
	while (next == IP_HOP_BY_HOP || next == IP_ROUTING || next == IP_OPTIONS ||
	       next == IP_FRAGMENT) {
		const unsigned char *header = v.at;

		if (v.here < 8)
			return -1;
		if (next == IP_FRAGMENT && wire_number_at(header + 2, 2) >> 3)
			return -1;
		if (view_skip(&v, next == IP_FRAGMENT ? 8 : (header[1] + UINT32_C(1)) * 8))
			return -1;
		next = header[0];
	}
	memcpy(w->key.src.bytes, ip + 8, 16);
	memcpy(w->key.dst.bytes, ip + 24, 16);
	w->key.protocol = next;
	return wire_read_transport(w, v);
}

int wire_packet_read(struct wire_packet *w, const struct capture_packet *p)
{
	struct view v = { p->head, p->head_bytes, p->whole_bytes };
	uint32_t type;

	memset(w, 0, sizeof(*w));
	if (view_skip(&v, 14))
		return -1;
	type = wire_number_at(v.at - 2, 2);
	while (type == TYPE_VLAN || type == TYPE_SERVICE_VLAN) {
		if (view_skip(&v, 4))
			return -1;
		type = wire_number_at(v.at - 2, 2);
	}
	if (type == TYPE_IPV4)
		return wire_read_ipv4(w, v);
	return type == TYPE_IPV6 ? wire_read_ipv6(w, v) : -1;
}

const char *wire_address_text(const struct wire_address *a, char text[WIRE_ADDRESS_TEXT])
{
	static const unsigned char mapped[12] = { [10] = 0xff, 0xff };
	const unsigned char *b = a->bytes;
	int length = 0;

	if (memcmp(b, mapped, sizeof(mapped)) == 0) {
		snprintf(text, WIRE_ADDRESS_TEXT, "%d.%d.%d.%d", b[12], b[13], b[14], b[15]);
		return text;
	}
	for (int i = 0; i < 16; i += 2)
		length += snprintf(text + length, (size_t)(WIRE_ADDRESS_TEXT - length), "%s%x",
				   i ? ":" : "", wire_number_at(b + i, 2));
	return text;
}
