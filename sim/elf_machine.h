/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ELF file says of the machine that it is for, if that is the one that contend is built
 * for.
 */
#ifndef SIM_ELF_MACHINE_H
#define SIM_ELF_MACHINE_H

#include <link.h>

#if defined(__x86_64__)
#define ELF_MACHINE	 EM_X86_64
#define ELF_MACHINE_NAME "x86-64"
#elif defined(__i386__)
#define ELF_MACHINE	 EM_386
#define ELF_MACHINE_NAME "i386"
#elif defined(__aarch64__)
#define ELF_MACHINE	 EM_AARCH64
#define ELF_MACHINE_NAME "arm64"
#elif defined(__arm__)
#define ELF_MACHINE	 EM_ARM
#define ELF_MACHINE_NAME "arm"
#elif defined(__riscv)
#define ELF_MACHINE	 EM_RISCV
#define ELF_MACHINE_NAME "riscv"
#elif defined(__powerpc64__)
#define ELF_MACHINE	 EM_PPC64
#define ELF_MACHINE_NAME "powerpc64"
#else
#define ELF_MACHINE	 EM_NONE
#define ELF_MACHINE_NAME "a machine that contend has no name for"
#endif

#define ELF_MACHINE_BITS  ((unsigned int)sizeof(ElfW(Addr)) * 8)
#define ELF_MACHINE_CLASS (ELF_MACHINE_BITS == 64 ? ELFCLASS64 : ELFCLASS32)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_MACHINE_BYTE_ORDER ELFDATA2LSB
#else
#define ELF_MACHINE_BYTE_ORDER ELFDATA2MSB
#endif

#endif /* SIM_ELF_MACHINE_H */
