/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pcap_window.c -- the receive window in captures holds all that the sender may send. */
#include "tests/capture.h"

enum { TCP_FLAGS = 13, TCP_WINDOW = 14, FLAG_SYN = 2 };

struct windows {
	uint32_t syns, others;
};

static void see(void *context, const struct captured *c)
{
	struct windows *w = context;
	uint32_t window = capture_big(c->rest + TCP_WINDOW, 2);
	int is_syn = (c->rest[TCP_FLAGS] & FLAG_SYN) != 0;

	/* Of SYNs it is not scaled, and then as large as it can be; else it counts two bytes each:
	 * 50001 of them, not 50000. */
	CHECK_INT(window, is_syn ? 65535 : 50001);
	w->syns += (uint32_t)is_syn;
	w->others += !is_syn;
}

TEST(test_pcap_scaled_window_is_rounded_up)
{
	static const char *const ports[] = { "h0->sw", NULL };
	struct folder f = folder_make();
	struct windows w = { 0, 0 };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\n"
		     "[host]\nhandshake = yes\nmax-window = 100001B\n"
		     "[traffic x]\npattern = list\nflow = 0 1 10KB 0us\n");
	capture_run(&s, &f, ports, FRAME_HEADERS, 1);
	capture_read(&f, 0, see, &w);
	CHECK_INT(w.syns, 1);
	CHECK(w.others > 0);
	sim_end(&s);
	folder_remove(&f);
}
