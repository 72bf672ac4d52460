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
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
