"""One file per claim; a new file appears in `halocline findings`."""
