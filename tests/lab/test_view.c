/* SPDX-License-Identifier: BSD-3-Clause */
/* test_view.c -- which figure weir view shows. tests/cli/view.sh tests its pages. */
#include "lab/campaign/view.h"
#include "tests/test.h"

TEST(test_a_folder_is_that_of_a_figure_by_its_name)
{
	struct figure_files files[] = { { .paper = "pred", .name = "fig1" },
					{ .paper = "pred", .name = "fig13" } };
	const struct figure_list l = { .count = 2, .all = files };
	enum figure_size size;

	CHECK(view_figure(&l, "out/pred/fig13", &size) == &files[1] && size == FIGURE_QUICK);
	CHECK(view_figure(&l, "/a/pred/fig1.full/", &size) == &files[0] && size == FIGURE_FULL);
	CHECK(view_figure(&l, "pred/fig1", &size) == &files[0]);
	CHECK(view_figure(&l, "spred/fig1", &size) == NULL);
	CHECK(view_figure(&l, "fig1", &size) == NULL);
	CHECK(view_figure(&l, "out/pred/fig1.results", &size) == NULL);
}
