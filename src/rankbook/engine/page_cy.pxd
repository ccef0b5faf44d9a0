from libc.string cimport memcmp, memcpy
