/* SPDX-License-Identifier: GPL-2.0 */
/* What the arithmetic takes from the kernel, for a compiler of user space. */
#ifndef ESTMRED_USERSPACE_H
#define ESTMRED_USERSPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;

#define U32_MAX	UINT32_MAX
#define U64_MAX	UINT64_MAX
#define S64_MAX	INT64_MAX
#define S64_MIN	INT64_MIN

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define clamp(x, low, high)	min(max(x, low), high)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp_t(type, x, low, high)	min_t(type, max_t(type, x, low), high)

#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)
#define check_sub_overflow(a, b, difference)	__builtin_sub_overflow(a, b, difference)
#define check_mul_overflow(a, b, product)	__builtin_mul_overflow(a, b, product)

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline s64 div64_s64(s64 a, s64 b)
{
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

#endif
