/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h -- which bytes of a connection a segment holds, for captures.
 *
 * The simulator counts segments; on the wire TCP counts bytes, and an RDMA packet says whether it
 * is the first or the last of its message. Both follow from the messages of the connection, which
 * are found by their flows' records: flow.next leads from one to the next. It is read only where
 * the segment shows that there is one: its sender may be naming a later message just now, on
 * another thread. */
#ifndef LAB_CAPTURE_STREAM_H
#define LAB_CAPTURE_STREAM_H
#include "config/config.h"
#include "sim/traffic/flow.h"
#include "weir/packet.h"

/* What a tap has seen. */
struct sighting {
	int64_t start_ps;
	const struct weir_packet *packet;
	const struct flow *flows; /* all, by number; NULL: a frame between neighbours */
	uint32_t card;            /* a number for the port, for its address */
};

/* A message and what the connection carried before it. */
struct stream_place {
	uint64_t bytes_before;
	uint32_t message; /* flow */
	uint32_t first_segment;
	uint32_t messages_before;
};

/* The message found last of each connection that has had several. */
struct streams {
	const struct config *config;
	struct stream_place *found; /* by the flow that opened it; bytes_before 0: none yet */
	uint32_t found_count;
};

void streams_free(struct streams *s);

/* Has the connection that a flow opened an RDMA control? */
int stream_is_rdma(const struct streams *s, const struct flow *flow);

/* Payload of a full segment of the flow. */
uint32_t stream_mss(const struct streams *s, const struct flow *flow);

/* The message that segment end - 1 of a connection belongs to; the first one where end is 0. */
struct stream_place stream_find(struct streams *s, const struct sighting *seen, uint32_t connection,
				uint32_t end);

/* The same for an end that lies in the message at *from, or behind it. */
struct stream_place stream_find_from(const struct stream_place *from, const struct sighting *seen,
				     uint32_t end);

/* Bytes of the connection before segment end; the place is that of end. */
uint64_t stream_bytes(const struct streams *s, const struct sighting *seen,
		      const struct stream_place *place, uint32_t end);
#endif
