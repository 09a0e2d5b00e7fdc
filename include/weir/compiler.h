/* SPDX-License-Identifier: BSD-3-Clause */
/* compiler.h -- compiler extensions: optimisation hints of gcc and clang, and 128-bit integers.
 *
 * Hints never change results. Each use is justified by measured instructions per packet hop. */
#ifndef WEIR_COMPILER_H
#define WEIR_COMPILER_H

/* The usual outcome of a condition on the fast path. */
#define WEIR_LIKELY(condition) __builtin_expect((condition) != 0, 1)
#define WEIR_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)

/* Inlined into every caller, so that constant arguments specialise it. Follows 'inline'. */
#define WEIR_ALWAYS_INLINE __attribute__((always_inline))

/* Kept out of the fast path that calls it. */
#define WEIR_NOINLINE __attribute__((noinline))

/* Products of two 64-bit numbers, before they are divided or shifted back into 64 bits. */
__extension__ typedef unsigned __int128 weir_u128;
__extension__ typedef __int128 weir_i128;

#endif
