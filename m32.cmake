# SPDX-License-Identifier: GPL-2.0-or-later
#
# Toolchain of the preset m32: this machine's gcc building for i386, with the libraries that
# `setup --m32` has unpacked into build/i386. What is built finds them there by its run path.

set(root ${CMAKE_CURRENT_LIST_DIR}/build/i386)
set(libraries ${root}/usr/lib/i386-linux-gnu)
if(NOT EXISTS ${root}/.unpacked)
	message(FATAL_ERROR "there are no libraries for i386: run ./setup --m32 first")
endif()

set(CMAKE_C_COMPILER gcc)
set(CMAKE_SYSROOT ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# The compiler's own library and start files lie in a folder named after its version.
file(GLOB gcc_library ${root}/usr/lib/gcc/i686-linux-gnu/*)
set(CMAKE_C_FLAGS_INIT "-m32 \"-B${gcc_library}\"")

# The loader itself is not looked for. An old-style run path serves libraries of libraries, too.
set(CMAKE_EXE_LINKER_FLAGS_INIT
	"\"-Wl,--dynamic-linker=${root}/usr/lib/ld-linux.so.2\" -Wl,--disable-new-dtags")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH ${libraries})

set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${root}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
