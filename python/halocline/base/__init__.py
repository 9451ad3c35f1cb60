"""What every package needs: errors, units, files that are read back, progress, toolchains.

It imports no other package of Halocline. An error is one line that says what is wrong, where, what
is allowed and how to fix it (`errors`); a size or a time is written as people write it (`units`); a
file that is read back names its file, line and field when it is damaged (`reading`).
"""
