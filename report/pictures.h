/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pictures that report/picture.c lists, one in each file report/picture_*.c.
 */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "report/picture.h"

extern const struct picture picture_percentiles;
extern const struct picture picture_retries;
extern const struct picture picture_holds;
extern const struct picture picture_forest;
extern const struct picture picture_curves;
extern const struct picture picture_heat;
extern const struct picture picture_observed;
extern const struct picture picture_ratios;
extern const struct picture picture_layout;
extern const struct picture picture_claims;

#endif /* REPORT_PICTURES_H */
