"""moto and ministack, run in this process, with what they lack or get wrong put right."""
