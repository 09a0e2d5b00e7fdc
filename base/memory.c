/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c -- allocation by mmap and malloc, slabs and ring stores, see memory.h. */
#define _GNU_SOURCE
#include "base/memory.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES_PER_GB 1e9
#define BYTES_PER_MB 1e6

enum { HUGE_PAGE_BYTES = 2 << 20, CACHE_LINE_BYTES = 64, RINGS_KEPT = 64 };

#define SLAB_NONE UINT32_MAX

void memory_refused(uint64_t bytes)
{
	fprintf(stderr,
		"weir: the system refuses %.6g MB more of memory or of addresses; take "
		"fewer flows, hosts or threads, a shorter time, or allow more (ulimit -v)\n",
		(double)bytes / BYTES_PER_MB);
	exit(EXIT_FAILURE);
}

static void *memory_map_small(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		memory_refused(bytes);
	return p;
}

static void *memory_map(size_t bytes)
{
	void *p = memory_map_small(bytes);

	if (bytes >= HUGE_PAGE_BYTES)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

/* At least one object: an empty array is a valid pointer, too. */
static size_t memory_total_bytes(uint64_t count, size_t size)
{
	return (size_t)(count ? count : 1) * size;
}

void *memory_new(uint64_t count, size_t size)
{
	size_t bytes = memory_total_bytes(count, size);

	if (bytes >= HUGE_PAGE_BYTES)
		return memory_map(bytes);
	bytes = (bytes + CACHE_LINE_BYTES - 1) & ~(size_t)(CACHE_LINE_BYTES - 1);

	void *p = aligned_alloc(CACHE_LINE_BYTES, bytes);

	if (!p)
		memory_refused(bytes);
	return memset(p, 0, bytes);
}

void *memory_sparse(uint64_t count, size_t size)
{
	size_t bytes = memory_total_bytes(count, size);
	void *p;

	if (bytes < HUGE_PAGE_BYTES)
		return memory_new(count, size);
	p = memory_map_small(bytes);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

void memory_free(void *p, uint64_t count, size_t size)
{
	size_t bytes = memory_total_bytes(count, size);

	if (p && bytes >= HUGE_PAGE_BYTES)
		munmap(p, bytes);
	else
		free(p);
}

void *memory_resize(void *p, uint64_t count, uint64_t grown_count, size_t size)
{
	size_t bytes = memory_total_bytes(count, size),
	       grown_bytes = memory_total_bytes(grown_count, size);
	void *grown;

	if (bytes < HUGE_PAGE_BYTES) {
		grown = memcpy(memory_new(grown_count, size), p, bytes);
		memory_free(p, count, size);
		return grown;
	}
	grown = mremap(p, bytes, grown_bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		memory_refused(grown_bytes);
	madvise(grown, grown_bytes, MADV_HUGEPAGE);
	return grown;
}

void *memory_grow(void *p, uint64_t count, size_t size)
{
	void *grown = reallocarray(p, count ? count : 1, size);

	if (!grown)
		memory_refused(count * size);
	return grown;
}

void *memory_zeroed(uint64_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		memory_refused(count * size);
	return p;
}

char *memory_text(const char *text, size_t length)
{
	char *copy = memory_grow(NULL, length + 1, 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

uint64_t memory_of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

int memory_check(double bytes, const char *what, struct weir_error *e)
{
	double machine = (double)memory_of_machine();

	if (bytes <= machine)
		return 0;
	return weir_error_set(
		e,
		"%s: about %.1f GB of memory are needed, and this machine has %.1f GB; take "
		"fewer flows or hosts, or a shorter time",
		what, bytes / BYTES_PER_GB, machine / BYTES_PER_GB);
}

void slab_init(struct slab *s, uint32_t limit, size_t size)
{
	*s = (struct slab){ .size = (uint32_t)size, .limit = limit, .free = SLAB_NONE };
	s->objects = memory_map(memory_total_bytes(limit, size));
}

void slab_free(struct slab *s)
{
	if (s->objects)
		munmap(s->objects, memory_total_bytes(s->limit, s->size));
	*s = (struct slab){ 0 };
}

uint32_t slab_alloc(struct slab *s)
{
	uint32_t number = s->free;

	if (number == SLAB_NONE) {
		assert(s->fresh < s->limit);
		return s->fresh++; /* untouched pages are zero */
	}
	memcpy(&s->free, slab_at(s, number), sizeof(s->free));
	memset(slab_at(s, number), 0, s->size);
	return number;
}

void slab_release(struct slab *s, uint32_t number)
{
	memcpy(slab_at(s, number), &s->free, sizeof(s->free));
	s->free = number;
}

void *ring_alloc(struct ring_store *s, uint32_t units_log2)
{
	struct spare_ring *ring = s->spare[units_log2];
	size_t bytes = s->header_bytes + (s->unit_bytes << units_log2);

	assert(units_log2 < RING_SIZES);
	if (ring) {
		s->spare[units_log2] = ring->next;
		s->kept[units_log2]--;
	} else {
		ring = memory_grow(NULL, bytes, 1);
	}
	return memset(ring, 0, bytes);
}

void ring_release(struct ring_store *s, void *ring, uint32_t units_log2)
{
	struct spare_ring *spare = ring;

	if (s->kept[units_log2] == RINGS_KEPT) {
		free(ring);
		return;
	}
	spare->next = s->spare[units_log2];
	s->spare[units_log2] = spare;
	s->kept[units_log2]++;
}

void ring_store_free(struct ring_store *s)
{
	for (uint32_t i = 0; i < RING_SIZES; i++)
		for (struct spare_ring *ring = s->spare[i], *next; ring; ring = next) {
			next = ring->next;
			free(ring);
		}
}
