flags = ["--use_fast_math", f"-DTmax={1024}"]
