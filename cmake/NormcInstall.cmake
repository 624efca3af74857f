# What `cmake --install` puts where. The runtime installs itself (runtime/CMakeLists.txt),
# as component "runtime"; here come the tools and what a reader of them wants beside.
foreach(tool normc norm-run norm-opt norm-lsp-server)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
endforeach()
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/normc/examples
        COMPONENT tools FILES_MATCHING PATTERN "*.mlir")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools
        FILES_MATCHING PATTERN "*.md")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
