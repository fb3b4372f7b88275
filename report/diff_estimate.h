/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A figure of one result and how sure it is: the ways there are, one of which each row of a table
 * of figures names. An interval knows of chance within its own measurement only.
 */
#ifndef REPORT_DIFF_ESTIMATE_H
#define REPORT_DIFF_ESTIMATE_H

#include "report/diff_table.h"

/* As the result has it, with no interval. */
void diff_take_number(const struct diff_source *source, const struct diff_figure *figure,
		      struct diff_estimate *estimate);

/* Counted, and always the same: an interval of no width. Of a list, how long it is. */
void diff_take_exact(const struct diff_source *source, const struct diff_figure *figure,
		     struct diff_estimate *estimate);

/*
 * The figure's path is a count of rare events among as many reads as the first of `beside`
 * says: the rate is per million, its interval Poisson's (measure/poisson.h). The second of `beside`
 * is the same count in each element of the root's `intervals`: if there are 6 or more, and they
 * vary N times as much as Poisson's do, N being 1 at least, the interval is sqrt(N) times as wide.
 */
void diff_take_rate(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate);

/* The first of `beside` is where the result has the interval: a list of two. */
void diff_take_bounds(const struct diff_source *source, const struct diff_figure *figure,
		      struct diff_estimate *estimate);

/* The first of `beside` is the lower end, the second the higher. */
void diff_take_ends(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate);

/*
 * As diff_take_rate, but divided by the rate of updates, the third of `beside`, from the root: in
 * nanoseconds, how long of a read an update must not fall into. Unlike the rate it does not hang on
 * how often the writer came to its turn. For what the machine changes all the same from one
 * measurement to the next, 1.96 * LAW_SCATTER (measure/law.h) is added to its ends as squares.
 */
void diff_take_visible(const struct diff_source *source, const struct diff_figure *figure,
		       struct diff_estimate *estimate);

/*
 * The same where the result has that length: its ends are as far away, in proportion, as those of
 * the rate that it follows from, which is the third of `beside`, and its ends are the first two;
 * and LAW_SCATTER is added.
 */
void diff_take_scattered(const struct diff_source *source, const struct diff_figure *figure,
			 struct diff_estimate *estimate);

/*
 * The figure is a mean of lengths whose histogram is the first of `beside`: the mean +- 1.96
 * standard errors, widened to hold the mean of each reader in the list that is the second, which is
 * NULL if there is none; the figure's path but for its first name leads to it there.
 */
void diff_take_mean(const struct diff_source *source, const struct diff_figure *figure,
		    struct diff_estimate *estimate);

/*
 * The figure is the quantile, 0 to 1, of lengths whose histogram is the first of `beside`. Of n
 * lengths, the number that are shorter than the true quantile q is binomial with mean nq, so that
 * it lies between the lengths of rank nq -+ 1.96 sqrt(nq(1 - q)); a length is known to no better
 * than a step of the counter, which is added at both ends. Widened to hold the median of that of
 * each interval, see diff_take_batches, if there are any.
 */
void diff_take_quantile(const struct diff_source *source, const struct diff_figure *figure,
			struct diff_estimate *estimate);

/*
 * The second of `beside` is the same figure in each element of the root's `intervals`: see
 * measure/interval.h. With too few of them, as in a run without --interval, there is no interval.
 */
void diff_take_batches(const struct diff_source *source, const struct diff_figure *figure,
		       struct diff_estimate *estimate);

#endif /* REPORT_DIFF_ESTIMATE_H */
