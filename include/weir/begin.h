/* begin.h -- what lets the other headers be read as C11 and as C++17. */
#ifndef WEIR_BEGIN_H
#define WEIR_BEGIN_H

#ifdef __cplusplus
#define WEIR_BEGIN extern "C" {
#define WEIR_END }
#define WEIR_ALIGN(bytes) alignas(bytes)
#define WEIR_ASSERT(...) static_assert(__VA_ARGS__)
#else
#define WEIR_BEGIN
#define WEIR_END
#define WEIR_ALIGN(bytes) _Alignas(bytes)
#define WEIR_ASSERT(...) _Static_assert(__VA_ARGS__)
#endif

#endif
