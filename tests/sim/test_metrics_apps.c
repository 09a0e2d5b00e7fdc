/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics_apps.c -- what applications see, and where in the network it comes from. */
#include "sim/measure/sample.h"
#include "tests/sim.h"
#include <math.h>

static const char storage_text[] =
	"[network]\ntopology = star\nhosts = %d\nrate = 10Gbps\ndelay = 5us\n"
	"[traffic disks]\npattern = storage\nmix = custom(read=%d%%, min=4KiB, max=4KiB)\n"
	"computing = 1\nstorage = %d\ndepth = %d\nreplicas = %d\n"
	"[measure]\nfrom = 1ms\nto = 21ms\n";

TEST(test_io_latency_times_rate_is_the_depth)
{
	struct sim s;

	/* Little's law: what is outstanding is the rate times the time that each takes. */
	for (int depth = 1; depth <= 2; depth++) {
		sim_read(&s, storage_text, 2, 100, 1, depth, 0);
		sim_run(&s, 1);
		CHECK_NEAR(sim_metric(&s, "read_iops") * sim_metric(&s, "io_read_p50_ns") / 1e9,
			   depth, 0.02 * depth);
		CHECK(sim_metric(&s, "read_iops") == sim_metric(&s, "iops"));
		CHECK(isnan(sim_metric(&s, "write_iops")));
		CHECK(isnan(sim_metric(&s, "io_write_p99_ns")));
		sim_end(&s);
	}
}

TEST(test_io_latency_of_a_write_is_until_its_copies_are_answered)
{
	double alone_ns, copied_ns;
	struct sim s;

	sim_read(&s, storage_text, 4, 0, 3, 1, 0);
	sim_run(&s, 1);
	alone_ns = sim_metric(&s, "io_write_p50_ns");
	CHECK_NEAR(sim_metric(&s, "write_iops") * alone_ns / 1e9, 1, 0.02);
	sim_end(&s);
	sim_read(&s, storage_text, 4, 0, 3, 1, 2);
	sim_run(&s, 1);
	copied_ns = sim_metric(&s, "io_write_p50_ns");
	CHECK_NEAR(sim_metric(&s, "write_iops") * copied_ns / 1e9, 1, 0.02);
	CHECK(copied_ns > alone_ns + 20000); /* there and back: four links of 5 us more */
	sim_end(&s);
}

TEST(test_io_latency_has_no_p99_of_too_few)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\n[traffic d]\npattern = storage\n"
		     "mix = custom(read=100%%, min=4KiB, max=4KiB)\nios = 99\ndepth = 1\n"
		     "computing = 1\nstorage = 1\nconnections = persistent\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "io_read_p50_ns") > 0);
	CHECK(isnan(sim_metric(&s, "io_read_p99_ns")));
	sim_end(&s);
	CHECK(sample_has_quantile(100, 0.99));
	CHECK(!sample_has_quantile(99, 0.99));
}

/* --- tiers --- */

TEST(test_tiers_of_links_share_what_the_network_does)
{
	double marks;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 4\n"
		 "rate = 10Gbps\nfabric-rate = 10Gbps\n"
		 "[switch]\nmarking = ecn(k=5pkts)\n[host]\ncc = dctcp\n"
		 "[traffic a]\npattern = all-to-all\nsizes = websearch\nload = 0.4\nflows = 200\n"
		 "[measure]\nto = 20ms\n");
	sim_run(&s, 1);
	marks = sim_metric(&s, "marks_from_hosts") + sim_metric(&s, "marks_up") +
		sim_metric(&s, "marks_down") + sim_metric(&s, "marks_to_hosts");
	CHECK(sim_metric(&s, "marks_up") > 0 && sim_metric(&s, "marks_to_hosts") > 0);
	CHECK_NEAR(marks, sim_metric(&s, "marks"), 0);
	/* What goes up comes down: as many links, of one rate, with little under way. */
	CHECK_NEAR(sim_metric(&s, "utilisation_up"), sim_metric(&s, "utilisation_down"), 0.01);
	CHECK(sim_metric(&s, "utilisation_to_hosts") > 0.1);
	CHECK(sim_metric(&s, "pause_fraction_up") == 0);
	sim_end(&s);
}

TEST(test_down_is_where_senders_of_two_leaves_meet)
{
	struct sim s;

	/* One host a leaf; the two links up are half full, the one down to the receiver's leaf is
	 * full. */
	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 1\nhosts-per-leaf = 1\n"
		 "rate = 40Gbps\nfabric-rate = 10Gbps\n"
		 "[switch]\nmarking = ecn(k=65pkts)\n[host]\ncc = dctcp\n"
		 "[traffic a]\npattern = many-to-one\nsenders = 2\nsize = unlimited\n"
		 "[measure]\nfrom = 5ms\nto = 15ms\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "marks_down") > 0);
	CHECK(sim_metric(&s, "marks_up") == 0);
	CHECK(sim_metric(&s, "marks_to_hosts") == 0);
	sim_end(&s);
}

TEST(test_a_network_without_a_tier_has_no_numbers_of_it)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 4\n"
		     "[traffic a]\npattern = many-to-one\nsenders = 2\nsize = unlimited\n"
		     "[measure]\nfrom = 1ms\nto = 5ms\n");
	sim_run(&s, 1);
	CHECK(isnan(sim_metric(&s, "utilisation_up")));
	CHECK(isnan(sim_metric(&s, "marks_down")));
	/* One of four links to hosts is full; the others carry ACKs. */
	CHECK_NEAR(sim_metric(&s, "utilisation_to_hosts"), 0.25, 0.02);
	sim_end(&s);
}

TEST(test_wait_at_ports_is_what_waits_over_what_passes)
{
	double waiting = 0, rate = 0;
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 4\n"
		     "[traffic a]\npattern = many-to-one\nsenders = 3\nsize = unlimited\n"
		     "[measure]\nfrom = 1ms\nto = 5ms\n");
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.port_count; i++) {
		waiting += s.r.ports[i].queue_mean_pkts;
		rate += (double)s.r.ports[i].tx_pkts / 4e6; /* a ns */
	}
	CHECK_NEAR(sim_metric(&s, "network_wait_mean_ns"), waiting / rate, 1e-6 * waiting / rate);
	CHECK(sim_metric(&s, "network_queue_p99_pkts") <= sim_metric(&s, "network_queue_max_pkts"));
	CHECK(sim_metric(&s, "network_queue_p99_pkts") > 0);
	sim_end(&s);
}

/* How many reads are counted between two instants. */
static double reads_between(struct sim *s, int64_t from_ps, int64_t to_ps)
{
	double count;

	s->c.measure.from_ps = (uint64_t)from_ps;
	s->c.measure.to_ps = (uint64_t)to_ps;
	sim_run(s, 1);
	count = sim_metric(s, "read_iops") * (double)(to_ps - from_ps) / (double)WEIR_PS_PER_S;
	return count;
}

/* One that ends at "from" counts, one that ends at "to" does not. */
TEST(test_io_counts_by_its_end_from_from_until_before_to)
{
	const int64_t ms = (int64_t)WEIR_PS_PER_S / 1000;
	int64_t end_ps = 0;
	struct sim s;

	sim_read(&s, storage_text, 2, 100, 1, 1, 0);
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.flow_count && end_ps < 5 * ms; i++)
		if (s.r.flows[i].flags & FLOW_ENDS_IO && s.r.flows[i].finish_ps > 5 * ms)
			end_ps = s.r.flows[i].finish_ps;
	CHECK(end_ps > 5 * ms);
	CHECK_NEAR(reads_between(&s, end_ps - 10, end_ps), 0, 1e-6);
	CHECK_NEAR(reads_between(&s, end_ps - 10, end_ps + 1), 1, 1e-6);
	CHECK_NEAR(reads_between(&s, end_ps, end_ps + 10), 1, 1e-6);
	CHECK_NEAR(reads_between(&s, end_ps + 1, end_ps + 10), 0, 1e-6);
	sim_end(&s);
}
