"""The command line: it parses words and prints answers; no other package imports it."""
