# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is installed, and where. Nothing of it knows the folder that it is installed in: all of it may
# be moved together.

set(contend_data ${CMAKE_INSTALL_DATADIR}/contend)
install(TARGETS contend RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scenarios DESTINATION ${contend_data} FILES_MATCHING PATTERN "*.ini")
file(GLOB schemas CONFIGURE_DEPENDS report/*.schema.json)
install(FILES ${schemas} DESTINATION ${contend_data}/schema)
install(FILES completion/contend.bash RENAME contend
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB examples CONFIGURE_DEPENDS readers/example/*.c)
install(FILES ${examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# What a source of one's own includes; contend itself has it in the binary.
foreach(header ${reader_headers})
	get_filename_component(room ${header} DIRECTORY)
	install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/contend/${room})
endforeach()
set(contend_pkgconfig ${CMAKE_INSTALL_DATADIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_PREFIX}/${contend_pkgconfig}
	${CMAKE_INSTALL_PREFIX})
configure_file(install/contend.pc.in contend.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/contend.pc DESTINATION ${contend_pkgconfig})

include(man/pages.cmake)

add_custom_target(uninstall
	COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
		-P ${CMAKE_SOURCE_DIR}/install/uninstall.cmake VERBATIM)

include(install/package.cmake)
