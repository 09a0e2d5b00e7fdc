/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* xdp.bpf.c -- the XDP program: redirects every received frame to the switch's AF_XDP socket.
 * Frames of other receive queues pass to the kernel's stack. */
typedef unsigned int u32;
typedef unsigned long long u64;

#define SECTION(name) __attribute__((section(name), used))

enum { MAP_OF_SOCKETS = 17, PASS = 2 };

/* The kernel's context structure, as far as it is used. */
struct xdp_md {
	u32 data, data_end, data_meta, ingress_ifindex, rx_queue_index;
};

struct {
	int (*type)[MAP_OF_SOCKETS];
	int (*max_entries)[1];
	int (*key_size)[sizeof(u32)];
	int (*value_size)[sizeof(u32)];
} sockets SECTION(".maps");

/* bpf_redirect_map, helper 51. */
static long (*const redirect_map)(void *map, u64 key, u64 flags) = (void *)51;

SECTION("xdp") int to_socket(struct xdp_md *frame)
{
	return (int)redirect_map(&sockets, frame->rx_queue_index, PASS);
}

char terms[] SECTION("license") = "Dual BSD/GPL";
