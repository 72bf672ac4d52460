# cmpd_library(NAME [LINK targets...])
#   One static library for the folder. Sources are added by name with cmpd_sources().
function(cmpd_library name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_library(${name} STATIC)
  target_link_libraries(${name} PRIVATE cmpd_options PUBLIC ${arg_LINK})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  # Through EVAL, since a deferred call's arguments are looked up after this function has returned.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _cmpd_fill_empty_library ${name})")
endfunction()

# CMake refuses a library without sources.
function(_cmpd_fill_empty_library name)
  get_target_property(sources ${name} SOURCES)
  if(NOT sources)
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/empty.c" CONTENT "typedef int cmpd_empty;\n")
    target_sources(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/empty.c")
  endif()
endfunction()

# cmpd_sources(TARGET file.c ...)
#   Adds sources of the current folder, by name.
function(cmpd_sources target)
  foreach(file IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      target_sources(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    else()
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt names ${file}, which is not there")
    endif()
  endforeach()
endfunction()

# cmpd_program(NAME main.c [LINK targets...])
#   An executable in build/<preset>/bin that is installed to bin/.
function(cmpd_program name main)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} "${main}")
  target_link_libraries(${name} PRIVATE cmpd_options ${arg_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()
