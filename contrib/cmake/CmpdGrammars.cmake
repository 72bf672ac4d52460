# tree-sitter's core and the CUDA grammar, from npm packages named with version and hash in
# contrib/grammars.lock. An archive is fetched once a machine, into
# ${XDG_CACHE_HOME:-~/.cache}/cmpd/npm, and its hash is checked at every configure.
#
# Targets: cmpd_tree_sitter (the core, with its public include path), cmpd_tree_sitter_cuda.

set(CMPD_GRAMMARS_LOCK "${PROJECT_SOURCE_DIR}/contrib/grammars.lock")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMPD_GRAMMARS_LOCK}")

function(_cmpd_cache_dir out)
  if(DEFINED ENV{XDG_CACHE_HOME} AND IS_ABSOLUTE "$ENV{XDG_CACHE_HOME}")
    set(dir "$ENV{XDG_CACHE_HOME}/cmpd/npm")
  elseif(DEFINED ENV{HOME} AND IS_ABSOLUTE "$ENV{HOME}")
    set(dir "$ENV{HOME}/.cache/cmpd/npm")
  else()
    set(dir "${CMAKE_BINARY_DIR}/cache/npm")
  endif()
  set(${out} "${dir}" PARENT_SCOPE)
endfunction()

# Looks a package up in the lock file.
function(_cmpd_locked name out_version out_hash)
  file(STRINGS "${CMPD_GRAMMARS_LOCK}" lines REGEX "^[^#]")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+) ([^ ]+) ([0-9a-f]+)$" AND CMAKE_MATCH_1 STREQUAL name)
      string(LENGTH "${CMAKE_MATCH_3}" digits)
      if(NOT digits EQUAL 128)
        message(FATAL_ERROR "${CMPD_GRAMMARS_LOCK}: the hash of ${name} is not a sha512")
      endif()
      set(${out_version} "${CMAKE_MATCH_2}" PARENT_SCOPE)
      set(${out_hash} "${CMAKE_MATCH_3}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${CMPD_GRAMMARS_LOCK} has no line for ${name}")
endfunction()

# Downloads into a folder of its own and renames, so that two configures at once can't meet a
# half-written archive.
function(_cmpd_download name version archive)
  find_program(CMPD_NPM npm)
  if(NOT CMPD_NPM)
    message(FATAL_ERROR
      "npm is needed once to fetch ${name} ${version} (no code of it is run).\n"
      "Run contrib/install-deps, or put the archive that `npm pack ${name}@${version}` makes at\n"
      "  ${archive}")
  endif()
  get_filename_component(dir "${archive}" DIRECTORY)
  string(RANDOM LENGTH 8 nonce)
  set(work "${dir}/fetch-${nonce}")
  file(MAKE_DIRECTORY "${work}")
  message(STATUS "Fetching ${name} ${version} from the npm registry")
  execute_process(
    COMMAND "${CMPD_NPM}" pack --silent --ignore-scripts "${name}@${version}"
    WORKING_DIRECTORY "${work}"
    TIMEOUT 300
    RESULT_VARIABLE rc
    OUTPUT_VARIABLE out
    ERROR_VARIABLE err)
  file(GLOB got "${work}/*.tgz")
  list(LENGTH got count)
  if(NOT rc EQUAL 0 OR NOT count EQUAL 1)
    file(REMOVE_RECURSE "${work}")
    message(FATAL_ERROR
      "Could not fetch the npm package ${name} ${version} (npm pack ended with: ${rc}).\n${out}${err}\n"
      "It is needed once, then cached. Without a network, put the archive that\n"
      "`npm pack ${name}@${version}` makes elsewhere at\n  ${archive}")
  endif()
  file(RENAME "${got}" "${archive}")
  file(REMOVE_RECURSE "${work}")
endfunction()

# cmpd_npm_package(NAME OUT_DIR PATTERN...): the unpacked package of that name, checked against the
# lock. Only what the patterns name is unpacked.
function(cmpd_npm_package name out_dir)
  _cmpd_locked("${name}" version hash)
  _cmpd_cache_dir(cache)
  file(MAKE_DIRECTORY "${cache}")
  set(archive "${cache}/${name}-${version}.tgz")
  if(NOT EXISTS "${archive}")
    _cmpd_download("${name}" "${version}" "${archive}")
  endif()
  file(SHA512 "${archive}" found)
  if(NOT found STREQUAL hash)
    message(FATAL_ERROR
      "${archive} is not the ${name} ${version} that contrib/grammars.lock names.\n"
      "  expected sha512 ${hash}\n  found    sha512 ${found}\n"
      "Remove the file to fetch it again. If it comes back like this, do not use it: the package\n"
      "was changed after it was locked.")
  endif()
  set(dir "${CMAKE_BINARY_DIR}/npm/${name}-${version}")
  string(SUBSTRING "${hash}" 0 16 short)
  if(NOT EXISTS "${dir}/.done-${short}")
    file(REMOVE_RECURSE "${dir}")
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${dir}"
         PATTERNS ${ARGN})
    file(TOUCH "${dir}/.done-${short}")
  endif()
  set(${out_dir} "${dir}/package" PARENT_SCOPE)
endfunction()

cmpd_npm_package(tree-sitter core "package/vendor/tree-sitter/lib/*")
cmpd_npm_package(tree-sitter-cuda grammar "package/src/*")

add_library(cmpd_tree_sitter STATIC "${core}/vendor/tree-sitter/lib/src/lib.c")
target_include_directories(cmpd_tree_sitter SYSTEM
  PUBLIC "${core}/vendor/tree-sitter/lib/include"
  PRIVATE "${core}/vendor/tree-sitter/lib/src")

add_library(cmpd_tree_sitter_cuda STATIC "${grammar}/src/parser.c" "${grammar}/src/scanner.c")
target_include_directories(cmpd_tree_sitter_cuda SYSTEM PRIVATE "${grammar}/src")
target_link_libraries(cmpd_tree_sitter_cuda PUBLIC cmpd_tree_sitter)

foreach(target cmpd_tree_sitter cmpd_tree_sitter_cuda)
  target_link_libraries(${target} PRIVATE cmpd_foreign)
  target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE _POSIX_C_SOURCE=200112L NDEBUG)
endforeach()
