/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switch_sample.c -- probe values of the real switch against hand-computed ones. */
#include "switch/run/probe.h"
#include "tests/test.h"
#include "weir/units.h"

/* 1250 bytes more in a millisecond are 10 Mb/s; the first 1000 bytes came before. */
TEST(test_switch_throughput_is_in_bits_per_second)
{
	struct weir_port port = { .tx_bytes = 2250 };
	struct plane_port p = { .port = &port };
	struct weir_error e = { "" };
	uint64_t before = 1000;
	uint32_t what;

	CHECK_INT(sample_find("throughput", &what, &e), 0);
	CHECK_STR(sample_unit(what), "bps");
	CHECK_NEAR(sample_value(&p, what, &before, WEIR_PS_PER_S / 1000), 10e6, 1e-3);
	CHECK_INT(before, 2250);
}
