# What `cmake --install` puts where. Tools and runtime install themselves; here comes what
# their users want beside them.
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/normc/examples
        FILES_MATCHING PATTERN "*.mlir")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
# Made by the build from the dialects' and passes' definitions.
install(DIRECTORY ${CMAKE_BINARY_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
