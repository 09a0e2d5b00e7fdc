/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h -- reading packet captures: packets, the headers of a packet, and the flows of a
 * capture.
 *
 * Formats: pcapng (draft-ietf-opsawg-pcapng), and pcap (draft-ietf-opsawg-pcap) in both byte orders
 * with microsecond or nanosecond timestamps. A file is read once, in order; only the front of each
 * packet is kept, so memory does not grow with the number of packets. Data that violates the format
 * ends reading with an error that gives the byte offset.
 *
 * A flow is one direction of a TCP connection, of a pair of UDP ports, or of a RoCE queue pair,
 * without an idle timeout: messages of a persistent connection are one flow. It starts with its
 * first packet. Its size is payload: for TCP the range from the lowest to the highest sequence
 * number, for UDP the sum, for RoCE the sum over packets without retransmissions, where an RDMA
 * WRITE counts with the length in its first packet. Memory grows with the number of flows. */
#ifndef LAB_CAPTURE_CAPTURE_H
#define LAB_CAPTURE_CAPTURE_H
#include "weir/error.h"
#include <stdint.h>
#include <stdio.h>

/* --- numbers of the formats, for readers and the writer (pcap.c) --- */

enum {
	CAPTURE_ETHERNET = 1, /* link type of both formats */
	PCAPNG_SECTION = 0x0a0d0d0a,
	PCAPNG_BYTE_ORDER = 0x1a2b3c4d,
	PCAPNG_INTERFACE = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_PACKET = 6,
	/* options: of every block; of sections; of interfaces */
	PCAPNG_OPTION_END = 0,
	PCAPNG_OPTION_COMMENT = 1,
	PCAPNG_OPTION_PROGRAM = 4,
	PCAPNG_OPTION_NAME = 2,
	PCAPNG_OPTION_TIME_UNIT = 9,
	PCAPNG_OPTION_FCS_BYTES = 13,
	PCAPNG_OPTION_TIME_OFFSET = 14,
};

/* --- packets --- */

enum {
	CAPTURE_HEAD_MAX = 256, /* larger than all headers of a packet */
	CAPTURE_INTERFACES_MAX = 65536,
};

struct capture_packet {
	int64_t time_ns;
	uint32_t whole_bytes; /* length on the wire */
	uint32_t head_bytes;  /* bytes in head */
	unsigned char head[CAPTURE_HEAD_MAX];
};

/* An interface of a pcapng section; pcap has one. */
struct capture_interface {
	uint32_t link_type;
	uint8_t time_unit; /* if_tsresol: decimal digits of a second; with the highest bit set,
			      binary digits */
	int64_t offset_s;
};

struct capture {
	FILE *f;
	const char *name; /* for messages */
	struct weir_error *e;
	uint64_t at;       /* offset of the next byte */
	uint64_t began_at; /* offset of the current block or record */
	int is_pcapng, is_big_endian;
	uint32_t interface_count, interface_room;
	struct capture_interface *interfaces;
};

/* Does the file start like a capture? 0 if it cannot be read. */
int capture_is(const char *path);

/* Reads the header of a stream, which the caller closes after capture_end. On -1 there is nothing
 * to end. */
int capture_begin(struct capture *c, FILE *f, const char *name, struct weir_error *e);
void capture_end(struct capture *c);

/* 1: the next packet; 0: end of file; -1: message. */
int capture_next(struct capture *c, struct capture_packet *p);

/* --- headers of a packet --- */

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

/* --- flows --- */

struct captured_flow {
	int64_t start_ns; /* relative to the first packet of any flow */
	uint64_t bytes;
	uint32_t src, dst; /* host numbers */
};

/* Flows are sorted by start time; hosts are numbered in the order of their first flow, source
 * before destination. */
struct capture_flows {
	uint32_t flow_count, host_count;
	struct captured_flow *flows;
	struct wire_address *hosts;
	uint64_t packets;
	uint64_t other_packets; /* neither TCP nor UDP over IP, or truncated */
	uint32_t empty_flows;   /* number omitted: without payload */
	uint32_t own_flows;     /* number omitted: from an address to itself */
};

/* Reads a file, or a stream, which stays open. The caller frees the flows; on -1 there is nothing
 * to free. */
int capture_flows_read(struct capture_flows *c, const char *path, struct weir_error *e);
int capture_flows_read_stream(struct capture_flows *c, FILE *f, const char *name,
			      struct weir_error *e);
void capture_flows_free(struct capture_flows *c);
#endif
