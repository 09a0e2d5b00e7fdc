/* SPDX-License-Identifier: BSD-3-Clause */
/* port_stats.h -- queue length over time and sojourn times of a port (weir/port.h), as histograms.
 *
 * The owner provides the memory and decides when a port keeps statistics; the port updates them on
 * its own thread. Bucket i of both histograms starts at weir_port_stats_floor(i): exact below
 * WEIR_PORT_STATS_EXACT, within 1/32 above. */
#ifndef WEIR_PORT_STATS_H
#define WEIR_PORT_STATS_H
#include "weir/begin.h"
#include "weir/compiler.h"
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

struct weir_port;

enum {
	WEIR_PORT_STATS_EXACT_SHIFT = 7,
	WEIR_PORT_STATS_EXACT = 1 << WEIR_PORT_STATS_EXACT_SHIFT,
	WEIR_PORT_STATS_STEPS_SHIFT = 5, /* 32 buckets an octave */
	WEIR_PORT_STATS_OCTAVES = 14,
	WEIR_PORT_STATS_BUCKETS =
		WEIR_PORT_STATS_EXACT + (WEIR_PORT_STATS_OCTAVES << WEIR_PORT_STATS_STEPS_SHIFT),
	WEIR_PORT_SOJOURN_OCTAVES = 25, /* up to 2^32 ns */
	WEIR_PORT_SOJOURN_BUCKETS =
		WEIR_PORT_STATS_EXACT + (WEIR_PORT_SOJOURN_OCTAVES << WEIR_PORT_STATS_STEPS_SHIFT),
};

/* Sojourn times in ns of packets that were sent. Packets that found the port idle, whose sojourn
 * time is 0, may be missing. */
struct weir_port_sojourns {
	uint64_t pkts;
	uint64_t bucket_pkts[WEIR_PORT_SOJOURN_BUCKETS];
};

struct weir_port_stats {
	int64_t since_ps; /* the port has held p->pkts and p->bytes since then */
	/* Called before these change. NULL: disabled. */
	void (*on_change)(void *context, const struct weir_port *p, int64_t since_ps);
	void *context;
	uint64_t many_pkts_ps; /* integral of packets over time while there were
				* WEIR_PORT_STATS_EXACT or more, see weir_port_stats_pkts_ps */
	weir_u128 bytes_ps;    /* integral of bytes over time */
	uint32_t max_pkts;
	uint32_t buckets;                    /* length of bucket_ps; usually all of them */
	struct weir_port_sojourns *sojourns; /* NULL: not recorded; weir_port_plan.counts_sojourn */
	/* Called when the port is about to hold more packets than bucket_ps has buckets for:
	 * replaces p->stats by a longer one. NULL: bucket_ps has all buckets. */
	void (*grow)(struct weir_port *p);
	void *owner;                                 /* for grow */
	uint64_t bucket_ps[WEIR_PORT_STATS_BUCKETS]; /* how long the port held that many packets */
};

/* Bytes of statistics with that many buckets. */
static inline size_t weir_port_stats_size(uint32_t buckets)
{
	return offsetof(struct weir_port_stats, bucket_ps) + buckets * sizeof(uint64_t);
}

/* Starts statistics in s, whose contents are overwritten. */
void weir_port_stats_start(struct weir_port *p, struct weir_port_stats *s, int64_t now_ps);

/* As above with WEIR_PORT_STATS_BUCKETS buckets, or with fewer than WEIR_PORT_STATS_EXACT but more
 * than the port holds packets: s points at weir_port_stats_size(buckets) zero bytes. With fewer
 * than all buckets the caller sets grow. */
void weir_port_stats_start_sized(struct weir_port *p, struct weir_port_stats *s, uint32_t buckets,
				 int64_t now_ps);

/* Accounts up to now_ps and stops. */
void weir_port_stats_stop(struct weir_port *p, int64_t now_ps);

/* The smallest value of a bucket. */
uint32_t weir_port_stats_floor(uint32_t bucket);

/* The integral of packets over time. */
uint64_t weir_port_stats_pkts_ps(const struct weir_port_stats *s);

/* The smallest queue length in packets that the port did not exceed for this fraction of the time;
 * 0 < fraction <= 1. */
uint32_t weir_port_stats_quantile(const struct weir_port_stats *s, double fraction);

/* The sojourn time in ns that this fraction of the packets did not exceed. */
uint32_t weir_port_sojourns_quantile(const struct weir_port_sojourns *s, double fraction);

/* The bucket of a value, without an upper limit. */
static inline uint32_t weir_port_bucket(uint32_t x)
{
	if (x < WEIR_PORT_STATS_EXACT)
		return x;

	uint32_t octave = 31 - (uint32_t)__builtin_clz(x) - WEIR_PORT_STATS_EXACT_SHIFT;
	uint32_t step =
		(x >> (octave + WEIR_PORT_STATS_EXACT_SHIFT - WEIR_PORT_STATS_STEPS_SHIFT)) &
		((1u << WEIR_PORT_STATS_STEPS_SHIFT) - 1);

	return WEIR_PORT_STATS_EXACT + (octave << WEIR_PORT_STATS_STEPS_SHIFT) + step;
}

/* The bucket of a queue length. */
static inline uint32_t weir_port_stats_bucket(uint32_t pkts)
{
	if (pkts < WEIR_PORT_STATS_EXACT)
		return pkts;

	uint32_t bucket = weir_port_bucket(pkts);

	return bucket < WEIR_PORT_STATS_BUCKETS ? bucket : WEIR_PORT_STATS_BUCKETS - 1;
}

WEIR_END
#endif
