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

/* A packet that a tap has observed. */
struct sighting {
	int64_t start_ps;
	const struct weir_packet *packet;
	const struct flow *flows; /* all flows by number; NULL: a frame between neighbours */
	uint32_t card;            /* hash of the port's name, for its MAC address */
};

/* A message, and what its connection carried before it. */
struct stream_place {
	uint64_t bytes_before;
	uint32_t message; /* flow number of the message */
	uint32_t first_segment;
	uint32_t messages_before;
};

/* Cache: the last message found, for connections with several messages. */
struct streams {
	const struct config *config;
	struct stream_place *found; /* indexed by the flow that opened the connection; bytes_before
				       0: none yet */
	uint32_t found_count;
};

void streams_free(struct streams *s);

/* Does the connection that the flow opened use RDMA? */
int stream_is_rdma(const struct streams *s, const struct flow *flow);

/* Payload bytes of a full segment of the flow. */
uint32_t stream_mss(const struct streams *s, const struct flow *flow);

/* The message that contains segment end - 1 of a connection; the first message if end is 0. */
struct stream_place stream_find(struct streams *s, const struct sighting *seen, uint32_t connection,
				uint32_t end);

/* The same, searching from the message at *from, which must not be after it. */
struct stream_place stream_find_from(const struct stream_place *from, const struct sighting *seen,
				     uint32_t end);

/* Bytes of the connection before segment end; place: from stream_find for that end. */
uint64_t stream_bytes(const struct streams *s, const struct sighting *seen,
		      const struct stream_place *place, uint32_t end);
#endif
