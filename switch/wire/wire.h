/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h -- the door between the switch and a network interface: a back-end is a table of these.
 *
 * A wire is one interface, opened for all of its frames and not only for those addressed to it.
 * What a back-end changes of an interface it changes so that the kernel takes it back when the
 * process is gone, however it went.
 *
 * An interface may go down, come back or vanish while the switch runs; that is no error. A wire
 * then has nothing to receive, says that sending is in vain, and is looked at again by
 * wire_ops.check_link now and then. */
#ifndef SWITCH_WIRE_WIRE_H
#define SWITCH_WIRE_WIRE_H
#include "weir/error.h"
#include <stdint.h>

struct wire;

struct wire_plan {
	const char *interface;
	uint32_t frame_bytes; /* longest frame to expect, addresses, type and tags included */
	uint32_t ring_frames; /* that may wait to be looked at */
};

/* A frame that came in. */
struct wire_frame {
	const uint8_t *data;
	uint32_t length;
	uint32_t captured; /* bytes of it that are there: fewer, where it is longer than expected */
	uint32_t lacks_sum; /* 1: its sender left the sum of TCP or UDP to a card */
	int64_t time_ns;    /* when it came, by CLOCK_REALTIME; 0: not known */
};

/* One to be sent. */
struct wire_piece {
	const uint8_t *data;
	uint32_t length;
};

/* How a try to send ended. */
enum wire_sending {
	WIRE_SENT,
	WIRE_LATER, /* the kernel's memory for it is full */
	WIRE_DOWN,  /* the link is, or the interface is gone */
};

struct wire_counts {
	uint64_t lost_pkts; /* came in while nobody had room for them */
};

enum { WIRE_PIECES_MAX = 64 };

struct wire_ops {
	const char *name, *help;
	/* NULL with a message, which says what is missing. */
	struct wire *(*open)(const struct wire_plan *plan, struct weir_error *e);
	void (*close)(struct wire *w);
	/* Readable when there is something to receive; -1: there is nothing to wait for. */
	int (*descriptor)(const struct wire *w);
	/* The next frame, which stays until it is released; 0: there is none. */
	int (*peek)(struct wire *w, struct wire_frame *frame);
	void (*release)(struct wire *w);
	/* Sends the first of these in order, at most WIRE_PIECES_MAX; *sent is how many. */
	enum wire_sending (*send)(struct wire *w, const struct wire_piece *pieces, uint32_t count,
				  uint32_t *sent);
	/* Is the interface there and up? Opens it anew where it has come back. */
	int (*check_link)(struct wire *w);
	void (*count)(struct wire *w, struct wire_counts *counts);
};

extern const struct wire_ops wire_packet, wire_xdp;
#endif
