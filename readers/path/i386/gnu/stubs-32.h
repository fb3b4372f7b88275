/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for a header of the 32-bit C library, which lists functions that it has not: Debian's
 * headers for x86-64 serve 32 bits too but for this one. Found last, so a real one comes before it.
 */
