"""The page kit: sections, tables and figures of all HTML pages, and run reports."""
