# How everything of ours is compiled. Two interface targets:
#   cmpd_instrument  sanitizer and fuzzer flags, for third-party code as well
#   cmpd_options     the same, plus the language level, warnings, hardening and the banned calls

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Asserts stay on in release: a gate that met a programmer error must stop, not pass.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(cmpd_instrument INTERFACE)
if(CMPD_SANITIZE)
  target_compile_options(cmpd_instrument INTERFACE
    "-fsanitize=${CMPD_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cmpd_instrument INTERFACE
    "-fsanitize=${CMPD_SANITIZE}" -fno-sanitize-recover=all)
endif()
if(CMPD_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CMPD_FUZZ needs clang (libFuzzer); use: cmake --preset fuzz")
  endif()
  target_compile_options(cmpd_instrument INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(cmpd_options INTERFACE)
target_link_libraries(cmpd_options INTERFACE cmpd_instrument)
target_include_directories(cmpd_options INTERFACE "${PROJECT_SOURCE_DIR}")
# Written empty so that a source which still says "#define _GNU_SOURCE" defines the same thing.
target_compile_definitions(cmpd_options INTERFACE "_GNU_SOURCE=")
target_compile_options(cmpd_options INTERFACE
  -include "${PROJECT_SOURCE_DIR}/analysis/base/banned.h"
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wformat=2 -Wvla)
if(CMPD_WERROR)
  target_compile_options(cmpd_options INTERFACE -Werror)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMPD_SANITIZE)
  target_compile_options(cmpd_options INTERFACE
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection)
  target_link_options(cmpd_options INTERFACE -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
endif()
