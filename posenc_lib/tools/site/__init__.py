"""The series as a web site without a kernel: python -m posenc_lib site OUT."""
