/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c -- builds planes from settings, opens interfaces, divides ports into groups, and passes
 * frames between threads. Contract in loop.h. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/loop.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int64_t loop_now_ps(const struct loop *l)
{
	return weir_ns_to_ps(clock_ns() - l->start_ns);
}

/* --- rings between threads --- */

_Static_assert((HANDOVER_SLOTS & (HANDOVER_SLOTS - 1)) == 0, "counts may pass 2^32");

struct handover *handover_new(uint32_t frame_bytes)
{
	struct handover *h = memory_new(1, sizeof(*h));

	h->slot_bytes = (sizeof(struct handed) + frame_bytes + HANDOVER_ALIGN - 1) &
			~(size_t)(HANDOVER_ALIGN - 1);
	h->slots = memory_new(HANDOVER_SLOTS, h->slot_bytes);
	return h;
}

void handover_free(struct handover *h)
{
	if (!h)
		return;
	memory_free(h->slots, HANDOVER_SLOTS, h->slot_bytes);
	memory_free(h, 1, sizeof(*h));
}

static struct handed *handover_slot(const struct handover *h, uint32_t number)
{
	return (struct handed *)(void *)(h->slots + number % HANDOVER_SLOTS * h->slot_bytes);
}

struct handed *handover_room(struct handover *h)
{
	uint32_t put = atomic_load_explicit(&h->put, memory_order_relaxed);

	if (put - atomic_load_explicit(&h->taken, memory_order_acquire) == HANDOVER_SLOTS)
		return NULL;
	return handover_slot(h, put);
}

/* Sequentially consistent with the consumer's sleeps flag (turn.c): either the consumer sees the
 * frame before it sleeps, or the producer sees that it sleeps and wakes it. */
void handover_put(struct handover *h)
{
	atomic_store(&h->put, atomic_load_explicit(&h->put, memory_order_relaxed) + 1);
}

const struct handed *handover_first(struct handover *h)
{
	uint32_t taken = atomic_load_explicit(&h->taken, memory_order_relaxed);

	return atomic_load(&h->put) == taken ? NULL : handover_slot(h, taken);
}

void handover_take(struct handover *h)
{
	uint32_t taken = atomic_load_explicit(&h->taken, memory_order_relaxed);

	atomic_store_explicit(&h->taken, taken + 1, memory_order_release);
}

/* --- between groups --- */

static void handover_fill(struct handed *h, const struct plane_arrival *a,
			  const struct frame_facts *f)
{
	h->time_ps = a->time_ps;
	h->length = a->length;
	h->needs_checksum = a->needs_checksum;
	h->facts = *f;
	if (a->length)
		memcpy(h->data, a->frame, a->length);
}

/* plane_others.hand_over: the context is the sending group. */
static uint32_t loop_give_frame(void *context, uint64_t ports, uint32_t in,
				const struct plane_arrival *a, const struct frame_facts *f)
{
	struct loop_group *from = context;
	uint32_t lost = 0;

	for (uint32_t i = 0; i < from->loop->group_count; i++) {
		struct loop_group *to = &from->loop->groups[i];
		uint64_t leaves = ports & to->ports;
		struct handed *h = leaves ? handover_room(to->from[from->number]) : NULL;

		if (!h) {
			lost += (uint32_t)__builtin_popcountll(leaves);
			continue;
		}
		h->ports = leaves;
		h->in = in;
		handover_fill(h, a, f);
		handover_put(to->from[from->number]);
		from->given |= UINT64_C(1) << i;
	}
	return lost;
}

static int loop_give_address(void *context, uint64_t address, uint32_t port, int64_t now_ps)
{
	const struct plane_arrival nothing = { .time_ps = now_ps };
	const struct frame_facts facts = { .from = address };
	struct loop_group *from = context;
	int told = 0;

	for (uint32_t i = 0; i < from->loop->group_count; i++) {
		struct handover *to = from->loop->groups[i].from[from->number];
		struct handed *h = to ? handover_room(to) : NULL;

		if (to && !h)
			told = -1;
		if (!h)
			continue;
		h->ports = 0;
		h->in = port;
		handover_fill(h, &nothing, &facts);
		handover_put(to);
		from->given |= UINT64_C(1) << i;
	}
	return told;
}

/* --- construction --- */

static uint32_t loop_frame_bytes(const struct switch_settings *s)
{
	return (uint32_t)s->real.mtu_bytes + FRAME_HEADER_BYTES + FRAME_TAGS_MAX * FRAME_TAG_BYTES;
}

static int loop_open_wires(struct loop *l, struct weir_error *e)
{
	const struct switch_settings *s = l->settings;

	for (uint32_t i = 0; i < s->port_count; i++) {
		struct wire_plan plan = {
			.interface = s->ports[i].interface,
			.frame_bytes = loop_frame_bytes(s),
			.ring_frames = (uint32_t)s->real.ring_frames,
		};

		l->is_up[i] = 1;
		if (s->ports[i].peer_plus_one)
			continue;
		l->wires[i] = s->backend->open(&plan, e);
		if (!l->wires[i])
			return weir_error_prefix(e, "port.%s: ", s->ports[i].name);
		l->is_up[i] = s->backend->check_link(l->wires[i]);
	}
	return 0;
}

/* Ports that are adjacent in the file share a group. */
static void loop_divide_ports(struct loop *l)
{
	const struct switch_settings *s = l->settings;

	l->group_count = (uint32_t)s->real.threads;
	l->groups = memory_new(l->group_count, sizeof(*l->groups));
	for (uint32_t i = 0; i < l->group_count; i++) {
		l->groups[i].loop = l;
		l->groups[i].number = i;
		l->groups[i].wake_fd = -1;
	}
	for (uint32_t i = 0; i < s->port_count; i++) {
		l->group_of[i] = (uint8_t)(i * l->group_count / s->port_count);
		l->groups[l->group_of[i]].ports |= UINT64_C(1) << i;
	}
}

static int loop_open_group(struct loop *l, struct loop_group *g, struct weir_error *e)
{
	const struct real_settings *real = &l->settings->real;
	struct settings_share share = {
		.own = g->ports,
		.buffers = (uint32_t)(real->buffers / l->group_count +
				      (g->number < real->buffers % l->group_count)),
	};

	if (l->group_count > 1) {
		share.others = (struct plane_others){ g, loop_give_frame, loop_give_address };
		g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (g->wake_fd < 0)
			return weir_error_set(e, "eventfd failed: %s", strerror(errno));
	}
	for (uint32_t i = 0; i < l->group_count; i++)
		if (i != g->number)
			g->from[i] = handover_new(loop_frame_bytes(l->settings));
	g->plane = settings_plane(l->settings, l->tuning, &share);
	return 0;
}

int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e)
{
	int failed;

	memset(l, 0, sizeof(*l));
	l->settings = s;
	loop_divide_ports(l);
	failed = loop_open_wires(l, e);
	if (!failed)
		l->tuning = tuning_new(s);
	for (uint32_t i = 0; i < l->group_count && !failed; i++)
		failed = loop_open_group(l, &l->groups[i], e);
	/* An agent requires a single group: see checks.c. */
	if (failed || tuning_start(l->tuning, l->groups[0].plane, e)) {
		loop_close(l);
		return -1;
	}
	records_open(&l->records, s);
	l->start_ns = clock_ns();
	for (uint32_t i = 0; i < l->group_count; i++)
		l->groups[i].link_checked_ns = l->start_ns;
	return 0;
}

static void loop_close_group(struct loop_group *g)
{
	for (uint32_t i = 0; i < REAL_THREADS_MAX; i++)
		handover_free(g->from[i]);
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	plane_free(g->plane);
}

void loop_close(struct loop *l)
{
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (l->wires[i])
			l->settings->backend->close(l->wires[i]);
	records_close(&l->records);
	for (uint32_t i = 0; i < l->group_count; i++)
		loop_close_group(&l->groups[i]);
	memory_free(l->groups, l->group_count, sizeof(*l->groups));
	tuning_free(l->tuning);
	memset(l, 0, sizeof(*l));
}

/* --- observation --- */

struct plane *loop_plane(const struct loop *l, uint32_t port)
{
	return l->groups[l->group_of[port]].plane;
}

struct plane_port *loop_port(const struct loop *l, uint32_t port)
{
	return plane_port(loop_plane(l, port), port);
}

uint64_t loop_faults(const struct loop *l, uint32_t port, enum plane_fault fault)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < l->group_count; i++)
		sum += plane_port(l->groups[i].plane, port)->counts.faults[fault];
	return sum;
}

uint64_t loop_lost_pkts(const struct loop *l, uint32_t port)
{
	struct wire_counts wire = { 0 };

	if (l->wires[port])
		l->settings->backend->count(l->wires[port], &wire);
	return wire.lost_pkts;
}

int64_t loop_done_ps(const struct loop *l)
{
	int64_t done_ps = plane_now_ps(l->groups[0].plane);

	for (uint32_t i = 1; i < l->group_count; i++)
		if (plane_now_ps(l->groups[i].plane) < done_ps)
			done_ps = plane_now_ps(l->groups[i].plane);
	return done_ps;
}

void loop_measure(struct loop *l)
{
	for (uint32_t i = 0; i < l->group_count; i++)
		plane_measure(l->groups[i].plane);
}

void loop_account(struct loop *l)
{
	for (uint32_t i = 0; i < l->group_count; i++)
		plane_account(l->groups[i].plane);
}

/* --- planes from settings --- */

/* Round trip through one port: serialisation delay of a full packet and of its acknowledgement, and
 * twice the propagation delay. */
static int64_t build_trip_ps(const struct port_settings *p, uint32_t frame_bytes)
{
	uint64_t per_byte_q20 = weir_bps_to_ps_per_byte_q20(p->rate_bps);

	return (int64_t)p->delay_ps + weir_bytes_to_ps(frame_bytes, per_byte_q20) +
	       weir_bytes_to_ps(WEIR_ETHERNET_MIN_FRAME_BYTES, per_byte_q20);
}

/* Base RTT for the schemes: a packet leaves by one port and its acknowledgement by another, so the
 * two slowest ports determine it. */
static int64_t build_base_rtt_ns(const struct switch_settings *s)
{
	int64_t longest_ps = 0, second_ps = 0;

	if (s->real.rtt_ns)
		return (int64_t)s->real.rtt_ns;
	for (uint32_t i = 0; i < s->port_count; i++) {
		int64_t ps = build_trip_ps(&s->ports[i], s->config.frame_max_bytes);

		if (ps > longest_ps) {
			second_ps = longest_ps;
			longest_ps = ps;
		} else if (ps > second_ps) {
			second_ps = ps;
		}
	}
	return weir_ps_to_ns(longest_ps + second_ps);
}

static struct weir_port_plan build_port_plan(const struct port_settings *p, int64_t rtt_ns)
{
	const struct config *c = &p->config;
	struct weir_port_plan plan = {
		.rate_bps = p->rate_bps,
		.rtt_ns = rtt_ns,
		.queues = c->queues,
		.mark = c->mark,
		.mark_params = c->mark_params,
		.sched = c->sched,
		.sched_params = c->sched_params,
		.pass_not_ect = (uint32_t)c->switches.non_ect,
		.mtu_bytes = c->frame_max_bytes,
	};

	if (c->switches.ethernet_overhead) {
		plan.overhead_bytes = WEIR_ETHERNET_OVERHEAD_BYTES;
		plan.min_bytes = WEIR_ETHERNET_MIN_FRAME_BYTES;
	}
	weir_buffer_params_init(&plan.buffer, (enum weir_buffer_scope)c->switches.buffer_per,
				c->switches.buffer, c->switches.dt_alpha_q32);
	return plan;
}

static void build_add_addresses(const struct switch_settings *s, struct plane *plane)
{
	for (uint32_t i = 0; i < s->port_count; i++)
		for (uint32_t k = 0; k < s->ports[i].addresses.count; k++) {
			uint64_t address;

			frame_address(s->ports[i].addresses.lines[k].text, &address);
			plane_add_address(plane, address, i);
		}
}

struct plane *settings_plane(const struct switch_settings *s, struct tuning *tuning,
			     const struct settings_share *share)
{
	struct plane_port_plan *ports = memory_new(s->port_count, sizeof(*ports));
	int64_t rtt_ns = build_base_rtt_ns(s);
	struct plane_plan plan = {
		.seed = s->seed,
		.port_count = s->port_count,
		.ports = ports,
		.buffers = share->buffers,
		.mtu_bytes = (uint32_t)s->real.mtu_bytes,
		.learns = s->real.learn != 0,
		.unknown = (enum plane_unknown)s->real.unknown,
		.age_ps = (int64_t)s->real.age_ps,
		.catch_up_ps = (int64_t)s->real.catch_up_ps,
		.shared_buffer = s->config.switches.buffer_per == WEIR_BUFFER_PER_SWITCH,
		.own = share->own,
		.others = share->others,
	};
	struct plane *plane;

	for (uint32_t i = 0; i < PLANE_DSCPS; i++)
		plan.class_of_dscp[i] = s->class_of_dscp[i];
	for (uint32_t i = 0; i < s->port_count; i++)
		ports[i] = (struct plane_port_plan){
			.name = s->ports[i].name,
			.plan = build_port_plan(&s->ports[i], rtt_ns),
			.delay_ps = (int64_t)s->ports[i].delay_ps,
			.part = s->ports[i].part_number,
			.peer_plus_one = s->ports[i].peer_plus_one,
		};
	for (uint32_t i = 0; i < s->port_count; i++)
		tuning_plan(tuning, i, &ports[i].plan);
	plane = plane_new(&plan);
	memory_free(ports, s->port_count, sizeof(*ports));
	build_add_addresses(s, plane);
	return plane;
}
