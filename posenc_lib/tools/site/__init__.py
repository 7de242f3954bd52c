"""The series as a website without a kernel: python -m posenc_lib site OUT."""
