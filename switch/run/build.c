/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c -- builds the planes of a switch from its settings. Contract in settings.h. */
#include "switch/run/loop.h"
#include "base/memory.h"
#include "weir/units.h"

/* Round trip through one port: serialisation of a full packet and of its acknowledgement, and the
 * delay both ways. */
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
