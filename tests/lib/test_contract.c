/* SPDX-License-Identifier: BSD-3-Clause */
/* test_contract.c -- what every marking scheme must obey, whatever its options: driven through a
 * port with traffic that swings between idle and full. The scheme's own tests say what it marks;
 * these say what it must never do. */
#include "tests/port_fixture.h"
#include "weir/rng.h"
#include <fenv.h>
#include <stdio.h>

enum { FLOWS = 40, POOL_BYTES = 400 * 1000, PACKETS = 4000, QUEUES = 8 };

/* A port as the scheme wants it. */
struct contract {
	struct fixture fixture;
	struct fixture_params params;
	struct weir_shared_buffer pool;
};

static void contract_open(struct contract *c, const struct weir_mark_ops *ops, const void *params,
			  uint64_t seed)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_mark_layout own = { .queues = 1, .scheduler = "fifo" };
	struct weir_error e = { "" };
	uint32_t needs = weir_mark_needs(ops, params);

	memset(c, 0, sizeof(*c));
	memcpy(c->params.mark, params, sizeof(c->params.mark));
	if (ops->layout)
		ops->layout(params, &own);
	else if (needs & WEIR_MARK_NEEDS_ROUNDS)
		own = (struct weir_mark_layout){ .queues = QUEUES, .scheduler = "dwrr" };
	plan.queues = own.queues;
	plan.rtt_ns = 100 * 1000;
	plan.mark = ops;
	plan.mark_params = c->params.mark;
	if (weir_sched_parse(own.scheduler, own.queues, &plan.sched, c->params.sched, &e))
		test_fail(__FILE__, __LINE__, "%s: %s", ops->scheme.name, e.text);
	plan.sched_params = c->params.sched;
	if (needs & WEIR_MARK_NEEDS_SHARED_BUFFER)
		fixture_limit(&plan, WEIR_BUFFER_PER_SWITCH, POOL_BYTES);
	else
		fixture_limit(&plan, WEIR_BUFFER_PER_PORT, POOL_BYTES);
	CHECK_INT(weir_packet_store_init(&c->fixture.store, 1 << 12), 0);
	weir_packet_pool_init(&c->fixture.pool, &c->fixture.store);
	weir_port_class_init(&c->fixture.class, &plan);
	c->fixture.port = aligned_alloc(64, (c->fixture.class.size + 63) & ~UINT32_C(63));
	CHECK(c->fixture.port != NULL);
	memset(c->fixture.port, 0, c->fixture.class.size);
	weir_port_init(c->fixture.port, &c->fixture.class,
		       needs & WEIR_MARK_NEEDS_SHARED_BUFFER ? &c->pool : NULL, seed);
}

static void contract_close(struct contract *c)
{
	fixture_close(&c->fixture);
}

/* A mark is for a reason that the scheme has named. */
static void check_reasons(const struct contract *c, const struct weir_mark_ops *ops)
{
	for (int i = 0; i < WEIR_MARK_REASONS; i++)
		CHECK(c->fixture.port->cold->marks[i] == 0 || ops->reasons[i] != NULL);
}

/* Traffic: a random walk of the load, flows that come and go, frames of all sizes, pauses up to a
 * second. ect 0: no packet is ECN-capable. */
struct traffic {
	struct weir_rng rng;
	int64_t now_ps;
	uint32_t flows, busy;
	uint8_t ect;
};

static void next_phase(struct traffic *t)
{
	static const int64_t pauses_ps[] = { 0, 1000 * 1000, 1000 * 1000 * 1000, WEIR_PS_PER_S };

	t->busy = (uint32_t)weir_rng_below(&t->rng, 4);
	t->flows = 1 + (uint32_t)weir_rng_below(&t->rng, FLOWS);
	if (t->busy == 0)
		t->now_ps += pauses_ps[weir_rng_below(&t->rng, 4)];
}

static struct weir_packet next_packet(struct traffic *t, const struct weir_port_class *c)
{
	uint32_t flow = (uint32_t)weir_rng_below(&t->rng, t->flows);
	int64_t wire_ps = weir_port_wire_ps(c, 1514);

	if (weir_rng_below(&t->rng, 300) == 0)
		next_phase(t);
	t->now_ps += t->busy < 2   ? 2 * wire_ps
		     : t->busy < 3 ? wire_ps
				   : (int64_t)weir_rng_below(&t->rng, (uint64_t)wire_ps);
	return (struct weir_packet){
		.flow_hash = (uint32_t)weir_mix64(flow + 1),
		.bytes =
			(uint16_t)(weir_rng_below(&t->rng, 4) ? 1514
							      : 64 + weir_rng_below(&t->rng, 1451)),
		.class_id = (uint8_t)(flow % QUEUES),
		.flags = t->ect,
	};
}

/* Drives the port; returns a digest of every mark, drop and length on the way. */
static uint64_t drive(struct contract *c, struct traffic *t, uint32_t packets)
{
	uint64_t digest = 0;

	for (uint32_t i = 0; i < packets; i++) {
		struct weir_packet packet = next_packet(t, &c->fixture.class);
		int answer = fixture_offer(&c->fixture, &packet, t->now_ps);

		digest = weir_hash64(digest, (uint64_t)answer << 32 | packet.flags);
		digest = weir_hash64(digest, (uint64_t)c->fixture.port->bytes << 32 |
						     (uint32_t)c->fixture.port->cold->marks[0]);
	}
	return digest;
}

static uint64_t drive_alone(const struct weir_mark_ops *ops, const void *params, uint8_t ect)
{
	struct contract c;
	struct traffic t = { .rng = weir_rng_make(7, 0, WEIR_RNG_TEST),
			     .flows = FLOWS,
			     .ect = ect };
	uint64_t digest;

	contract_open(&c, ops, params, 5);
	digest = drive(&c, &t, PACKETS);
	check_reasons(&c, ops);
	contract_close(&c);
	return digest;
}

static uint64_t all_marks(const struct contract *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < WEIR_MARK_REASONS; i++)
		sum += c->fixture.port->cold->marks[i];
	return sum;
}

/* Calls a check for every scheme with its default options. */
static void for_all(void (*check)(const struct weir_mark_ops *, const void *))
{
	for (size_t i = 0; weir_mark_all[i]; i++) {
		_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };
		const struct weir_mark_ops *ops;
		struct weir_error e = { "" };

		if (weir_mark_parse(weir_mark_all[i]->scheme.name, &ops, params, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
		check(ops, params);
	}
}

static void check_marks_only_capable(const struct weir_mark_ops *ops, const void *params)
{
	struct contract c;
	struct traffic t = { .rng = weir_rng_make(7, 0, WEIR_RNG_TEST), .flows = FLOWS, .ect = 0 };

	contract_open(&c, ops, params, 5);
	drive(&c, &t, PACKETS);
	CHECK_INT(all_marks(&c), 0);
	contract_close(&c);
	t = (struct traffic){ .rng = weir_rng_make(7, 0, WEIR_RNG_TEST),
			      .flows = FLOWS,
			      .ect = WEIR_PACKET_ECT };
	contract_open(&c, ops, params, 5);
	drive(&c, &t, 10 * PACKETS);
	if ((all_marks(&c) > 0) == (strcmp(ops->scheme.name, "none") == 0))
		test_fail(__FILE__, __LINE__, "%s marked %llu packets", ops->scheme.name,
			  (unsigned long long)all_marks(&c));
	contract_close(&c);
}

TEST(test_every_scheme_marks_and_only_what_is_ecn_capable)
{
	for_all(check_marks_only_capable);
}

static void check_deterministic(const struct weir_mark_ops *ops, const void *params)
{
	uint64_t first = drive_alone(ops, params, WEIR_PACKET_ECT);

	if (drive_alone(ops, params, WEIR_PACKET_ECT) != first)
		test_fail(__FILE__, __LINE__, "%s: two runs differ", ops->scheme.name);
}

TEST(test_every_scheme_gives_the_same_twice)
{
	for_all(check_deterministic);
}

/* Two ports of one class, packets for both in turn: each sees what it would see alone. */
static void check_no_leak(const struct weir_mark_ops *ops, const void *params)
{
	struct contract a, b;
	struct traffic ta = { .rng = weir_rng_make(7, 0, WEIR_RNG_TEST),
			      .flows = FLOWS,
			      .ect = WEIR_PACKET_ECT };
	struct traffic tb = { .rng = weir_rng_make(8, 0, WEIR_RNG_TEST),
			      .flows = FLOWS,
			      .ect = WEIR_PACKET_ECT };
	uint64_t digest = 0, alone = 0;

	contract_open(&a, ops, params, 5);
	contract_open(&b, ops, params, 6);
	for (uint32_t i = 0; i < PACKETS / 10; i++) {
		digest = weir_hash64(digest, drive(&a, &ta, 10));
		drive(&b, &tb, 10);
	}
	contract_close(&a);
	contract_close(&b);
	ta = (struct traffic){ .rng = weir_rng_make(7, 0, WEIR_RNG_TEST),
			       .flows = FLOWS,
			       .ect = WEIR_PACKET_ECT };
	contract_open(&a, ops, params, 5);
	for (uint32_t i = 0; i < PACKETS / 10; i++)
		alone = weir_hash64(alone, drive(&a, &ta, 10));
	contract_close(&a);
	if (digest != alone)
		test_fail(__FILE__, __LINE__, "%s: one port's state leaks into another's",
			  ops->scheme.name);
}

TEST(test_no_state_leaks_between_ports)
{
	for_all(check_no_leak);
}

/* Arithmetic in floating point is almost never exact; integers never raise the flag. */
static void check_integers_only(const struct weir_mark_ops *ops, const void *params)
{
	struct contract c;
	struct traffic t = { .rng = weir_rng_make(7, 0, WEIR_RNG_TEST),
			     .flows = FLOWS,
			     .ect = WEIR_PACKET_ECT };

	contract_open(&c, ops, params, 5);
	feclearexcept(FE_ALL_EXCEPT);
	drive(&c, &t, 10 * PACKETS);
	if (fetestexcept(FE_INEXACT))
		test_fail(__FILE__, __LINE__, "%s calculates in floating point", ops->scheme.name);
	contract_close(&c);
}

TEST(test_no_scheme_uses_floating_point_per_packet)
{
	for_all(check_integers_only);
}

/* --- extremes --- */

/* The n-th extreme of an option goes into params; 0 when there is none. */
static int set_extreme(const struct weir_option *o, unsigned char *params, uint32_t n)
{
	uint64_t *value = (uint64_t *)(void *)(params + o->offset);
	struct weir_span_ps *span = (struct weir_span_ps *)(void *)(params + o->offset);
	const uint64_t ends[] = { o->min, o->max };

	switch (o->type) {
	case WEIR_OPT_TEXT:
	case WEIR_OPT_SCHEME:
	case WEIR_OPT_FILE:
	case WEIR_OPT_SELECTOR:
	case WEIR_OPT_WEIGHTS:
		return 0;
	case WEIR_OPT_FLAG:
		*value = n;
		return n < 2;
	case WEIR_OPT_CHOICE:
		*value = n;
		return o->choices[n] != NULL;
	case WEIR_OPT_SPAN_PS:
		if (n < 3)
			*span = (struct weir_span_ps){ (int64_t)ends[n / 2],
						       (int64_t)ends[(n + 1) / 2] };
		return n < 3;
	case WEIR_OPT_LENGTH:
		*value = ends[n % 2] | (n < 2 ? 0 : WEIR_LENGTH_IN_PACKETS);
		return n < 4;
	default:
		*value = ends[n % 2];
		return n < 2;
	}
}

/* Where the scheme accepts these options, it must survive them. */
static uint32_t try_params(const struct weir_mark_ops *ops, const unsigned char *params)
{
	struct weir_error e = { "" };

	if (ops->scheme.check && ops->scheme.check(params, &e)) {
		CHECK(e.text[0]);
		return 0;
	}
	drive_alone(ops, params, WEIR_PACKET_ECT);
	return 1;
}

static void check_extremes(const struct weir_mark_ops *ops, const void *defaults)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX], other[WEIR_SPEC_PARAMS_MAX];
	uint32_t tried = 0, options = 0;

	for (const struct weir_option *o = ops->scheme.options; o && o->name; o++, options++) {
		for (uint32_t n = 0;; n++) {
			memcpy(params, defaults, sizeof(params));
			if (!set_extreme(o, params, n))
				break;
			tried += try_params(ops, params);
			/* and with each extreme of each other option */
			for (const struct weir_option *p = o + 1; p->name; p++) {
				memcpy(other, params, sizeof(other));
				for (uint32_t m = 0; set_extreme(p, other, m); m++)
					tried += try_params(ops, other);
			}
		}
	}
	CHECK(tried >= options);
}

TEST(test_every_scheme_survives_the_extremes_of_its_options)
{
	for_all(check_extremes);
}
