# How code is compiled. Two interface targets:
#   cmpd_options  ours: sanitizers, language level, warnings, hardening, banned calls
#   cmpd_foreign  third-party: optimised, no warnings; of the sanitizers only AddressSanitizer
#                 (UBSan makes tree-sitter's core five times slower to compile, and what it would
#                 say about that code is not ours to mend)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Asserts stay on in release: a gate that met a programmer error must stop, not pass.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

add_library(cmpd_options INTERFACE)
add_library(cmpd_foreign INTERFACE)
target_compile_options(cmpd_foreign INTERFACE -w)
if(CMPD_SANITIZE)
  target_compile_options(cmpd_options INTERFACE
    "-fsanitize=${CMPD_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cmpd_options INTERFACE
    "-fsanitize=${CMPD_SANITIZE}" -fno-sanitize-recover=all)
  if(CMPD_SANITIZE MATCHES "address")
    target_compile_options(cmpd_foreign INTERFACE -O1 -fsanitize=address -fno-omit-frame-pointer)
  endif()
else()
  # Last on the command line, so the dev preset's -O0 does not slow the parser down.
  target_compile_options(cmpd_foreign INTERFACE -O2)
endif()
if(CMPD_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CMPD_FUZZ needs clang (libFuzzer); use: cmake --preset fuzz")
  endif()
  target_compile_options(cmpd_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

target_include_directories(cmpd_options INTERFACE "${PROJECT_SOURCE_DIR}")
# Written empty so that a source which still says "#define _GNU_SOURCE" defines the same thing.
target_compile_definitions(cmpd_options INTERFACE "_GNU_SOURCE=")
target_compile_options(cmpd_options INTERFACE
  -include "${PROJECT_SOURCE_DIR}/analysis/base/banned.h"
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wformat=2 -Wvla
  # snprintf into a bounded buffer cuts by design.
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
if(CMPD_WERROR)
  target_compile_options(cmpd_options INTERFACE -Werror)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMPD_SANITIZE)
  target_compile_options(cmpd_options INTERFACE
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection)
  target_link_options(cmpd_options INTERFACE -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
endif()
