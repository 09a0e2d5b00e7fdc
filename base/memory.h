/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h -- allocation for everything outside lib/. Allocation failure ends the program with a
 * message and exit status 1, as no caller could recover, so callers never check for NULL. No other
 * file calls malloc or mmap; tests/test_house.c enforces that. Thread-safe, except that slabs and
 * ring stores belong to one thread each. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* Ends the program with the message: how much was requested, and what to do about it. */
_Noreturn void memory_refused(uint64_t bytes);

/* Zeroed and aligned to a cache line. From 2 MiB up it is mapped with huge pages. */
void *memory_new(uint64_t count, size_t size);
void memory_free(void *p, uint64_t count, size_t size);

/* memory_new for arrays that are touched sparsely: small pages, so that untouched parts take no
 * memory. */
void *memory_sparse(uint64_t count, size_t size);

/* Grows an allocation of memory_new, which may move. The new part is zero. */
void *memory_resize(void *p, uint64_t count, uint64_t grown_count, size_t size);

/* --- allocations released with free() --- */

/* realloc; the new part is not initialised. */
void *memory_grow(void *p, uint64_t count, size_t size);

/* calloc. */
void *memory_zeroed(uint64_t count, size_t size);

/* Copies length bytes and adds a NUL. */
char *memory_text(const char *text, size_t length);

/* --- limits --- */

/* Physical memory in bytes; UINT64_MAX: unknown. */
uint64_t memory_of_machine(void);

/* -1 with a message that begins with what: the machine has less memory than that. */
int memory_check(double bytes, const char *what, struct weir_error *e);

/* --- slab: objects of one size, identified by number, such as states of connections ---
 *
 * Address space for limit objects is reserved at once and touched on first use. Released objects
 * are reused first, last in first out. Allocation and release are O(1). */
struct slab {
	char *objects;
	uint32_t size, limit, fresh;
	uint32_t free; /* head of the free list, linked through the first word of each object */
};

void slab_init(struct slab *s, uint32_t limit, size_t size);
void slab_free(struct slab *s);
uint32_t slab_alloc(struct slab *s); /* zeroed */
void slab_release(struct slab *s, uint32_t number);

static inline void *slab_at(const struct slab *s, uint32_t number)
{
	return s->objects + (size_t)number * s->size;
}

/* --- ring store: rings of out-of-order segments, which come and go during a run ---
 *
 * A ring is a header and a power of two of units. Released rings are cached by size, up to a fixed
 * number of each. */
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
