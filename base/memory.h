/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h -- memory, for the simulator, the laboratory and the command line. What the system
 * refuses ends the program with a sentence and exit status 1: no caller could do better. Nobody
 * else asks for memory or looks whether it came; tests/test_house.c holds that. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* The sentence: so much was asked for, and what to do. */
_Noreturn void memory_refused(uint64_t bytes);

/* Zeroed, aligned to a cache line; huge pages are asked for where it is large. */
void *memory_new(uint64_t count, size_t size);
void memory_free(void *p, uint64_t count, size_t size);

/* memory_new of what is written here and there: it takes small pages, so that the rest costs
 * nothing. */
void *memory_sparse(uint64_t count, size_t size);

/* More of memory_new's, somewhere else maybe; what is new is zero. */
void *memory_resize(void *p, uint64_t count, uint64_t grown_count, size_t size);

/* What the following give is given back with free(). */

/* realloc that does not fail; what is new is not zeroed. */
void *memory_grow(void *p, uint64_t count, size_t size);

/* calloc that does not fail. */
void *memory_zeroed(uint64_t count, size_t size);

/* So many bytes of a text, and the NUL that ends them. */
char *memory_text(const char *text, size_t length);

/* What the machine has; UINT64_MAX where it does not say. */
uint64_t memory_of_machine(void);

/* Refuses what is more than the machine has; the message begins with what asks for it. */
int memory_check(double bytes, const char *what, struct weir_error *e);

/* Objects of one size by number, for the states of running connections. Room for limit of them is
 * reserved and touched only when used; freed ones are used again first. */
struct slab {
	char *objects;
	uint32_t size, limit, fresh;
	uint32_t free; /* list through the first word of free objects */
};

void slab_init(struct slab *s, uint32_t limit, size_t size);
void slab_free(struct slab *s);
uint32_t slab_alloc(struct slab *s); /* zeroed */
void slab_release(struct slab *s, uint32_t number);

static inline void *slab_at(const struct slab *s, uint32_t number)
{
	return s->objects + (size_t)number * s->size;
}

/* Rings that come and go while a run goes on, for what is out of order: a header and a power of two
 * of units. Those given back are kept for the next of that size, up to a number of each. */
enum { RING_SIZES = 32 };

struct spare_ring {
	struct spare_ring *next;
};

struct ring_store {
	size_t header_bytes, unit_bytes;
	struct spare_ring *spare[RING_SIZES]; /* by the logarithm of the number of units */
	uint32_t kept[RING_SIZES];
};

void *ring_alloc(struct ring_store *s, uint32_t units_log2); /* zeroed */
void ring_release(struct ring_store *s, void *ring, uint32_t units_log2);
void ring_store_free(struct ring_store *s);
#endif
