# shellcheck shell=bash
# Sourced by the checks: where our own C sources and headers lie. Fixtures are not among them.
# Paths are printed relative to the repository, one a line, sorted.

CODE_FOLDERS=(analysis rules refs config gpu-runner bot)

existing_folders() {
    local folder
    for folder in "${CODE_FOLDERS[@]}"; do
        if [ -d "$CMPD_SOURCE_DIR/$folder" ]; then echo "$folder"; fi
    done
}

list_headers() {
    (cd "$CMPD_SOURCE_DIR" && existing_folders | xargs -I{} find {} -name '*.h' | sort)
}

list_sources() {
    (cd "$CMPD_SOURCE_DIR" && existing_folders | xargs -I{} find {} -name '*.c' | sort)
}

# Sources of tests sit directly in an area's folder; what lies deeper is input.
list_test_code() {
    (cd "$CMPD_SOURCE_DIR" && find tests -maxdepth 2 -name '*.[ch]' | sort)
}
