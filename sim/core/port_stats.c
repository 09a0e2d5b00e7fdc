/* SPDX-License-Identifier: BSD-3-Clause */
/* port_stats.c -- statistics of ports, as long as their queues were. Most ports never hold many
 * packets: full histograms of all of them would be most of the memory of a large network.
 *
 * Ports ask once or a few times in a run, so that all threads can share the slabs. */
#include "sim/core/engine.h"
#include <string.h>

/* Buckets, one for each number of packets but for the last size: 128, 256 and 512 bytes, 1 KiB, and
 * all that there are. */
static const uint32_t buckets_of[PORT_STATS_SIZES] = { 6, 22, 54, 118, WEIR_PORT_STATS_BUCKETS };

_Static_assert(offsetof(struct weir_port_stats, bucket_ps) == 80, "two cache lines with 6 buckets");

/* The slabs have a struct for every link of the network, so they cannot run out. */
void port_stats_new(struct engine *e)
{
	struct port_stats_store *s = &e->port_stats;

	pthread_mutex_init(&s->lock, NULL);
	for (uint32_t i = 0; i < PORT_STATS_SIZES; i++)
		slab_init(&s->sizes[i], e->net->link_count, weir_port_stats_size(buckets_of[i]));
	if (e->config->measure.sojourn)
		slab_init(&s->waits, e->net->link_count, sizeof(struct weir_port_sojourns));
}

void port_stats_free(struct engine *e)
{
	struct port_stats_store *s = &e->port_stats;

	if (!s->sizes[0].objects)
		return;
	for (uint32_t i = 0; i < PORT_STATS_SIZES; i++)
		slab_free(&s->sizes[i]);
	slab_free(&s->waits);
	pthread_mutex_destroy(&s->lock);
}

/* The smallest size that has a bucket for so many packets. */
static uint32_t size_for(uint32_t pkts)
{
	uint32_t size = 0;

	while (size + 1 < PORT_STATS_SIZES && pkts >= buckets_of[size])
		size++;
	return size;
}

static void grow(struct weir_port *p)
{
	struct weir_port_stats *old = p->stats;
	struct port_stats_store *s = old->owner;
	uint32_t size = size_for(old->max_pkts), before = size_for(old->buckets - 1);
	struct slab *slab = &s->sizes[before];

	pthread_mutex_lock(&s->lock);
	p->stats = slab_at(&s->sizes[size], slab_alloc(&s->sizes[size]));
	memcpy(p->stats, old, weir_port_stats_size(old->buckets));
	slab_release(slab, (uint32_t)((size_t)((char *)old - slab->objects) / slab->size));
	pthread_mutex_unlock(&s->lock);
	p->stats->buckets = buckets_of[size];
	if (size + 1 == PORT_STATS_SIZES)
		p->stats->grow = NULL;
}

void port_stats_start(struct engine *e, struct weir_port *p)
{
	struct port_stats_store *s = &e->port_stats;
	uint32_t size = size_for(p->pkts);
	struct weir_port_stats *stats;

	pthread_mutex_lock(&s->lock);
	stats = slab_at(&s->sizes[size], slab_alloc(&s->sizes[size]));
	if (e->config->measure.sojourn)
		stats->sojourns = slab_at(&s->waits, slab_alloc(&s->waits));
	pthread_mutex_unlock(&s->lock);
	weir_port_stats_start_sized(p, stats, buckets_of[size], e->measure_from_ps);
	stats->owner = s;
	if (size + 1 < PORT_STATS_SIZES)
		stats->grow = grow;
}
