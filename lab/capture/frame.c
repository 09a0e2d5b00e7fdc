/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.c -- see frame.h. Ethernet and IPv4, which all packets of hosts have in common. */
#include "lab/capture/frame.h"
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

uint32_t sum16(const unsigned char *data, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i += 2)
		sum += (uint32_t)data[i] << 8 | (i + 1 < count ? data[i + 1] : 0);
	return sum;
}

uint16_t fold16(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

struct segment seen_segment(const struct sighting *seen)
{
	struct segment segment;

	memcpy(&segment, seen->packet->owner, sizeof(segment));
	return segment;
}

const struct flow *seen_flow(const struct sighting *seen)
{
	return &seen->flows[seen_segment(seen).connection];
}

void frame_put_ethernet(struct frame *f, uint64_t to, uint64_t from, uint16_t type)
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

static uint32_t dscp_of(const struct config *c, const struct sighting *seen)
{
	const struct traffic_config *t = &c->traffic[seen_flow(seen)->traffic];
	const struct weir_packet *packet = seen->packet;

	if (!t->code.is_given)
		return packet->class_id & DSCP_MASK;
	if (packet->flags & SEGMENT_CNP)
		return c->dscp.cnp;
	if (packet->flags & SEGMENT_ACK)
		return t->code.ack;
	return t->first_bytes && packet->class_id == t->first_class ? t->code.first : t->code.data;
}

void frame_put_ipv4(struct frame *f, const struct streams *s, const struct sighting *seen,
		    uint8_t protocol)
{
	const struct weir_packet *packet = seen->packet;
	const struct flow *flow = seen_flow(seen);
	int is_back = (packet->flags & SEGMENT_ACK) != 0;
	uint32_t from = is_back ? flow->dst : flow->src, to = is_back ? flow->src : flow->dst;
	uint32_t ecn = packet->flags & WEIR_PACKET_CE    ? ECN_CE
		       : packet->flags & WEIR_PACKET_ECT ? ECN_ECT0
							 : 0;

	frame_put_ethernet(f, mac_of(to), mac_of(from), TYPE_IPV4);
	frame_put(f, 0x45, 1); /* version 4, header of five words */
	frame_put(f, dscp_of(s->config, seen) << 2 | ecn, 1);
	frame_put(f, 0, 2); /* total length, set by frame_close_ipv4 */
	frame_put(f, DO_NOT_FRAGMENT, 4);
	frame_put(f, HOPS_LEFT, 1);
	frame_put(f, protocol, 1);
	frame_put(f, 0, 2); /* checksum, set by frame_close_ipv4 */
	frame_put(f, address_of(from), 4);
	frame_put(f, address_of(to), 4);
}

void frame_close_ipv4(struct frame *f, const struct sighting *seen)
{
	unsigned char *ip = f->head + ETHERNET_BYTES;
	uint32_t whole = frame_bytes(f);

	frame_set(ip + IPV4_TOTAL, whole - ETHERNET_BYTES, 2);
	frame_set(ip + IPV4_CHECKSUM, fold16(sum16(ip, IPV4_BYTES, 0)), 2);
	if (seen->packet->bytes > whole)
		f->trailer_bytes = seen->packet->bytes - whole;
}

void frame_build(struct frame *f, struct streams *s, const struct sighting *seen)
{
	f->head_bytes = f->payload_bytes = f->tail_bytes = f->trailer_bytes = 0;
	if (seen->packet->flags & SEGMENT_LINK_FRAME)
		frame_pause(f, seen);
	else if (stream_is_rdma(s, seen_flow(seen)))
		frame_roce(f, s, seen);
	else
		frame_tcp(f, s, seen);
}
