/* SPDX-License-Identifier: BSD-3-Clause */
/* weir/compiler.h -- what C11 has no word for: hints to gcc and clang, and integers of 128 bits.
 *
 * Hints change no result. Each one stands where a measurement of instructions per packet hop asked
 * for it. */
#ifndef WEIR_COMPILER_H
#define WEIR_COMPILER_H

/* The usual outcome of a condition on the fast path. */
#define WEIR_LIKELY(condition) __builtin_expect((condition) != 0, 1)
#define WEIR_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)

/* Compiled into its callers, so that their constant arguments specialise it. Stands after 'inline'.
 */
#define WEIR_ALWAYS_INLINE __attribute__((always_inline))

/* Kept out of the fast path that calls it. */
#define WEIR_NOINLINE __attribute__((noinline))

/* Products of two 64-bit numbers, before they are divided or shifted back into 64 bits. */
__extension__ typedef unsigned __int128 weir_u128;
__extension__ typedef __int128 weir_i128;

#endif
