#pragma once
#define HELPER_CONSTANT 2.0f
