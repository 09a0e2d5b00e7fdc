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
	CAPTURE_HEAD_MAX = 256, /* more than all headers of a packet */
	CAPTURE_INTERFACES_MAX = 65536,
};

struct capture_packet {
	int64_t time_ns;
	uint32_t whole_bytes; /* on the wire */
	uint32_t head_bytes;  /* of it, here */
	unsigned char head[CAPTURE_HEAD_MAX];
};

/* One interface of a pcapng section; of pcap, the only one. */
struct capture_interface {
	uint32_t link_type;
	uint8_t time_unit; /* as in the option: digits of a second, or with the highest bit, bits of
			      it */
	int64_t offset_s;
};

struct capture {
	FILE *f;
	const char *name; /* for messages */
	struct weir_error *e;
	uint64_t at;       /* the next byte */
	uint64_t began_at; /* the block or record that is being read */
	int is_pcapng, is_big_endian;
	uint32_t interface_count, interface_room;
	struct capture_interface *interfaces;
};

/* Does the file begin like a capture? What cannot be read does not. */
int capture_is(const char *path);

/* Reads the beginning of a stream, which stays the caller's to close. On -1 nothing is left to
 * end. */
int capture_begin(struct capture *c, FILE *f, const char *name, struct weir_error *e);
void capture_end(struct capture *c);

/* 1: the next packet; 0: there are no more; -1: message. */
int capture_next(struct capture *c, struct capture_packet *p);
#endif
