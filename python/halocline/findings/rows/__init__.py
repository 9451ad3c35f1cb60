"""One file a claim; adding one adds it to `halocline findings`."""
