/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h -- real frames for tests of the real switch: made by hand, byte by byte. */
#ifndef TESTS_FRAMES_H
#define TESTS_FRAMES_H
#include "switch/plane/frame.h"
#include "tests/test.h"
#include <string.h>

enum { FRAMES_ROOM = 2048 };

struct made_frame {
	uint8_t data[FRAMES_ROOM];
	uint32_t length;
};

static inline void frames_put(uint8_t *at, uint64_t value, int width)
{
	for (int i = width - 1; i >= 0; i--, value >>= 8)
		at[i] = (uint8_t)value;
}

/* 0 where the ones' complement sum of a header, its sum included, is right (RFC 1071). */
static inline uint32_t frames_sum_error(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bytes; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum ^ 0xffff;
}

#define FRAMES_HOST(number) (UINT64_C(0x020000000000) + (number))

static inline void frames_begin(struct made_frame *f, uint64_t to, uint64_t from, uint32_t type)
{
	memset(f, 0, sizeof(*f));
	frames_put(f->data, to, 6);
	frames_put(f->data + 6, from, 6);
	frames_put(f->data + 12, type, 2);
	f->length = 14;
}

/* A tag in front of the type. */
static inline void frames_tag(struct made_frame *f, uint32_t type, uint32_t vlan)
{
	memmove(f->data + 16, f->data + 12, f->length - 12);
	frames_put(f->data + 12, type, 2);
	frames_put(f->data + 14, vlan, 2);
	f->length += 4;
}

struct made_ip {
	uint64_t to, from; /* hosts, by number */
	uint32_t ecn, dscp;
	uint32_t ports;
	uint32_t whole; /* length of the frame */
};

/* TCP over IPv4. */
static inline void frames_ipv4(struct made_frame *f, const struct made_ip *p)
{
	uint8_t *ip = f->data + 14;

	frames_begin(f, FRAMES_HOST(p->to), FRAMES_HOST(p->from), 0x0800);
	ip[0] = 0x45;
	ip[1] = (uint8_t)(p->dscp << 2 | p->ecn);
	frames_put(ip + 2, p->whole - 14, 2);
	ip[8] = 64;
	ip[9] = 6;
	frames_put(ip + 12, 0x0a000000 + p->from, 4);
	frames_put(ip + 16, 0x0a000000 + p->to, 4);
	frames_put(ip + 20, p->ports, 4);
	frames_put(ip + 10, frames_sum_error(ip, 20), 2);
	CHECK_INT(frames_sum_error(ip, 20), 0);
	f->length = p->whole;
}

/* TCP over IPv6, behind so many bytes of extension headers that the caller writes. */
static inline void frames_ipv6(struct made_frame *f, const struct made_ip *p, uint32_t extensions)
{
	uint8_t *ip = f->data + 14;

	frames_begin(f, FRAMES_HOST(p->to), FRAMES_HOST(p->from), 0x86dd);
	frames_put(ip, 0x60000000 | p->dscp << 22 | p->ecn << 20, 4);
	frames_put(ip + 4, p->whole - 14 - 40, 2);
	ip[6] = 6;
	ip[23] = (uint8_t)p->from;
	ip[39] = (uint8_t)p->to;
	frames_put(ip + 40 + extensions, p->ports, 4);
	f->length = p->whole;
}
#endif
