/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h -- the interface of packet I/O back-ends: each is a table of these operations.
 *
 * A wire is one network interface, opened for all of its frames and not only for those addressed to
 * it. Every change that a back-end makes to an interface is undone by the kernel when the process
 * ends, however it ends.
 *
 * An interface may go down, come up or vanish while the switch runs; that is not an error. Nothing
 * is then received, send reports WIRE_DOWN, and the owner retries with wire_ops.check_link from
 * time to time. */
#ifndef SWITCH_WIRE_WIRE_H
#define SWITCH_WIRE_WIRE_H
#include "weir/error.h"
#include <stdint.h>

struct wire;

struct wire_plan {
	const char *interface;
	uint32_t frame_bytes; /* longest frame to expect, including addresses, tags and EtherType */
	uint32_t ring_frames; /* slots of the receive ring */
};

/* A received frame. */
struct wire_frame {
	const uint8_t *data;
	uint32_t length;
	uint32_t captured;       /* bytes present; fewer than length if the frame was truncated */
	uint32_t needs_checksum; /* 1: the sender left the TCP or UDP checksum to NIC offload */
	int64_t time_ns;         /* arrival time by CLOCK_REALTIME; 0: unknown */
};

/* A frame to send. */
struct wire_piece {
	const uint8_t *data;
	uint32_t length;
};

/* Result of sending. */
enum wire_sending {
	WIRE_SENT,
	WIRE_LATER, /* the kernel's send buffer is full */
	WIRE_DOWN,  /* the link is down or the interface is gone */
};

struct wire_counts {
	uint64_t lost_pkts; /* received while the ring had no free slot */
};

enum { WIRE_PIECES_MAX = 64 };

struct wire_ops {
	const char *name, *help;
	/* NULL with a message that names what is missing. */
	struct wire *(*open)(const struct wire_plan *plan, struct weir_error *e);
	void (*close)(struct wire *w);
	/* Readable when a frame can be received; -1: nothing to wait for. */
	int (*descriptor)(const struct wire *w);
	/* The next received frame, valid until released; 0: none. */
	int (*peek)(struct wire *w, struct wire_frame *frame);
	void (*release)(struct wire *w);
	/* Sends frames in order, at most WIRE_PIECES_MAX; *sent is how many were accepted. */
	enum wire_sending (*send)(struct wire *w, const struct wire_piece *pieces, uint32_t count,
				  uint32_t *sent);
	/* Is the interface present and up? Reopens it if it has come back. */
	int (*check_link)(struct wire *w);
	void (*count)(struct wire *w, struct wire_counts *counts);
};

extern const struct wire_ops wire_packet, wire_xdp;
#endif
