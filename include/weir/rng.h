/* SPDX-License-Identifier: BSD-3-Clause */
/* rng.h -- random numbers, one generator per owner and purpose.
 *
 * A generator is seeded from (scenario seed, owner, purpose), so that adding a probe, a port or a
 * thread leaves all other streams unchanged. SplitMix64: 64 bits of state, passes BigCrush, every
 * state is valid. A generator belongs to one thread at a time. */
#ifndef WEIR_RNG_H
#define WEIR_RNG_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_rng {
	uint64_t state;
};

/* The finaliser of SplitMix64, a bijection on 64 bits; also the project's integer hash. */
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

/* The purpose of a stream, which is part of its seed. Values are fixed: results depend on them. */
enum weir_rng_purpose {
	WEIR_RNG_MARKING = 1,
	WEIR_RNG_TRAFFIC,
	WEIR_RNG_ROUTE,
	WEIR_RNG_START,
	WEIR_RNG_TEST,
	WEIR_RNG_FABRIC,
	WEIR_RNG_TUNING,
	WEIR_RNG_CONNECTION,
	WEIR_RNG_JITTER,
	WEIR_RNG_COMPUTE
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

/* Equivalent to n draws, in O(1). */
static inline void weir_rng_skip(struct weir_rng *r, uint64_t n)
{
	r->state += n * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t weir_rng_u32(struct weir_rng *r)
{
	return (uint32_t)(weir_rng_u64(r) >> 32);
}

/* Uniform in [0, n), n > 0; by multiplication, with a bias below n/2^64. */
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
