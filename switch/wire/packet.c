/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.c -- back-end for every Linux interface: a packet socket (packet(7)) with a TPACKET_V2
 * receive ring in shared memory, and sendmmsg to send.
 *
 * TPACKET_V3 delivers frames in blocks, which adds up to a millisecond. The socket does not receive
 * what it sends (PACKET_IGNORE_OUTGOING) and bypasses the interface's queueing discipline
 * (PACKET_QDISC_BYPASS), because queueing is this switch's task. Promiscuous mode is a membership
 * of the socket and ends with it. The kernel strips a frame's outer VLAN tag and reports it in the
 * ring's header; it is put back in place, for which headroom is reserved before each frame. */
#define _GNU_SOURCE
#include "switch/wire/wire.h"
#include "base/memory.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TAG_BYTES = 4,
	ADDRESSES_BYTES = 12,
	BLOCK_BYTES_MIN = 1 << 16,
	SEND_MEMORY_BYTES = 4 << 20,
	NS_PER_S = 1000 * 1000 * 1000,
};

struct wire {
	char interface[IFNAMSIZ];
	uint32_t frame_bytes, ring_frames;
	int fd; /* -1: the interface is gone */
	int index;
	uint8_t *ring;
	size_t ring_bytes;
	uint32_t slot_bytes, slots_per_block, block_bytes;
	uint32_t next; /* next ring slot to read */
	uint64_t lost_pkts;
};

/* --- opening --- */

static int packet_set_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

/* Sets up and maps a ring with this many slots. */
static int packet_make_ring(struct wire *w)
{
	struct tpacket_req request;
	/* Alignment of the slot header plus some slack. */
	uint32_t bytes = (uint32_t)(sizeof(struct tpacket2_hdr) + sizeof(struct sockaddr_ll)) +
			 TAG_BYTES + w->frame_bytes + 4 * TPACKET_ALIGNMENT;
	uint32_t slot = (bytes + TPACKET_ALIGNMENT - 1) / TPACKET_ALIGNMENT * TPACKET_ALIGNMENT;
	uint32_t block = BLOCK_BYTES_MIN, blocks;
	int version = TPACKET_V2;

	while (block < 4 * slot)
		block *= 2;
	w->slot_bytes = slot;
	w->block_bytes = block;
	w->slots_per_block = block / slot;
	blocks = (w->ring_frames + w->slots_per_block - 1) / w->slots_per_block;
	w->ring_frames = blocks * w->slots_per_block;
	request = (struct tpacket_req){ block, blocks, slot, w->ring_frames };
	if (packet_set_option(w->fd, SOL_PACKET, PACKET_VERSION, version) ||
	    packet_set_option(w->fd, SOL_PACKET, PACKET_RESERVE, TAG_BYTES) ||
	    setsockopt(w->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)))
		return -1;
	w->ring_bytes = (size_t)block * blocks;
	w->ring = mmap(NULL, w->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (w->ring == MAP_FAILED) {
		w->ring = NULL;
		return -1;
	}
	w->next = 0;
	return 0;
}

/* Binds the socket to this interface in promiscuous mode. */
static int packet_attach(struct wire *w)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = w->index,
	};
	struct packet_mreq everything = { .mr_ifindex = w->index, .mr_type = PACKET_MR_PROMISC };

	return packet_set_option(w->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) ||
			       bind(w->fd, (struct sockaddr *)&address, sizeof(address)) ||
			       setsockopt(w->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &everything,
					  sizeof(everything))
		       ? -1
		       : 0;
}

static void packet_detach(struct wire *w)
{
	if (w->ring)
		munmap(w->ring, w->ring_bytes);
	if (w->fd >= 0)
		close(w->fd);
	w->ring = NULL;
	w->fd = -1;
}

/* -1 with errno. */
static int packet_configure(struct wire *w)
{
	int failed;

	w->index = (int)if_nametoindex(w->interface);
	if (w->index == 0)
		return -1;
	w->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (w->fd < 0)
		return -1;
	if (packet_make_ring(w) || packet_attach(w)) {
		failed = errno;
		packet_detach(w);
		errno = failed;
		return -1;
	}
	/* Best effort: without these options sending is only slower. */
	packet_set_option(w->fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1);
	if (packet_set_option(w->fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_MEMORY_BYTES))
		packet_set_option(w->fd, SOL_SOCKET, SO_SNDBUF, SEND_MEMORY_BYTES);
	return 0;
}

static struct wire *packet_open(const struct wire_plan *plan, struct weir_error *e)
{
	struct wire *w = memory_zeroed(1, sizeof(*w));

	w->fd = -1;
	w->frame_bytes = plan->frame_bytes;
	w->ring_frames = plan->ring_frames;
	if (strlen(plan->interface) >= sizeof(w->interface)) {
		weir_error_set(e, "%s is no interface; names have at most %d letters",
			       weir_quote(plan->interface).text, IFNAMSIZ - 1);
	} else {
		strcpy(w->interface, plan->interface);
		if (packet_configure(w) == 0)
			return w;
		if (errno == EPERM || errno == EACCES)
			weir_error_set(e,
				       "%s: no permission for a packet socket; run as root, or "
				       "with the capabilities CAP_NET_RAW and CAP_NET_ADMIN",
				       w->interface);
		else if (errno == ENODEV)
			weir_error_set(e, "there is no interface %s here; 'ip link' names them",
				       weir_quote(w->interface).text);
		else
			weir_error_set(e, "%s: cannot be opened: %s", w->interface,
				       strerror(errno));
	}
	free(w);
	return NULL;
}

static void packet_close(struct wire *w)
{
	packet_detach(w);
	free(w);
}

static int packet_descriptor(const struct wire *w)
{
	return w->fd;
}

/* --- receiving --- */

static struct tpacket2_hdr *packet_slot(const struct wire *w, uint32_t slot)
{
	size_t at = (size_t)(slot / w->slots_per_block) * w->block_bytes +
		    (size_t)(slot % w->slots_per_block) * w->slot_bytes;

	return (struct tpacket2_hdr *)(void *)(w->ring + at);
}

/* Reinserts the outer VLAN tag between addresses and EtherType by moving the addresses into the
 * reserved headroom. */
static uint8_t *packet_restore_tag(uint8_t *frame, const struct tpacket2_hdr *h)
{
	uint16_t type = h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->tp_vlan_tpid : ETH_P_8021Q;
	uint8_t *moved = frame - TAG_BYTES;

	memmove(moved, frame, ADDRESSES_BYTES);
	moved[ADDRESSES_BYTES] = (uint8_t)(type >> 8);
	moved[ADDRESSES_BYTES + 1] = (uint8_t)type;
	moved[ADDRESSES_BYTES + 2] = (uint8_t)(h->tp_vlan_tci >> 8);
	moved[ADDRESSES_BYTES + 3] = (uint8_t)h->tp_vlan_tci;
	return moved;
}

static int packet_peek(struct wire *w, struct wire_frame *frame)
{
	struct tpacket2_hdr *h;
	uint32_t status;
	uint8_t *data;

	if (!w->ring)
		return 0;
	h = packet_slot(w, w->next);
	status = __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE);
	if (!(status & TP_STATUS_USER))
		return 0;
	data = (uint8_t *)h + h->tp_mac;
	frame->length = h->tp_len;
	frame->captured = h->tp_snaplen;
	if (status & TP_STATUS_VLAN_VALID && h->tp_snaplen >= ADDRESSES_BYTES) {
		data = packet_restore_tag(data, h);
		frame->length += TAG_BYTES;
		frame->captured += TAG_BYTES;
	}
	frame->data = data;
	frame->needs_checksum = (status & TP_STATUS_CSUMNOTREADY) != 0;
	frame->time_ns = (int64_t)h->tp_sec * NS_PER_S + h->tp_nsec;
	return 1;
}

static void packet_release(struct wire *w)
{
	struct tpacket2_hdr *h = packet_slot(w, w->next);

	__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	w->next = w->next + 1 < w->ring_frames ? w->next + 1 : 0;
}

/* --- sending --- */

static enum wire_sending packet_send(struct wire *w, const struct wire_piece *pieces,
				     uint32_t count, uint32_t *sent)
{
	struct mmsghdr messages[WIRE_PIECES_MAX];
	struct iovec parts[WIRE_PIECES_MAX];
	int done;

	*sent = 0;
	if (w->fd < 0)
		return WIRE_DOWN;
	if (count > WIRE_PIECES_MAX)
		count = WIRE_PIECES_MAX;
	memset(messages, 0, count * sizeof(messages[0]));
	for (uint32_t i = 0; i < count; i++) {
		parts[i] = (struct iovec){ (void *)pieces[i].data, pieces[i].length };
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	done = sendmmsg(w->fd, messages, count, MSG_DONTWAIT);
	if (done < 0)
		return errno == EAGAIN || errno == ENOBUFS || errno == EINTR ? WIRE_LATER
									     : WIRE_DOWN;
	*sent = (uint32_t)done;
	return WIRE_SENT;
}

/* --- health --- */

static int packet_link_is_up(const struct wire *w)
{
	struct ifreq request = { 0 };
	socklen_t size = sizeof(int);
	int seen;

	/* SO_ERROR is reported once and makes poll return at once until it is read. */
	getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &seen, &size);
	memcpy(request.ifr_name, w->interface, sizeof(w->interface));
	return ioctl(w->fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_RUNNING;
}

static int packet_check_link(struct wire *w)
{
	/* A new interface may have the same name by now. */
	if (w->fd >= 0 && (int)if_nametoindex(w->interface) != w->index)
		packet_detach(w);
	if (w->fd < 0 && packet_configure(w))
		return 0;
	return packet_link_is_up(w);
}

static void packet_count(struct wire *w, struct wire_counts *counts)
{
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);

	/* Reading the statistics resets them. */
	if (w->fd >= 0 && getsockopt(w->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0)
		w->lost_pkts += stats.tp_drops;
	counts->lost_pkts = w->lost_pkts;
}

const struct wire_ops wire_packet = {
	.name = "packet",
	.help = "packet sockets of Linux, for every kind of interface",
	.open = packet_open,
	.close = packet_close,
	.descriptor = packet_descriptor,
	.peek = packet_peek,
	.release = packet_release,
	.send = packet_send,
	.check_link = packet_check_link,
	.count = packet_count,
};
