/* SPDX-License-Identifier: BSD-3-Clause */
/* begin.h -- macros that make the other headers valid C11 and C++17, and their declarations the
 * exported symbols of the shared library. */
#ifndef WEIR_BEGIN_H
#define WEIR_BEGIN_H

#define WEIR_SEEN_BEGIN _Pragma("GCC visibility push(default)")
#define WEIR_SEEN_END _Pragma("GCC visibility pop")

#ifdef __cplusplus
#define WEIR_BEGIN \
	WEIR_SEEN_BEGIN extern "C" \
	{
#define WEIR_END \
	} \
	WEIR_SEEN_END
#define WEIR_ALIGN(bytes) alignas(bytes)
#define WEIR_ASSERT(...) static_assert(__VA_ARGS__)
#else
#define WEIR_BEGIN WEIR_SEEN_BEGIN
#define WEIR_END WEIR_SEEN_END
#define WEIR_ALIGN(bytes) _Alignas(bytes)
#define WEIR_ASSERT(...) _Static_assert(__VA_ARGS__)
#endif

#endif
