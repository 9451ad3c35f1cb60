"""Fails on words that read as translated in the given files; CONTRIBUTING has the glossary."""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

_GLOSSARY = re.compile(r"^\| .+ \| .* \| .* \|$")  # CONTRIBUTING names what it bans

# What is banned, and what to write instead.
BANNED = {
    r"cannot be told|told apart|cannot tell whether": "inconclusive, distinguish",
    r"tell|tells|told|telling": "report, say, show",
    r"mend|mends|mended": "fix",
    r"beside": "next to, alongside, with",
    r"besides": "also, in addition",
    r"go on with|goes on with": "resume, continue",
    r"held against": "compared with",
    r"without a word": "silently, without an error message",
    r"for ever": "forever",
    r"at the mean": "on average",
    r"by so much|so much (?:slower|faster)": "by this much",
    r"for so long": "for this long",
    r"(?:is|are) no (?:side|setting|folder|file|number|comparison|failure|difference)": "is not a",
    r"what (?:came|comes|became) of": "the result of, the outcome of",
    r"(?:is|are) there twice": "is listed twice",
}
_PATTERNS = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), use) for words, use in BANNED.items()]


def prose(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; of Python only comments and strings, without names."""
    if path.suffix != ".py":
        glossary = path.name == "CONTRIBUTING.md"
        for number, line in enumerate(text.splitlines(), 1):
            if not (glossary and _GLOSSARY.match(line)):
                yield number, line
        return
    texts = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in texts:
            yield from enumerate(token.string.splitlines(), token.start[0])


def findings(path: Path, text: str) -> Iterator[str]:
    """One line for each banned word, with its place and what to write instead."""
    for number, line in prose(path, text):
        for pattern, use in _PATTERNS:
            match = pattern.search(line)
            if match:
                yield f"{path}:{number}: {match[0]!r}: write {use}"


def main(files: Sequence[str]) -> int:
    problems = [
        problem
        for file in files
        for problem in findings(Path(file), Path(file).read_text(encoding="utf-8"))
    ]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
