/* SPDX-License-Identifier: BSD-3-Clause */
/* test_active_set.c -- the active ports of a switch with many ports. */
#include "sim/core/active_set.h"
#include "tests/sim.h"

enum { PORTS = 300000 }; /* three words of words are full, more follow */

static uint32_t visit(struct active_set *a, uint32_t *found, uint32_t room)
{
	struct active_set_cursor at = { 0 };
	uint32_t count = 0, i;

	while (active_set_next(a, &at, &i)) {
		CHECK(count < room);
		found[count++] = i;
	}
	return count;
}

TEST(test_active_set_visits_in_order_what_was_added)
{
	static const uint32_t numbers[] = { 299999, 0, 63, 64, 4095, 4096, 100000, 63 };
	static const uint32_t sorted[] = { 0, 63, 64, 4095, 4096, 100000, 299999 };
	struct active_set a;
	uint32_t found[8];

	active_set_init(&a, PORTS);
	CHECK_INT(visit(&a, found, 8), 0);
	for (size_t i = 0; i < 8; i++)
		active_set_add(&a, numbers[i]);
	for (int again = 0; again < 2; again++) {
		CHECK_INT(visit(&a, found, 8), 7);
		for (size_t i = 0; i < 7; i++)
			CHECK_INT(found[i], sorted[i]);
	}
	active_set_release(&a);
}

TEST(test_active_set_keeps_what_is_not_removed)
{
	struct active_set a;
	struct active_set_cursor at = { 0 };
	uint32_t found[4], i;

	active_set_init(&a, PORTS);
	active_set_add(&a, 5);
	active_set_add(&a, 70);
	active_set_add(&a, 71);
	while (active_set_next(&a, &at, &i))
		if (i != 71)
			active_set_remove(&a, i);
	CHECK_INT(visit(&a, found, 4), 1);
	CHECK_INT(found[0], 71);
	/* Removed and added during one visit, as when a sender publishes meanwhile. */
	at = (struct active_set_cursor){ 0 };
	while (active_set_next(&a, &at, &i)) {
		active_set_remove(&a, i);
		active_set_add(&a, i);
	}
	CHECK_INT(visit(&a, found, 4), 1);
	active_set_remove(&a, 71);
	CHECK_INT(visit(&a, found, 4), 0);
	active_set_release(&a);
}

/* Idle ports are no event: hosts that are only there change nothing for the others. */
TEST(test_switch_of_many_ports_is_as_one_of_few)
{
	static const uint32_t hosts[] = { 17, 255, 256, 5000 };
	double marks = 0, goodput = 0;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct sim s;

		sim_read_default(&s,
				 "[network]\ntopology = star\nhosts = %u\nrate = 10Gbps\n"
				 "delay = 10us\n[switch]\nmarking = ecn(k=70pkts)\n"
				 "[host]\njitter = 50ns\n[traffic x]\npattern = many-to-one\n"
				 "senders = 16\nsize = unlimited\nstart = 0us..100us\n"
				 "[measure]\nfrom = 1ms\nto = 6ms\n",
				 hosts[i]);
		sim_run(&s, 1);
		if (i == 0) {
			marks = sim_metric(&s, "marks");
			goodput = sim_metric(&s, "goodput_bps");
			CHECK(marks > 100);
		}
		CHECK(sim_metric(&s, "marks") == marks);
		CHECK(sim_metric(&s, "goodput_bps") == goodput);
		sim_end(&s);
	}
}
