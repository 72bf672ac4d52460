# Data files. The programs find them at <folder of the executable>/../share/cmpd, in the build tree
# and when installed. In the build tree that is a folder of links into the sources.

set(CMPD_DATA_FOLDERS rules/api rules/docs config)

foreach(folder IN LISTS CMPD_DATA_FOLDERS)
  set(link "${CMAKE_BINARY_DIR}/share/cmpd/${folder}")
  get_filename_component(parent "${link}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${link}" SYMBOLIC)
endforeach()

function(cmpd_install_data)
  set(data "${CMAKE_INSTALL_DATADIR}/cmpd")
  foreach(folder IN LISTS CMPD_DATA_FOLDERS)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}")
      install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "${data}/${folder}"
              FILES_MATCHING PATTERN "*.json" PATTERN "*.tbl" PATTERN "*.md" PATTERN "cmake" EXCLUDE)
    endif()
  endforeach()
  file(GLOB pages "${PROJECT_SOURCE_DIR}/contrib/man/*.1")
  if(pages)
    install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  endif()
  set(completions "${PROJECT_SOURCE_DIR}/contrib/completions")
  install(FILES "${completions}/cmpd.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME cmpd OPTIONAL)
  install(FILES "${completions}/_cmpd" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" OPTIONAL)
  install(FILES "${completions}/cmpd.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
          OPTIONAL)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
