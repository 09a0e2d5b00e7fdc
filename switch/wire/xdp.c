/* SPDX-License-Identifier: BSD-3-Clause */
/* xdp.c -- back-end for drivers with XDP: an AF_XDP socket with shared-memory rings in both
 * directions, bypassing most of the kernel's network stack.
 *
 * The program (xdp.bpf.c) is attached by a BPF link that belongs to this process and disappears
 * with it. Frames are copied between the driver and our memory (copy mode, not zero-copy), which
 * every driver supports. The kernel reports less than for packet sockets: no arrival time (the time
 * of reading is used), no checksum offload state (turn that off at the sender: ethtool -K IF tx
 * off), and no VLAN tags that the NIC stripped.
 *
 * Memory (the socket's UMEM) is divided into chunks of one size: the first ones receive, through
 * the fill ring and the RX ring; the rest send, through the TX ring and the completion ring. */
#define _GNU_SOURCE
#include "switch/wire/wire.h"

#ifdef WEIR_HAS_BPF
#include "base/memory.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

extern const unsigned char xdp_bpf[]; /* the program, embedded by the Makefile */
extern const size_t xdp_bpf_size;

enum {
	CHUNK_SMALL = 2048,
	CHUNK_LARGE = 4096, /* largest chunk that the kernel allows */
	KERNEL_ROOM = 256,  /* headroom that the kernel keeps before a received frame */
	SEND_CHUNKS = 1024, /* a power of two, as rings require */
	KICKS_MAX = 64,     /* the kernel sends only some frames per system call */
};

/* One of the kernel's four rings: single producer, single consumer. */
struct ring {
	void *map;
	size_t map_bytes;
	uint32_t *producer, *consumer;
	void *slots;
	uint32_t mask;
};

struct wire {
	char interface[IFNAMSIZ];
	int index;
	int fd;      /* -1: the interface is gone */
	int flag_fd; /* socket for reading the interface's flags */
	uint32_t receive_chunks, chunk_bytes;
	uint8_t *memory;
	size_t memory_bytes;
	struct ring fill, completed, received, sending;
	uint64_t free_chunks[SEND_CHUNKS];
	uint32_t free_count;
	struct bpf_object *object;
	struct bpf_link *link;
	uint64_t lost_pkts;
};

static int xdp_print_nothing(enum libbpf_print_level level, const char *format, va_list values)
{
	(void)level;
	(void)format;
	(void)values;
	return 0;
}

/* --- rings --- */

static uint32_t ring_waiting(const struct ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) - *r->consumer;
}

static uint32_t ring_room(const struct ring *r)
{
	return r->mask + 1 - (*r->producer - __atomic_load_n(r->consumer, __ATOMIC_ACQUIRE));
}

static void ring_added(struct ring *r, uint32_t count)
{
	__atomic_store_n(r->producer, *r->producer + count, __ATOMIC_RELEASE);
}

static void ring_taken(struct ring *r, uint32_t count)
{
	__atomic_store_n(r->consumer, *r->consumer + count, __ATOMIC_RELEASE);
}

static uint64_t *ring_address(const struct ring *r, uint32_t at)
{
	return (uint64_t *)r->slots + (at & r->mask);
}

static struct xdp_desc *ring_frame(const struct ring *r, uint32_t at)
{
	return (struct xdp_desc *)r->slots + (at & r->mask);
}

/* Type of a ring, its number of entries and their size. */
struct ring_plan {
	int option;
	uint32_t count;
	size_t slot_bytes;
	uint64_t page;
};

static int xdp_make_ring(struct wire *w, struct ring *r, const struct ring_plan *plan,
			 const struct xdp_ring_offset *at)
{
	if (setsockopt(w->fd, SOL_XDP, plan->option, &plan->count, sizeof(plan->count)))
		return -1;
	r->map_bytes = at->desc + plan->count * plan->slot_bytes;
	r->map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, w->fd,
		      (off_t)plan->page);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return -1;
	}
	r->producer = (uint32_t *)(void *)((uint8_t *)r->map + at->producer);
	r->consumer = (uint32_t *)(void *)((uint8_t *)r->map + at->consumer);
	r->slots = (uint8_t *)r->map + at->desc;
	r->mask = plan->count - 1;
	return 0;
}

/* The kernel requires the sizes of the fill and completion rings before it reports the offsets of
 * any ring. */
static int xdp_make_rings(struct wire *w)
{
	const struct ring_plan plans[] = {
		{ XDP_UMEM_FILL_RING, w->receive_chunks, sizeof(uint64_t),
		  XDP_UMEM_PGOFF_FILL_RING },
		{ XDP_UMEM_COMPLETION_RING, SEND_CHUNKS, sizeof(uint64_t),
		  XDP_UMEM_PGOFF_COMPLETION_RING },
		{ XDP_RX_RING, w->receive_chunks, sizeof(struct xdp_desc), XDP_PGOFF_RX_RING },
		{ XDP_TX_RING, SEND_CHUNKS, sizeof(struct xdp_desc), XDP_PGOFF_TX_RING },
	};
	struct xdp_mmap_offsets at;
	socklen_t size = sizeof(at);

	if (getsockopt(w->fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &size))
		return -1;
	return xdp_make_ring(w, &w->fill, &plans[0], &at.fr) ||
			       xdp_make_ring(w, &w->completed, &plans[1], &at.cr) ||
			       xdp_make_ring(w, &w->received, &plans[2], &at.rx) ||
			       xdp_make_ring(w, &w->sending, &plans[3], &at.tx)
		       ? -1
		       : 0;
}

/* --- opening --- */

static int xdp_register_memory(struct wire *w)
{
	struct xdp_umem_reg plan;

	w->memory_bytes = (size_t)(w->receive_chunks + SEND_CHUNKS) * w->chunk_bytes;
	w->memory = mmap(NULL, w->memory_bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (w->memory == MAP_FAILED) {
		w->memory = NULL;
		return -1;
	}
	plan = (struct xdp_umem_reg){ .addr = (uintptr_t)w->memory,
				      .len = w->memory_bytes,
				      .chunk_size = w->chunk_bytes };
	return setsockopt(w->fd, SOL_XDP, XDP_UMEM_REG, &plan, sizeof(plan));
}

static void xdp_share_chunks(struct wire *w)
{
	for (uint32_t i = 0; i < w->receive_chunks; i++)
		*ring_address(&w->fill, i) = (uint64_t)i * w->chunk_bytes;
	ring_added(&w->fill, w->receive_chunks);
	for (w->free_count = 0; w->free_count < SEND_CHUNKS; w->free_count++)
		w->free_chunks[w->free_count] =
			(uint64_t)(w->receive_chunks + w->free_count) * w->chunk_bytes;
}

/* From here on the program redirects frames to the socket. */
static int xdp_attach(struct wire *w)
{
	struct bpf_program *program;
	uint32_t queue = 0;

	w->object = bpf_object__open_mem(xdp_bpf, xdp_bpf_size, NULL);
	if (!w->object || bpf_object__load(w->object))
		return -1;
	program = bpf_object__find_program_by_name(w->object, "to_socket");
	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(w->object, "sockets"), &queue,
				&w->fd, 0))
		return -1;
	w->link = bpf_program__attach_xdp(program, w->index);
	return w->link ? 0 : -1;
}

static void ring_free(struct ring *r)
{
	if (r->map)
		munmap(r->map, r->map_bytes);
	r->map = NULL;
}

static void xdp_detach(struct wire *w)
{
	if (w->link)
		bpf_link__destroy(w->link);
	if (w->object)
		bpf_object__close(w->object);
	ring_free(&w->fill);
	ring_free(&w->completed);
	ring_free(&w->received);
	ring_free(&w->sending);
	if (w->fd >= 0)
		close(w->fd);
	if (w->memory)
		munmap(w->memory, w->memory_bytes);
	w->link = NULL;
	w->object = NULL;
	w->memory = NULL;
	w->fd = -1;
}

/* -1 with errno. */
static int xdp_configure(struct wire *w)
{
	struct sockaddr_xdp address = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY };
	int failed;

	w->index = (int)if_nametoindex(w->interface);
	if (w->index == 0)
		return -1;
	address.sxdp_ifindex = (uint32_t)w->index;
	w->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (w->fd < 0)
		return -1;
	if (xdp_register_memory(w) == 0 && xdp_make_rings(w) == 0) {
		xdp_share_chunks(w);
		if (bind(w->fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		    xdp_attach(w) == 0)
			return 0;
	}
	failed = errno;
	xdp_detach(w);
	errno = failed;
	return -1;
}

/* The smallest power of two that is not below count. */
static uint32_t xdp_round_up(uint32_t count)
{
	uint32_t power = 64;

	while (power < count)
		power *= 2;
	return power;
}

static void xdp_explain_failure(const struct wire *w, struct weir_error *e)
{
	if (errno == EPERM || errno == EACCES)
		weir_error_set(e, "%s: no permission for AF_XDP; run as root", w->interface);
	else if (errno == ENODEV)
		weir_error_set(e, "there is no interface %s here; 'ip link' names them",
			       weir_quote(w->interface).text);
	else
		weir_error_set(e,
			       "%s: AF_XDP failed: %s; backend = packet works with every interface",
			       w->interface, strerror(errno));
}

static struct wire *xdp_open(const struct wire_plan *plan, struct weir_error *e)
{
	struct wire *w = memory_zeroed(1, sizeof(*w));

	libbpf_set_print(xdp_print_nothing);
	w->fd = -1;
	w->receive_chunks = xdp_round_up(plan->ring_frames);
	w->chunk_bytes = plan->frame_bytes + KERNEL_ROOM <= CHUNK_SMALL ? CHUNK_SMALL : CHUNK_LARGE;
	w->flag_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (strlen(plan->interface) >= sizeof(w->interface)) {
		weir_error_set(e, "%s is no interface; names have at most %d letters",
			       weir_quote(plan->interface).text, IFNAMSIZ - 1);
	} else if (plan->frame_bytes + KERNEL_ROOM > CHUNK_LARGE) {
		weir_error_set(e, "AF_XDP supports frames of up to %d bytes; mtu is too large",
			       CHUNK_LARGE - KERNEL_ROOM);
	} else {
		strcpy(w->interface, plan->interface);
		if (xdp_configure(w) == 0)
			return w;
		xdp_explain_failure(w, e);
	}
	close(w->flag_fd);
	free(w);
	return NULL;
}

static void xdp_close(struct wire *w)
{
	xdp_detach(w);
	close(w->flag_fd);
	free(w);
}

static int xdp_descriptor(const struct wire *w)
{
	return w->fd;
}

/* --- receiving --- */

static int xdp_peek(struct wire *w, struct wire_frame *frame)
{
	const struct xdp_desc *d;

	if (w->fd < 0 || ring_waiting(&w->received) == 0)
		return 0;
	d = ring_frame(&w->received, *w->received.consumer);
	*frame = (struct wire_frame){ .data = w->memory + d->addr,
				      .length = d->len,
				      .captured = d->len };
	return 1;
}

/* Returns the chunk to the fill ring, which has a place for every chunk. */
static void xdp_release(struct wire *w)
{
	uint64_t address = ring_frame(&w->received, *w->received.consumer)->addr;

	ring_taken(&w->received, 1);
	*ring_address(&w->fill, *w->fill.producer) = address - address % w->chunk_bytes;
	ring_added(&w->fill, 1);
}

/* --- sending --- */

static void xdp_reclaim_sent(struct wire *w)
{
	uint32_t count = ring_waiting(&w->completed);

	for (uint32_t i = 0; i < count; i++)
		w->free_chunks[w->free_count++] =
			*ring_address(&w->completed, *w->completed.consumer + i);
	ring_taken(&w->completed, count);
}

/* Triggers transmission: the kernel sends a few frames per call. */
static enum wire_sending xdp_wake_kernel(const struct wire *w)
{
	for (int i = 0; i < KICKS_MAX && ring_room(&w->sending) <= w->sending.mask; i++) {
		if (sendto(w->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0 || errno == EAGAIN ||
		    errno == EINTR)
			continue;
		return errno == EBUSY || errno == ENOBUFS ? WIRE_LATER : WIRE_DOWN;
	}
	return WIRE_SENT;
}

static enum wire_sending xdp_send(struct wire *w, const struct wire_piece *pieces, uint32_t count,
				  uint32_t *sent)
{
	uint32_t room;
	enum wire_sending end;

	*sent = 0;
	if (w->fd < 0)
		return WIRE_DOWN;
	xdp_reclaim_sent(w);
	room = ring_room(&w->sending);
	for (; *sent < count && *sent < room && w->free_count; ++*sent) {
		uint64_t chunk = w->free_chunks[--w->free_count];

		memcpy(w->memory + chunk, pieces[*sent].data, pieces[*sent].length);
		*ring_frame(&w->sending, *w->sending.producer + *sent) =
			(struct xdp_desc){ .addr = chunk, .len = pieces[*sent].length };
	}
	ring_added(&w->sending, *sent);
	end = xdp_wake_kernel(w);
	/* Frames in the ring belong to the kernel and are sent when its buffer has room again. */
	return *sent < count && end == WIRE_SENT ? WIRE_LATER : end;
}

/* --- health --- */

static int xdp_link_is_up(const struct wire *w)
{
	struct ifreq request = { 0 };

	memcpy(request.ifr_name, w->interface, sizeof(w->interface));
	return ioctl(w->flag_fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_RUNNING;
}

static int xdp_check_link(struct wire *w)
{
	if (w->fd >= 0 && (int)if_nametoindex(w->interface) != w->index)
		xdp_detach(w);
	if (w->fd < 0 && xdp_configure(w))
		return 0;
	return xdp_link_is_up(w);
}

static void xdp_count(struct wire *w, struct wire_counts *counts)
{
	struct xdp_statistics stats = { 0 };
	socklen_t size = sizeof(stats);

	if (w->fd >= 0 && getsockopt(w->fd, SOL_XDP, XDP_STATISTICS, &stats, &size) == 0)
		w->lost_pkts =
			stats.rx_dropped + stats.rx_ring_full + stats.rx_fill_ring_empty_descs;
	counts->lost_pkts = w->lost_pkts;
}

#else

/* Built without clang and libbpf: the back-end is listed but cannot be opened. */
static struct wire *xdp_open(const struct wire_plan *plan, struct weir_error *e)
{
	weir_error_set(
		e,
		"%s: this weir was built without clang and libbpf (package libbpf-dev), which "
		"AF_XDP needs; backend = packet works with every interface",
		plan->interface);
	return NULL;
}
#endif

const struct wire_ops wire_xdp = {
	.name = "xdp",
	.help = "AF_XDP sockets, for interfaces whose driver runs XDP programs",
	.open = xdp_open,
#ifdef WEIR_HAS_BPF
	.close = xdp_close,
	.descriptor = xdp_descriptor,
	.peek = xdp_peek,
	.release = xdp_release,
	.send = xdp_send,
	.check_link = xdp_check_link,
	.count = xdp_count,
#endif
};
