/* SPDX-License-Identifier: BSD-3-Clause */
/* test_capture_packet.c -- single packets of captures, byte by byte. */
#include "lab/capture/capture.h"
#include "tests/test.h"
#include <string.h>

enum { ETHERNET = 14, IPV4 = 20, TCP = 20, FRAME = ETHERNET + IPV4 + TCP };

/* Ethernet, IPv4, TCP from port 4000 to 80. */
static void make_frame(unsigned char frame[FRAME])
{
	unsigned char *ip = frame + ETHERNET, *tcp = ip + IPV4;

	memset(frame, 0, FRAME);
	frame[12] = 0x08;
	ip[0] = 0x45;
	ip[3] = IPV4 + TCP;
	ip[9] = 6;
	tcp[0] = 4000 >> 8;
	tcp[1] = 4000 & 0xff;
	tcp[3] = 80;
	tcp[12] = 0x50;
}

static int read_frame(struct wire_packet *w, const unsigned char frame[FRAME])
{
	struct capture_packet p = { .head_bytes = FRAME, .whole_bytes = FRAME };

	memcpy(p.head, frame, FRAME);
	return wire_packet_read(w, &p);
}

/* The first fragment has ports; what a later one has in their place is payload. */
TEST(test_capture_packet_of_a_later_fragment_has_no_ports)
{
	unsigned char frame[FRAME];
	struct wire_packet w;

	make_frame(frame);
	CHECK_INT(read_frame(&w, frame), 0);
	CHECK_INT(w.key.src_port, 4000);
	CHECK_INT(w.key.dst_port, 80);
	frame[ETHERNET + 6] = 0x20; /* more fragments follow: this is the first */
	CHECK_INT(read_frame(&w, frame), 0);
	frame[ETHERNET + 6] = 0x40; /* it may not be divided */
	CHECK_INT(read_frame(&w, frame), 0);
	frame[ETHERNET + 6] = 0;
	frame[ETHERNET + 7] = 1; /* it lies 8 bytes behind the beginning */
	CHECK_INT(read_frame(&w, frame), -1);
	frame[ETHERNET + 6] = 0x10;
	frame[ETHERNET + 7] = 0;
	CHECK_INT(read_frame(&w, frame), -1);
}
