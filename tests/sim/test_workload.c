/* SPDX-License-Identifier: BSD-3-Clause */
/* test_workload.c -- flow-size distributions: the built-in ones by their numbers, own files by
 * their mistakes. */
#define _POSIX_C_SOURCE 200809L
#include "sim/traffic/workload.h"
#include "tests/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct workload *open_workload(const char *spec)
{
	struct workload *w;
	struct weir_error e = { "" };

	if (workload_new(&w, spec, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return w;
}

/* Means by hand: the sum of (fraction step) x (middle of the piece). */
TEST(test_builtin_workloads_have_their_means)
{
	static const struct {
		const char *name;
		double mean_bytes;
	} known[] = {
		{ "websearch", 1711250 },
		{ "datamining", 12658198.6 },
		{ "datamining-ns2", 5116.6 * 1460 },
		{ "hadoop", 2832.245 * 1460 },
		{ "cache", 623.76 * 1460 },
		{ "fb-hadoop", 120420.75 },
		{ "ali-storage", 40869.8 },
		{ "perftest", 0.2 * (1e3 + 1e4 + 1e5 + 1e6 + 1e7) },
	};
	size_t count = 0;

	while (workload_files[count].name)
		count++;
	CHECK_INT(count, sizeof(known) / sizeof(known[0]));
	for (size_t i = 0; i < count; i++) {
		struct workload *w = open_workload(known[i].name);

		CHECK_NEAR(workload_mean_bytes(w), known[i].mean_bytes, 1e-6 * known[i].mean_bytes);
		workload_free(w);
	}
}

TEST(test_builtin_workloads_describe_themselves)
{
	for (const struct workload_file *f = workload_files; f->name; f++) {
		CHECK(strlen(f->help) > 20 && f->help[0] != '#');
		CHECK(strncmp(f->text, "# ", 2) == 0);
		CHECK(strncmp(f->text + 2, f->help, strlen(f->help)) == 0);
	}
}

TEST(test_websearch_quantiles_are_those_of_its_points)
{
	struct workload *w = open_workload("websearch");

	CHECK_INT(workload_size(w, 0), 1); /* never 0 bytes */
	CHECK_INT(workload_size(w, 0.15), 10000);
	CHECK_INT(workload_size(w, 0.175), 15000); /* half way to 20000 at 0.20 */
	CHECK_INT(workload_size(w, 0.65), 600000);
	CHECK_INT(workload_size(w, 0.985), 20000000);
	CHECK_INT(workload_size(w, 1 - 0x1p-53), 30000000);
	workload_free(w);
}

TEST(test_packet_workloads_count_payload_bytes)
{
	struct workload *w = open_workload("datamining-ns2");

	CHECK_INT(workload_size(w, 0), 1460);
	CHECK_INT(workload_size(w, 0.49), 1460); /* half of the flows are one packet */
	CHECK_INT(workload_size(w, 0.6), 2920);
	CHECK_INT(workload_size(w, 0.65), 3650); /* two and a half packets */
	workload_free(w);
}

/* The integral of the quantile function is the mean: size() and mean() agree. */
static void check_sizes_add_up(const char *spec)
{
	enum { STEPS = 200000 };
	struct workload *w = open_workload(spec);
	uint64_t before = 0;
	double sum = 0;

	for (int k = 0; k < STEPS; k++) {
		uint64_t size = workload_size(w, (k + 0.5) / STEPS);

		CHECK(size >= before && size >= 1);
		before = size;
		sum += (double)size;
	}
	CHECK_NEAR(sum / STEPS / workload_mean_bytes(w), 1, 1e-3);
	workload_free(w);
}

TEST(test_sizes_add_up_to_the_mean_for_every_workload)
{
	for (size_t i = 0; workload_files[i].name; i++)
		check_sizes_add_up(workload_files[i].name);
	check_sizes_add_up("fixed(size=3KB)");
	check_sizes_add_up("exponential(mean=600B)");
	check_sizes_add_up("uniform(min=1KB, max=9KB)");
}

TEST(test_formulas_follow_their_formula)
{
	struct workload *w = open_workload("exponential(mean=1000000B)");

	CHECK_INT(workload_size(w, 0.5), lround(1000000 * log(2)));
	workload_free(w);
	w = open_workload("uniform(min=1KB, max=9KB)");
	CHECK_INT(workload_size(w, 0.25), 3000);
	CHECK_NEAR(workload_mean_bytes(w), 5000, 0);
	workload_free(w);
	w = open_workload("fixed(size=64KiB)");
	CHECK_INT(workload_size(w, 0.7), 65536);
	workload_free(w);
}

/* --- own files --- */

struct file {
	char name[64];
};

static struct file write_file(const char *text)
{
	struct file f = { "/tmp/weir-test-XXXXXX" };
	int fd = mkstemp(f.name);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	return f;
}

TEST(test_own_file_is_read)
{
	/* Two kinds of flow: a quarter of exactly 100, the rest of 200 to 400; none between. */
	struct file f = write_file("# mine\nunit 1KB # kilobytes\r\n\n 100 0.25\n200 0.25 \n400 1");
	struct workload *w = open_workload(f.name);

	CHECK_INT(workload_size(w, 0.1), 100000);
	CHECK_INT(workload_size(w, 0.2499999), 100000);
	CHECK_INT(workload_size(w, 0.25), 200000);
	CHECK_INT(workload_size(w, 0.625), 300000);
	CHECK_NEAR(workload_mean_bytes(w), 0.25 * 100000 + 0.75 * 300000, 1e-6);
	workload_free(w);
	unlink(f.name);
}

/* The same distribution as above, as HPCC's traffic generator has it; the first piece has half a
 * percent. */
TEST(test_own_file_that_ends_with_100_is_in_percent)
{
	struct file f = write_file("0 0\n100 0.5\n200 25\n400 100\n");
	struct workload *w = open_workload(f.name);

	CHECK_INT(workload_size(w, 0.0025), 50);
	CHECK_INT(workload_size(w, 0.25), 200);
	CHECK_INT(workload_size(w, 0.625), 300);
	CHECK_NEAR(workload_mean_bytes(w), 0.005 * 50 + 0.245 * 150 + 0.75 * 300, 1e-6);
	workload_free(w);
	unlink(f.name);
}

static void check_file_refused(const char *text, const char *message)
{
	struct file f = write_file(text);
	struct workload *w;
	struct weir_error e = { "" };
	char wanted[256];

	CHECK_INT(workload_new(&w, f.name, &e), -1);
	unlink(f.name);
	snprintf(wanted, sizeof(wanted), "%s%s", f.name, message);
	CHECK_STR(e.text, wanted);
	CHECK(w == NULL);
}

TEST(test_own_file_says_what_is_wrong)
{
	char long_line[400];

	check_file_refused("", ": no points; a line is a size and a fraction, as in 10000 0.15");
	check_file_refused("# only words\n",
			   ": no points; a line is a size and a fraction, as in 10000 0.15");
	check_file_refused("0 0\n10 0.5\n20 0.4\n", ":3: fraction 0.4 is below the 0.5 before it; "
						    "fractions must not fall");
	check_file_refused("0 0\n10 0.5\n9 0.6\n",
			   ":3: size 9 is below the 10 before it; sizes must not fall");
	check_file_refused("0 0\n10 0.5\n20 0.9\n", ":3: the last fraction is 0.9; it must be 1");
	check_file_refused("0 0\n10 50%\n",
			   ":2: '10 50%' is not a size and a fraction, as in 10000 0.15");
	check_file_refused("0 0\nten 1\n",
			   ":2: 'ten 1' is not a size and a fraction, as in 10000 0.15");
	check_file_refused("0 0\n10 0.5 0.6\n",
			   ":2: '10 0.5 0.6' is not a size and a fraction, as in "
			   "10000 0.15");
	check_file_refused("10\n", ":1: '10' is not a size and a fraction, as in 10000 0.15");
	check_file_refused("0 0\n10 1.5\n", ":2: fraction 1.5; allowed are 0 to 1, or percent "
					    "where the last is 100");
	check_file_refused("0 0\n10 50\n20 90\n", ":2: fraction 50; allowed are 0 to 1, or "
						  "percent where the last is 100");
	check_file_refused("0 0\n10 nan\n",
			   ":2: fraction nan; allowed are 0 to 1, or 0 to 100 in percent");
	check_file_refused("0 0\n10 101\n",
			   ":2: fraction 101; allowed are 0 to 1, or 0 to 100 in percent");
	check_file_refused("-1 0\n10 1\n", ":1: size -1; allowed are 0 to 1e+12");
	check_file_refused("unit 1000B\n1e10 1\n", ":2: size 1e+10; allowed are 0 to 1e+09");
	check_file_refused("unit 10\n1 1\n",
			   ":1: unit: '10' has no unit (B, KB, MB, GB, KiB, MiB, GiB); "
			   "allowed: 1B to 1MiB");
	check_file_refused("unit\n1 1\n", ":1: 'unit' is not a unit, as in unit 1460B");
	check_file_refused("0 0\nunit 1460B\n1 1\n",
			   ":2: the unit stands behind a point; it must come "
			   "before all of them");
	check_file_refused("0 0\n0 1\n", ": the mean size is 0 bytes; at least 1 is needed");
	memset(long_line, '1', sizeof(long_line));
	long_line[300] = '\0';
	check_file_refused(long_line, ":1: the line has 300 bytes; allowed are 255");
}

static void check_refused(const char *spec, const char *message)
{
	struct workload *w;
	struct weir_error e = { "" };

	CHECK_INT(workload_new(&w, spec, &e), -1);
	CHECK_STR(e.text, message);
}

TEST(test_workload_names_say_what_is_wrong)
{
	struct workload *w;
	struct weir_error e;

	CHECK_INT(workload_new(&w, "websaerch", &e), -1);
	CHECK_CONTAINS(e.text, "unknown workload 'websaerch'; there are ");
	CHECK_CONTAINS(e.text,
		       ", fixed, exponential, uniform (nearest: websearch); a file's name has a "
		       "slash or a dot");
	check_refused("no/such.txt",
		      "cannot read the workload 'no/such.txt': No such file or directory");
	check_refused("/tmp/", "cannot read the workload '/tmp/': Is a directory");
	check_refused("", "'' names nothing; write a name or name(option=value, ...)");
	check_refused("fixed(bytes=1MB)", "unknown option 'bytes' of fixed; it has size");
	check_refused("fixed(size=0B)", "fixed: size: '0B' is out of range; allowed: 1B to 1000GB");
	check_refused("uniform(min=2KB, max=1KB)", "uniform: min 2000B is above max 1000B");
}
