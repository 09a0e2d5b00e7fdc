/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_read.c -- reads the packets of a pcapng or pcap file, in order. */
#include "lab/capture/capture.h"
#include "base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_MAX_BYTES = 1 << 24,
	PACKET_MAX_BYTES = 1 << 18, /* larger than any packet; a length beyond it is damaged */
	BLOCK_ENDS_BYTES = 12,      /* type and length before the body, length after it */
	UNIT_IS_BINARY = 0x80,
	MICROSECONDS = 6,
	NANOSECONDS = 9,
	LINK_TYPE_MASK = 0xffff, /* low bits of pcap's link-type field */
};

#define PCAP_MICRO UINT32_C(0xa1b2c3d4)
#define PCAP_NANO UINT32_C(0xa1b23c4d)

/* --- bytes --- */

static uint64_t capture_number(const struct capture *c, const unsigned char *at, int width)
{
	uint64_t value = 0;

	for (int i = 0; i < width; i++)
		value = value << 8 | at[c->is_big_endian ? i : width - 1 - i];
	return value;
}

static uint32_t capture_number32(const struct capture *c, const unsigned char *at)
{
	return (uint32_t)capture_number(c, at, 4);
}

static uint16_t capture_number16(const struct capture *c, const unsigned char *at)
{
	return (uint16_t)capture_number(c, at, 2);
}

static int capture_damaged(struct capture *c, uint64_t at, const char *what)
{
	return weir_error_set(c->e, "%.300s: byte %" PRIu64 ": %s", c->name, at, what);
}

static int capture_truncated(struct capture *c)
{
	if (ferror(c->f))
		return weir_error_set(c->e, "%.300s: cannot be read: %s", c->name, strerror(errno));
	return weir_error_set(c->e,
			      "%.300s: the file ends at byte %" PRIu64
			      ", inside what begins at byte %" PRIu64,
			      c->name, c->at, c->began_at);
}

static int capture_get(struct capture *c, void *to, size_t count)
{
	size_t got = fread(to, 1, count, c->f);

	c->at += got;
	return got == count ? 0 : capture_truncated(c);
}

static int capture_skip(struct capture *c, uint32_t count)
{
	unsigned char unused[4096];

	while (count) {
		uint32_t part = count < sizeof(unused) ? count : (uint32_t)sizeof(unused);

		if (capture_get(c, unused, part))
			return -1;
		count -= part;
	}
	return 0;
}

/* Reads bytes, or finds the end of the file: 1: read; 0: end of file; -1: message. */
static int capture_get_first(struct capture *c, void *to, size_t count)
{
	c->began_at = c->at;

	size_t got = fread(to, 1, count, c->f);

	c->at += got;
	if (got == 0 && !ferror(c->f))
		return 0;
	return got == count ? 1 : capture_truncated(c);
}

/* Reads the front of a packet of which the file holds `kept` bytes, and skips the rest. */
static int capture_get_packet(struct capture *c, struct capture_packet *p, uint32_t kept)
{
	if (kept > PACKET_MAX_BYTES)
		return capture_damaged(c, c->began_at, "a packet of more than 256 KiB");
	p->head_bytes = kept < CAPTURE_HEAD_MAX ? kept : CAPTURE_HEAD_MAX;
	if (capture_get(c, p->head, p->head_bytes) || capture_skip(c, kept - p->head_bytes))
		return -1;
	return 1;
}

/* --- times --- */

static uint64_t power_of_ten(int exponent)
{
	uint64_t value = 1;

	while (exponent-- > 0)
		value *= 10;
	return value;
}

/* Nanoseconds, saturated at 63 bits (three centuries). No overflow: 2^64 units x 10^12 < 2^104. */
static int64_t capture_time_ns(const struct capture_interface *i, uint64_t time)
{
	weir_i128 ns = time, ns_per_s = WEIR_PS_PER_S / WEIR_PS_PER_NS;
	int digits = i->time_unit;

	if (digits & UNIT_IS_BINARY)
		ns = ns * ns_per_s >> (digits & ~UNIT_IS_BINARY);
	else if (digits <= NANOSECONDS)
		ns *= power_of_ten(NANOSECONDS - digits);
	else /* 2^64 has 20 digits */
		ns = digits - NANOSECONDS < 20 ? ns / power_of_ten(digits - NANOSECONDS) : 0;
	ns += i->offset_s * ns_per_s;
	return ns < 0 ? 0 : ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

/* --- pcap --- */

static int capture_add_interface(struct capture *c, struct capture_interface made)
{
	if (c->interface_count == c->interface_room) {
		if (c->interface_count == CAPTURE_INTERFACES_MAX)
			return capture_damaged(c, c->began_at, "too many interfaces");
		c->interface_room = c->interface_room ? 2 * c->interface_room : 4;
		c->interfaces =
			memory_grow(c->interfaces, c->interface_room, sizeof(*c->interfaces));
	}
	c->interfaces[c->interface_count++] = made;
	return 0;
}

static int capture_check_link_type(struct capture *c, uint32_t type)
{
	if (type == CAPTURE_ETHERNET)
		return 0;
	return weir_error_set(c->e,
			      "%.300s: byte %" PRIu64
			      ": packets have link type %u; only those of Ethernet, 1, can be read",
			      c->name, c->began_at, type);
}

static int capture_begin_pcap(struct capture *c, uint8_t time_unit)
{
	unsigned char rest[20];

	if (capture_get(c, rest, sizeof(rest)))
		return -1;

	uint32_t link_type = capture_number32(c, rest + 16) & LINK_TYPE_MASK;

	return capture_check_link_type(c, link_type) ||
	       capture_add_interface(c, (struct capture_interface){ link_type, time_unit, 0 });
}

/* pcap record: seconds, fraction of a second, captured bytes, bytes on the wire, packet. */
static int capture_next_record(struct capture *c, struct capture_packet *p)
{
	const struct capture_interface *i = &c->interfaces[0];
	unsigned char record[16];
	int found = capture_get_first(c, record, sizeof(record));

	if (found <= 0)
		return found;
	p->time_ns = (int64_t)capture_number32(c, record) * (WEIR_PS_PER_S / WEIR_PS_PER_NS) +
		     capture_time_ns(i, capture_number32(c, record + 4));
	p->whole_bytes = capture_number32(c, record + 12);
	return capture_get_packet(c, p, capture_number32(c, record + 8));
}

/* --- pcapng --- */

/* Reads a section's byte-order magic, which applies from here on. */
static int capture_begin_section(struct capture *c)
{
	unsigned char order[4];

	if (capture_get(c, order, sizeof(order)))
		return -1;
	c->is_big_endian = 0;
	if (capture_number32(c, order) != PCAPNG_BYTE_ORDER)
		c->is_big_endian = 1;
	if (capture_number32(c, order) != PCAPNG_BYTE_ORDER)
		return capture_damaged(c, c->began_at, "a section with no byte order");
	c->interface_count = 0;
	return 0;
}

/* Reads an interface option: time resolution, time offset, or none of these. */
static int capture_read_option(struct capture *c, struct capture_interface *made, uint16_t code,
			       uint16_t bytes)
{
	unsigned char value[8];

	if (code == PCAPNG_OPTION_TIME_UNIT && bytes == 1) {
		if (capture_get(c, value, 4)) /* including padding */
			return -1;
		made->time_unit = value[0];
	} else if (code == PCAPNG_OPTION_TIME_OFFSET && bytes == 8) {
		if (capture_get(c, value, 8))
			return -1;
		made->offset_s = (int64_t)capture_number(c, value, 8);
	} else {
		return capture_skip(c, (bytes + UINT32_C(3)) / 4 * 4);
	}
	return 0;
}

/* *left: unread bytes of the block's body. */
static int capture_read_interface(struct capture *c, uint32_t *left)
{
	struct capture_interface made = { .time_unit = MICROSECONDS };
	unsigned char fields[8], option[4];

	if (*left < sizeof(fields))
		return capture_damaged(c, c->began_at, "an interface of too few bytes");
	if (capture_get(c, fields, sizeof(fields)))
		return -1;
	*left -= (uint32_t)sizeof(fields);
	made.link_type = capture_number16(c, fields);
	while (*left >= sizeof(option)) {
		if (capture_get(c, option, sizeof(option)))
			return -1;
		*left -= (uint32_t)sizeof(option);

		uint16_t code = capture_number16(c, option),
			 bytes = capture_number16(c, option + 2);
		uint32_t padded = (bytes + UINT32_C(3)) / 4 * 4;

		if (code == PCAPNG_OPTION_END)
			break;
		if (padded > *left)
			return capture_damaged(c, c->at - sizeof(option),
					       "an option longer than its block");
		if (capture_read_option(c, &made, code, bytes))
			return -1;
		*left -= padded;
	}
	return capture_add_interface(c, made);
}

/* Enhanced packet block, or the obsolete packet block, whose interface number has two bytes. */
static int capture_read_packet(struct capture *c, struct capture_packet *p, uint32_t type,
			       uint32_t *left)
{
	unsigned char fields[20];

	if (*left < sizeof(fields))
		return capture_damaged(c, c->began_at, "a packet of too few bytes");
	if (capture_get(c, fields, sizeof(fields)))
		return -1;
	*left -= (uint32_t)sizeof(fields);

	uint32_t number =
		type == PCAPNG_PACKET ? capture_number32(c, fields) : capture_number16(c, fields);
	uint32_t kept = capture_number32(c, fields + 12);

	if (number >= c->interface_count)
		return capture_damaged(c, c->began_at,
				       "a packet of an interface that is not there");
	if (kept > *left)
		return capture_damaged(c, c->began_at, "a packet longer than its block");
	if (capture_check_link_type(c, c->interfaces[number].link_type))
		return -1;
	p->time_ns = capture_time_ns(&c->interfaces[number],
				     (uint64_t)capture_number32(c, fields + 4) << 32 |
					     capture_number32(c, fields + 8));
	p->whole_bytes = capture_number32(c, fields + 16);
	*left -= kept;
	return capture_get_packet(c, p, kept);
}

/* Reads a block's body. 1: a packet; 0: no packet; -1: message. */
static int capture_read_body(struct capture *c, struct capture_packet *p, uint32_t type,
			     uint32_t *left)
{
	switch (type) {
	case PCAPNG_INTERFACE:
		return capture_read_interface(c, left);
	case PCAPNG_PACKET:
	case PCAPNG_OLD_PACKET:
		return capture_read_packet(c, p, type, left);
	case PCAPNG_SIMPLE_PACKET:
		return capture_damaged(c, c->began_at, "a packet without a time");
	default:
		return 0;
	}
}

/* Reads a block after its type. 1: a packet; 0: no packet; -1: message. */
static int capture_read_block(struct capture *c, struct capture_packet *p, uint32_t type)
{
	unsigned char before[4], behind[4];
	uint32_t read = BLOCK_ENDS_BYTES;
	int found;

	if (capture_get(c, before, sizeof(before)))
		return -1;
	if (type == PCAPNG_SECTION) {
		if (capture_begin_section(c))
			return -1;
		read += 4;
	}

	uint32_t length = capture_number32(c, before), left = length - read;

	if (length < read || length % 4 || length > BLOCK_MAX_BYTES)
		return capture_damaged(c, c->began_at + 4, "no block has this length");
	found = capture_read_body(c, p, type, &left);
	if (found < 0 || capture_skip(c, left) || capture_get(c, behind, sizeof(behind)))
		return -1;
	if (capture_number32(c, behind) != length)
		return capture_damaged(c, c->at - sizeof(behind),
				       "a block's length here is not that at its beginning");
	return found;
}

/* --- both --- */

int capture_next(struct capture *c, struct capture_packet *p)
{
	unsigned char type[4];
	int found;

	if (!c->is_pcapng)
		return capture_next_record(c, p);
	do {
		found = capture_get_first(c, type, sizeof(type));
		if (found <= 0)
			return found;
		found = capture_read_block(c, p, capture_number32(c, type));
	} while (found == 0);
	return found;
}

/* Identifies the format by its magic number. 1: pcapng; 0: pcap; -1: neither. */
static int capture_format(struct capture *c, const unsigned char magic[4], uint8_t *time_unit)
{
	for (c->is_big_endian = 0; c->is_big_endian < 2; c->is_big_endian++) {
		uint32_t number = capture_number32(c, magic);

		if (number == PCAPNG_SECTION)
			return 1;
		*time_unit = number == PCAP_NANO ? NANOSECONDS : MICROSECONDS;
		if (number == PCAP_NANO || number == PCAP_MICRO)
			return 0;
	}
	return -1;
}

int capture_is(const char *path)
{
	struct capture c = { 0 };
	unsigned char magic[4];
	uint8_t time_unit;
	FILE *f = fopen(path, "rb");
	int is = f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
		 capture_format(&c, magic, &time_unit) >= 0;

	if (f)
		fclose(f);
	return is;
}

int capture_begin(struct capture *c, FILE *f, const char *name, struct weir_error *e)
{
	struct capture_packet none;
	unsigned char magic[4];
	uint8_t time_unit = 0;
	int failed;

	*c = (struct capture){ .f = f, .name = name, .e = e };
	if (capture_get(c, magic, sizeof(magic)))
		return -1;
	c->is_pcapng = capture_format(c, magic, &time_unit);
	if (c->is_pcapng < 0)
		return capture_damaged(c, 0, "neither pcapng nor pcap begins like this");
	failed = c->is_pcapng ? capture_read_block(c, &none, PCAPNG_SECTION)
			      : capture_begin_pcap(c, time_unit);
	if (failed)
		capture_end(c);
	return failed ? -1 : 0;
}

void capture_end(struct capture *c)
{
	free(c->interfaces);
	c->interfaces = NULL;
}
