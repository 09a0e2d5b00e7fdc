/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.h -- random numbers, one generator per owner.
 *
 * A generator is seeded from (scenario seed, owner, purpose), so that adding a probe, a port or a
 * thread changes nobody else's numbers. SplitMix64: 64 bits of state, passes BigCrush, and any
 * state is a good state. */
#ifndef WEIR_RNG_H
#define WEIR_RNG_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_rng {
	uint64_t state;
};

/* A bijective 64-bit mixer (the finaliser of SplitMix64): also the project's integer hash. */
static inline uint64_t weir_mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t weir_hash64(uint64_t a, uint64_t b)
{
	return weir_mix64(weir_mix64(a + UINT64_C(0x9e3779b97f4a7c15)) ^
			  (b * UINT64_C(0xd6e8feb86659fd93)));
}

/* What a stream is for; part of its seed. */
enum weir_rng_purpose {
	WEIR_RNG_MARKING = 1,
	WEIR_RNG_TRAFFIC,
	WEIR_RNG_ROUTE,
	WEIR_RNG_START,
	WEIR_RNG_TEST,
	WEIR_RNG_FABRIC,
	WEIR_RNG_TUNING,
	WEIR_RNG_CONNECTION,
	WEIR_RNG_JITTER
};

static inline struct weir_rng weir_rng_make(uint64_t seed, uint64_t owner,
					    enum weir_rng_purpose purpose)
{
	struct weir_rng r = { weir_hash64(weir_hash64(seed, owner), (uint64_t)purpose) };

	return r;
}

static inline uint64_t weir_rng_u64(struct weir_rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return weir_mix64(r->state);
}

/* As if n numbers had been drawn. */
static inline void weir_rng_skip(struct weir_rng *r, uint64_t n)
{
	r->state += n * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t weir_rng_u32(struct weir_rng *r)
{
	return (uint32_t)(weir_rng_u64(r) >> 32);
}

/* 0 <= result < n, n > 0; by multiplication, bias below n/2^64. */
static inline uint64_t weir_rng_below(struct weir_rng *r, uint64_t n)
{
	return (uint64_t)(((weir_u128)weir_rng_u64(r) * n) >> 64);
}

/* Uniform in [0, 1): for workloads, never per packet. */
static inline double weir_rng_unit(struct weir_rng *r)
{
	return (double)(weir_rng_u64(r) >> 11) * 0x1p-53;
}

WEIR_END
#endif
