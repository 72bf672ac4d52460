const char *source_for_nvrtc = "kernel.cu";
