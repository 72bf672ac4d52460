/* From a piece of text to its id, by halves in the tables of the .def files. Inside this folder only. */
#ifndef CMPD_GPU_RUNNER_PTX_NAMES_H
#define CMPD_GPU_RUNNER_PTX_NAMES_H

#include <stdint.h>

#include "gpu-runner/ptx/ptx.h"

enum cmpd_ptx_type ptx_type_find(const char *text, uint32_t len); /* NONE: it is none */
enum cmpd_ptx_op ptx_op_find(const char *text, uint32_t len);
enum cmpd_ptx_mod ptx_mod_find(const char *text, uint32_t len);
uint32_t ptx_special_find(const char *text, uint32_t len); /* CMPD_PTX_NONE: it is none */

#endif
