# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Debian package, by `cpack` in a folder that the preset release has built. Libraries that it depends
# on are found in the program (dpkg-shlibdeps); what it can do more with is recommended, with the
# program's own words for what goes without: contend --version.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME contend)
set(CPACK_PACKAGE_VENDOR contend)
set(CPACK_PACKAGE_CONTACT "contend maintainers <maintainers@contend.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
	OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
	"gcc | clang, libc6-dev, liburcu-dev, gnuplot-nox | gnuplot, bash-completion")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang, pkgconf")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
	"A writer updates a simulated kernel data page as the timekeeping tick does;
readers run the vDSO's clock read against it, or a sequence lock of one's own.
contend counts retries and says why they happened, tells which of two read
paths is faster and how sure that is, holds every value against an oracle, and
explores what a weaker machine may do.

A compiler is wanted for readers of one's own, which are compiled when they
are named, and gnuplot for pictures.")

# Manual pages are compressed, and the licence is there by reference.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/install/debian.cmake)

include(CPack)
