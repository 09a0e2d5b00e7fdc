/* rng.h -- random numbers, one generator per owner.
 *
 * A generator is seeded from (scenario seed, owner, purpose), so that adding a probe, a port or a
 * thread changes nobody else's numbers. SplitMix64: 64 bits of state, passes BigCrush, and any
 * state is a good state. */
#ifndef WEIR_RNG_H
#define WEIR_RNG_H
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* A bijective 64-bit mixer (the finaliser of SplitMix64): also the project's integer hash. */
static inline uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static inline uint64_t hash64(uint64_t a, uint64_t b)
{
	return mix64(mix64(a + UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xd6e8feb86659fd93)));
}

/* What a stream is for; part of its seed. */
enum rng_purpose { RNG_MARKING = 1, RNG_TRAFFIC, RNG_ROUTE, RNG_START, RNG_TEST, RNG_FABRIC };

static inline struct rng rng_make(uint64_t seed, uint64_t owner, enum rng_purpose purpose)
{
	return (struct rng){ hash64(hash64(seed, owner), (uint64_t)purpose) };
}

static inline uint64_t rng_u64(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return mix64(r->state);
}

/* As if n numbers had been drawn. */
static inline void rng_skip(struct rng *r, uint64_t n)
{
	r->state += n * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t rng_u32(struct rng *r)
{
	return (uint32_t)(rng_u64(r) >> 32);
}

/* 0 <= result < n, n > 0; by multiplication, bias below n/2^64. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)(((wide)rng_u64(r) * n) >> 64);
}

/* Uniform in [0, 1): for workloads, never per packet. */
static inline double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}
#endif
