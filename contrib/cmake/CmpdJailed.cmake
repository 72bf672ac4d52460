# What runs in the jail beside candidate code (gpu-runner/cudart, gpu-runner/candidate): our warnings
# and banned calls, no sanitizers, which would want the whole process to be theirs. It lies in
# lib/cmpd beside the programs' bin, in the build tree and when installed.
set(CMPD_LIBDIR "lib/cmpd")

add_library(cmpd_jailed INTERFACE)
foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS)
  get_target_property(values cmpd_options INTERFACE_${property})
  if(values)
    list(FILTER values EXCLUDE REGEX "sanitize|-fno-omit-frame-pointer")
    set_property(TARGET cmpd_jailed PROPERTY INTERFACE_${property} "${values}")
  endif()
endforeach()
