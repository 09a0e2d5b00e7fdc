/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_packet.h -- what the headers of a captured packet say of the flow it belongs to. */
#ifndef LAB_CAPTURE_CAPTURE_PACKET_H
#define LAB_CAPTURE_CAPTURE_PACKET_H
#include "lab/capture/capture_read.h"

/* IPv6 address; IPv4 as ::ffff:10.0.0.1. */
struct wire_address {
	unsigned char bytes[16];
};

/* One direction of a conversation. Has no padding, because keys are compared as bytes. */
struct wire_key {
	struct wire_address src, dst;
	uint16_t src_port, dst_port; /* RoCE: source port 0, because multipath senders vary it */
	uint32_t queue_pair;         /* RoCE: destination queue pair */
	uint32_t protocol;           /* IP protocol number */
};

_Static_assert(sizeof(struct wire_key) == 44, "a key has no padding");

enum wire_kind { WIRE_TCP, WIRE_UDP, WIRE_ROCE };

struct wire_packet {
	struct wire_key key;
	enum wire_kind kind;
	uint32_t payload_bytes;
	union {
		uint32_t sequence; /* WIRE_TCP: sequence number of the first byte of payload */
		uint32_t psn;      /* WIRE_ROCE: packet sequence number */
	};
	int is_syn;
	/* RoCE: is the packet part of an RDMA WRITE, and its first one? write_bytes: then the
	 * WRITE's length. */
	int is_write, is_write_begin;
	uint32_t write_bytes;
};

/* -1: not TCP or UDP over IP, or truncated. */
int wire_packet_read(struct wire_packet *w, const struct capture_packet *p);

enum { WIRE_ADDRESS_TEXT = 64 };

/* "10.0.0.1" or "fe80:0:0:0:0:0:0:1". */
const char *wire_address_text(const struct wire_address *a, char text[WIRE_ADDRESS_TEXT]);
#endif
