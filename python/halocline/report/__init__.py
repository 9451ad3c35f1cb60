"""The page kit: sections, tables and figures of which every HTML page is made, and run reports."""
