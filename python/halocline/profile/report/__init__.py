"""The page that shows profiles, one or several side by side."""
