/* test_metrics_flows.c -- completion times of flows that the end of the run cuts off. */
#include "tests/sim.h"
#include <math.h>

/* Two flows that share no link, at 10 Gb/s: one of 1460 B, 12.4224 us, and one of 100 MB, of which a millisecond
 * lets about 900 KB through, with ten packets and slow start at the begin. */
#define CUT \
	"[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 5us\n" \
	"[traffic x]\npattern = list\nflow = 0 1 1460B 0us\nflow = 2 3 100MB 0us\n" \
	"[measure]\nto = 10us\ndrain = 990us\nlarge = 1MB\n%s\n"

TEST(test_a_flow_that_is_cut_off_has_no_completion_time)
{
	struct sim s;

	sim_read(&s, CUT, "");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), 12422.4, 1);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), 1);
	sim_end(&s);
}

/* The run ends with the last event within its millisecond: a packet or two before. */
TEST(test_a_part_of_a_flow_counts_until_the_end_of_the_run)
{
	struct sim s;

	sim_read(&s, CUT, "unfinished = part");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "sim_seconds"), 0.001, 2e-6);
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), (12422.4 + 1e6) / 2, 1000);
	CHECK_NEAR(sim_metric(&s, "fct_small_mean_ns"), 12422.4, 1);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), 1);
	CHECK_NEAR(sim_metric(&s, "slowdown_mean"), 1, 1e-9);
	sim_end(&s);
}

TEST(test_a_part_is_large_by_the_bytes_that_have_arrived)
{
	struct sim s;

	sim_read(&s, CUT, "unfinished = part\n");
	s.c.measure.large_bytes = 500000;
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "fct_large_mean_ns"), 1e6, 2000);
	sim_end(&s);
	sim_read(&s, CUT, "unfinished = part\n");
	s.c.measure.large_bytes = 2000000;
	sim_run(&s, 1);
	CHECK(isnan(sim_metric(&s, "fct_large_mean_ns")));
	CHECK_NEAR(sim_metric(&s, "fct_medium_mean_ns"), 1e6, 2000);
	sim_end(&s);
}
