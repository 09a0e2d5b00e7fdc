/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.h -- runs a scenario with captures, and reads them back with a reader of the tests'
 * own. */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H
#include "tests/folder.h" /* first: it asks for functions of the system */
#include "lab/capture/pcap.h"
#include "tests/sim.h"

enum { CAPTURE_PORTS_MAX = 4 };

/* Runs the scenario that was read and captures ports into files of the folder: 0.pcapng and on. */
static inline void capture_run(struct sim *s, const struct folder *f, const char *const *ports,
			       enum frame_extent extent, uint32_t threads)
{
	struct pcap files[CAPTURE_PORTS_MAX];
	struct tap taps[CAPTURE_PORTS_MAX];
	struct run_control control = { .threads = threads, .taps = taps, .taps_see_frames = 1 };
	struct weir_error e = { "" };
	char argument[128];

	for (uint32_t i = 0; ports[i]; i++) {
		CHECK(i < CAPTURE_PORTS_MAX);
		snprintf(argument, sizeof(argument), "%s=%s/%u.pcapng", ports[i], f->path, i);
		CHECK_INT(pcap_open(&files[i], argument, &s->c, extent, &e), 0);
		taps[control.tap_count++] = pcap_tap(&files[i]);
	}
	run_result_free(&s->r);
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < control.tap_count; i++)
		CHECK_INT(pcap_publish(&files[i], &e), 0);
}

static inline uint64_t capture_little(const unsigned char *at, int width)
{
	uint64_t value = 0;

	for (int i = width - 1; i >= 0; i--)
		value = value << 8 | at[i];
	return value;
}

static inline uint32_t capture_big(const unsigned char *at, int width)
{
	uint32_t value = 0;

	for (int i = 0; i < width; i++)
		value = value << 8 | at[i];
	return value;
}

/* A packet of a capture. */
struct captured {
	const unsigned char *frame, *ip, *rest; /* rest: behind the IPv4 header */
	uint64_t time_ns;
	uint32_t kept, whole;
};

/* Calls see for every packet of a file that capture_run wrote; each block is looked at. */
static inline void capture_read(const struct folder *f, uint32_t number,
				void (*see)(void *context, const struct captured *c), void *context)
{
	char name[32];
	size_t size, at = 0;

	snprintf(name, sizeof(name), "%u.pcapng", number);

	unsigned char *file = (unsigned char *)folder_read(f, name, &size);

	while (at < size) {
		const unsigned char *block = file + at;

		CHECK(size - at >= 12);

		uint64_t kind = capture_little(block, 4), length = capture_little(block + 4, 4);

		CHECK(length >= 12 && length % 4 == 0 && length <= size - at);
		CHECK_INT(capture_little(block + length - 4, 4), length);
		if (kind == 6) {
			struct captured c = {
				.frame = block + 28,
				.ip = block + 28 + 14,
				.rest = block + 28 + 14 + 20,
				.time_ns = capture_little(block + 12, 4) << 32 |
					   capture_little(block + 16, 4),
				.kept = (uint32_t)capture_little(block + 20, 4),
				.whole = (uint32_t)capture_little(block + 24, 4),
			};

			CHECK(c.kept <= c.whole && c.kept <= length - 32);
			see(context, &c);
		}
		at += length;
	}
	free(file);
}
#endif
