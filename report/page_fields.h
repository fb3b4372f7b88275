/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a page's data, one after the other, as a layout says.
 */
#ifndef REPORT_PAGE_FIELDS_H
#define REPORT_PAGE_FIELDS_H

#include "sim/layout.h"

#define PAGE_FIELDS_MAX 96

struct page_field {
	char name[48]; /* as in basetime[1] monotonic */
	u32 offset;    /* in the data */
	u32 bytes;
};

/* Fills in the fields by offset; returns how many there are. What lies between them is unused. */
size_t page_fields(const struct page_layout *layout, struct page_field field[PAGE_FIELDS_MAX]);

#endif /* REPORT_PAGE_FIELDS_H */
