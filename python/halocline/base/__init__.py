"""What every package needs: errors, units, files that are read back, progress, toolchains.

It imports no other package of Halocline. An error is one line that says what is wrong, where, what
is allowed and how to fix it (`errors`); sizes and times are written as users write them (`units`);
errors in a damaged file name the file, line and field (`reading`).
"""
