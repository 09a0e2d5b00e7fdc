/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h -- how a test is written.
 *
 *	TEST(test_tcn_marks_only_above_threshold)
 *	{
 *		CHECK_INT(verdict(100000), WEIR_MARK_PASS);
 *	}
 *
 * The name is the claim. Every test_*.c is linked into one program, weir-test, which finds the
 * tests by itself and runs each in a process of its own; the first CHECK that does not hold says
 * where and why and ends the test. A crash, a leak or a hang fails it too. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

struct test_case {
	const char *name, *file;
	void (*run)(void);
};

/* A test's address goes into the linker section weir_tests, which the runner reads as an array. */
#define TEST(name_) \
	static void name_(void); \
	static const struct test_case name_##_case = { #name_, __FILE__, name_ }; \
	static const struct test_case *const name_##_entry \
		__attribute__((used, section("weir_tests"))) = &name_##_case; \
	static void name_(void)

#define CHECK(holds) \
	((holds) ? (void)0 : test_fail(__FILE__, __LINE__, "CHECK(%s) does not hold", #holds))

/* Whole numbers up to 64 bits, signed or not. */
#define CHECK_INT(actual, expected) \
	test_check_int(&(const struct test_place){ __FILE__, __LINE__, #actual }, \
		       (long long)(actual), (long long)(expected))

/* Strings; NULL equals only NULL. */
#define CHECK_STR(actual, expected) \
	test_check_str(&(const struct test_place){ __FILE__, __LINE__, #actual }, actual, expected)

/* Does the text contain the part? */
#define CHECK_CONTAINS(text, part) \
	test_check_contains(&(const struct test_place){ __FILE__, __LINE__, #text }, text, part)

/* Is it this text, in which "..." stands for anything? */
#define CHECK_LIKE(text, pattern) \
	test_check_like(&(const struct test_place){ __FILE__, __LINE__, #text }, text, pattern)

/* |actual - expected| <= tolerance; NAN is near nothing. */
#define CHECK_NEAR(actual, expected, tolerance) \
	test_check_near(&(const struct test_place){ __FILE__, __LINE__, #actual }, \
			(double)(actual), (double)(expected), (double)(tolerance))

struct test_place {
	const char *file;
	int line;
	const char *expression;
};

/* Prints the place and the message, and ends this test's process. */
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void test_check_int(const struct test_place *at, long long actual, long long expected);
void test_check_str(const struct test_place *at, const char *actual, const char *expected);
void test_check_contains(const struct test_place *at, const char *text, const char *part);
void test_check_like(const struct test_place *at, const char *text, const char *pattern);
void test_check_near(const struct test_place *at, double actual, double expected, double tolerance);
#endif
