"""The command line: parses arguments and prints results; no other package imports it."""
