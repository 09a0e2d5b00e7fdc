/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c -- see stream.h. */
#include "lab/capture/stream.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

void streams_free(struct streams *s)
{
	free(s->found);
	s->found = NULL;
}

int stream_is_rdma(const struct streams *s, const struct flow *flow)
{
	return traffic_cc(s->config, flow->traffic)->transport == WEIR_CC_RDMA;
}

uint32_t stream_mss(const struct streams *s, const struct flow *flow)
{
	return (uint32_t)(stream_is_rdma(s, flow) ? s->config->rdma.mtu_bytes
						  : s->config->host.mss_bytes);
}

/* A message of unlimited size is the only one of its connection. */
static int has_next(const struct flow *message, uint32_t end)
{
	return message->size_bytes != FLOW_UNLIMITED && end > message->end_segment;
}

struct stream_place stream_find_from(const struct stream_place *from, const struct sighting *seen,
				     uint32_t end)
{
	struct stream_place at = *from;
	const struct flow *message = &seen->flows[at.message];

	while (has_next(message, end)) {
		at.bytes_before += message->size_bytes;
		at.first_segment = message->end_segment;
		at.message = message->next;
		at.messages_before++;
		message = &seen->flows[at.message];
	}
	return at;
}

static void reserve(struct streams *s, uint32_t connection)
{
	uint32_t count = s->found_count;

	if (connection < count)
		return;
	s->found_count = connection < UINT32_MAX / 2 ? 2 * connection + 1 : UINT32_MAX;
	s->found = memory_grow(s->found, s->found_count, sizeof(*s->found));
	memset(s->found + count, 0, (s->found_count - count) * sizeof(*s->found));
}

struct stream_place stream_find(struct streams *s, const struct sighting *seen, uint32_t connection,
				uint32_t end)
{
	const struct stream_place first = { .message = connection };

	if (!has_next(&seen->flows[connection], end))
		return first;
	reserve(s, connection);

	struct stream_place *found = &s->found[connection];
	int is_behind = found->bytes_before && found->first_segment < end;

	*found = stream_find_from(is_behind ? found : &first, seen, end);
	return *found;
}

uint64_t stream_bytes(const struct streams *s, const struct sighting *seen,
		      const struct stream_place *place, uint32_t end)
{
	const struct flow *message = &seen->flows[place->message];
	uint64_t bytes = (uint64_t)(end - place->first_segment) * stream_mss(s, message);

	return place->bytes_before + (bytes < message->size_bytes ? bytes : message->size_bytes);
}
