/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_read.h -- captures packet by packet: pcapng, and pcap in both byte orders with times in
 * micro- or nanoseconds.
 *
 * A file is read once from front to back, whatever its size, and only the front of each packet is
 * kept. What contradicts the format ends the reading with a message that says at which byte. */
#ifndef LAB_CAPTURE_CAPTURE_READ_H
#define LAB_CAPTURE_CAPTURE_READ_H
#include "weir/error.h"
#include <stdint.h>
#include <stdio.h>

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
#endif
