/* SPDX-License-Identifier: BSD-3-Clause */
/* test_heap.c -- timers leave in the order of (time, key), and an empty heap says so. */
#include "base/heap.h"
#include "tests/test.h"
#include "weir/rng.h"

TEST(test_an_empty_heap_is_never_due)
{
	struct heap h = { 0 };

	heap_clear(&h);
	CHECK_INT(heap_first_ps(&h), INT64_MAX);
	heap_push(&h, 7, 1);
	heap_push(&h, 5, 2);
	CHECK_INT(heap_first_ps(&h), 5);
	CHECK_INT(heap_pop(&h).key, 2);
	CHECK_INT(heap_first_ps(&h), 7);
	CHECK_INT(heap_pop(&h).key, 1);
	CHECK_INT(heap_first_ps(&h), INT64_MAX);
	heap_push(&h, 9, 3);
	heap_clear(&h);
	CHECK_INT(h.count, 0);
	CHECK_INT(heap_first_ps(&h), INT64_MAX);
	heap_free(&h);
}

/* Few times and many keys, so that keys decide often; every third entry takes the place of the
 * first. */
TEST(test_entries_leave_by_time_and_key)
{
	struct weir_rng rng = weir_rng_make(1, 2, 3);
	struct heap h = { 0 };
	struct heap_entry last = { -1, 0 };
	uint64_t sum = 0;

	for (uint64_t key = 0; key < 1000; key++) {
		int64_t time_ps = (int64_t)weir_rng_below(&rng, 50);

		if (key % 3 == 2) {
			sum -= h.entries[0].key;
			heap_replace(&h, time_ps, key);
		} else {
			heap_push(&h, time_ps, key);
		}
		sum += key;
	}
	while (h.count) {
		struct heap_entry next = heap_pop(&h);

		CHECK(next.time_ps > last.time_ps ||
		      (next.time_ps == last.time_ps && next.key > last.key));
		sum -= next.key;
		last = next;
	}
	CHECK_INT(sum, 0);
	heap_free(&h);
}
