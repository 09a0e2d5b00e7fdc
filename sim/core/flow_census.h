/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_census.h -- the flows whose first packet has passed a port and whose last one has not: FDCC,
 * Algorithm 2.
 *
 * A table of connections by their number, at most half full, that grows with the flows that pass at
 * the same time. A packet that is sent again after the last one puts its flow back, as in the
 * thesis, until the last one has passed again. */
#ifndef SIM_CORE_FLOW_CENSUS_H
#define SIM_CORE_FLOW_CENSUS_H
#include <stdint.h>

struct flow_census {
	uint32_t *places; /* connection + 1; 0: free */
	uint32_t size;    /* a power of two, or 0 */
	uint32_t count;
};

enum flow_census_packet { FLOW_CENSUS_MORE, FLOW_CENSUS_LAST };

/* A packet of the connection passes; returns how many flows do, this one included even if it is its
 * last. */
uint32_t flow_census_pass(struct flow_census *s, uint32_t connection,
			  enum flow_census_packet packet);
void flow_census_free(struct flow_census *s);
#endif
