"""Hare et al.: divergence, Zipf's law and similarity search in the latent space."""

from __future__ import annotations

from page import Block, Grid
from suggestions import summary

from shown.common import Result, beside, difference, line, picture

CORPORA = ("Gatsby", "Reuters", "Brown", "Books", "RACE")
TASKS = {"author": "authorship", "reading_level": "reading level", "genre": "genre"}
NAMES = {
    "set_cover": "set cover", "weighted_set_cover": "weighted set cover",
    "embedding_average": "mean", "word_movers_distance": "WMD", "jaccard": "Jaccard",
    "edit_distance": "edit distance", "all": "all of them",
}  # fmt: skip


def figure_1(result: Result) -> list[Block]:
    a, b = result["texts"]
    return [
        *picture("figures/figure-1-clouds.png", "Two texts as counts of words and as clouds"),
        f"{a} and {b} of the embedded sample, {result['distinct_words'][0]} and"
        f" {result['distinct_words'][1]} distinct words: JS of their counts"
        f" {result['js_categorical']} nats, KL of their clouds {result['kl_latent']} (for ranking"
        " only).",
        difference(result["difference"]),
    ]


def table_1(result: Result) -> list[Block]:
    columns = list(result["same_rule"]["glove"][0]["paper"])
    rows = []
    for glove, default, chosen in zip(
        *result["same_rule"].values(), result["table_1"], strict=True
    ):
        theirs = {c: 100 * glove["paper"][c] / glove["books_paper"] for c in columns}
        nested = f"{100 * chosen['nested_share']:.0f}"
        best = f"**{nested}**" if chosen["ours_beats_best_of_paper"] else nested
        for name, own, last in (("GloVe", glove, best), ("default", default, "")):
            shares = {c: 100 * own["right"][c] / own["books"] for c in columns}
            cells = [beside(shares[c], theirs[c] if own is glove else None, 0) for c in columns]
            rows.append([f"{TASKS[own['task']]}, {own['words']:,} words, {name}", *cells, last])
    c50 = result["c50"]
    return [
        "Books labelled correctly, per cent, the paper's in brackets: the mean over"
        f" {len(result['seeds'])} random samples. *Chosen*: estimator and rule chosen for each book"
        " on the other books alone; bold where that beats the best of the paper's row.",
        Grid(["", "counts", *(f"k = {c}" for c in columns[1:]), "chosen"], rows),
        f"{result['rows_beaten']} of {result['rows']} rows are better than the paper's best. On the"
        f" test half of Reuters C50 (50 authors) the setting chosen on the training half,"
        f" {c50['chosen_on_train']}, labels {c50['test_accuracy']:.1%} correctly.",
        difference(" ".join(f"{text[:1].upper()}{text[1:]}." for text in result["differences"])),
    ]


def table_2(result: Result) -> list[Block]:
    rows = []
    for name in CORPORA:
        own = result["corpora"].get(name, {})
        for vectors in ("glove", "default"):
            if found := own.get(f"neighbours_{vectors}"):
                theirs = own["paper"]["neighbours_per_cent"] if vectors == "glove" else {}
                cells = [beside(r["per_cent"], theirs.get(str(r["k"])), 1) for r in found]
                above = f"{found[0]['above_chance']:.2f} to {found[-1]['above_chance']:.2f}"
                rows.append([f"{name}, {vectors}", *cells, f"{found[0]['by_chance']:.1f}", above])
    return [
        "Per cent of the k nearest words that are in a word's own class. *Above chance* is the"
        " share of the way from chance (0) to 100% (1), at k = 3 and at k = 50.",
        Grid(["", "k = 3", "5", "10", "20", "50", "by chance", "above chance"], rows),
        *_said(result, "Tagger", "Neighbours"),
    ]


def table_5(result: Result) -> list[Block]:
    keys = ("tokens", "types", "unembedded", "sentences")
    rows = []
    for name in CORPORA:
        if own := result["corpora"].get(name):
            theirs = own["paper"]["tokens_types_unembedded_sentences"]
            pairs = zip(keys, theirs, strict=True)
            rows.append([name, *(f"{own['figures'][key]:,} ({paper:,})" for key, paper in pairs)])
    heads = ["", "tokens", "types", "without a vector (GloVe)", "distinct sentences"]
    return [
        Grid(heads, rows), *_said(result, "Tokens", "Types", "Editions", "Vectors", "Sentences")
    ]  # fmt: skip


def table_6(result: Result) -> list[Block]:
    rows, heads = [], [""]
    for name in CORPORA:
        if own := result["corpora"].get(name):
            heads = ["", *(r["speech"] for r in own["speech"])]
            for what in ("token", "type"):
                pairs = zip(own["speech"], own["paper"][f"{what}_per_cent"], strict=True)
                cells = [beside(r[f"{what}_per_cent"], paper, 1) for r, paper in pairs]
                rows.append([f"{name}, {what}s", *cells])
    return ["Per cent of tokens and of types.", Grid(heads, rows), *_said(result, "Tagger")]


WAYS = {"textblob": "TextBlob", "alone": "perceptron", "in sentences": "perceptron, in sentences"}


def tagger(result: Result) -> list[Block]:
    near, types, gaps = [], [], dict.fromkeys(("textblob", "alone"), 0.0)
    missing = [name for name in CORPORA if name not in result["corpora"]]
    for name, own in result["corpora"].items():
        printed = result["paper"]["type_per_cent"][name]
        theirs = result["paper"]["neighbours_per_cent"][name]
        for way, found in own.items():
            cells = [beside(value, theirs[k], 1) for k, value in found["neighbours"].items()]
            near.append([f"{name}, {WAYS[way]}", *cells, f"{found['by_chance']:.1f}"])
            types.append([f"{name}, {WAYS[way]}", *line(found["type_per_cent"], printed, 1)])
            if way in gaps:
                pairs = zip(found["type_per_cent"], printed, strict=True)
                gaps[way] += sum(abs(a - b) for a, b in pairs) / len(printed)
    return [
        "Table 2, GloVe: per cent of the k nearest words that are of a word's own class.",
        Grid(["", "k = 3", "5", "10", "20", "50", "by chance"], near),
        "Table 6, per cent of types.",
        Grid(["", "noun", "verb", "adjective", "adverb", "pronoun", "other"], types),
        difference(
            "The paper used nltk's tagger. Its trained weights are in no package; these are of"
            " textblob-aptagger (2013), which nltk's tagger is a port of. Words are tagged by"
            " themselves except where it says so. The shares of types are"
            f" {gaps['alone'] / len(result['corpora']):.1f} points from the printed ones on"
            f" average, by TextBlob {gaps['textblob'] / len(result['corpora']):.1f}, and in Gatsby"
            " the figures of words in their sentences are far from print: the authors, too, seem"
            " to have tagged words by themselves."
            + (f" Not run yet for {', '.join(missing)}." if missing else "")
        ),
    ]


def tables_7_and_8(result: Result) -> list[Block]:
    rows = []
    for name, ours in result["ours"].items():
        paper = result["paper"].get(name)
        theirs = summary(paper) if paper else ("", "")
        pairs = zip(summary(ours), theirs, strict=True)
        rows.append([name, *(f"{a} ({b})" if b else a for a, b in pairs)])
    shown = result["shown"]
    lists = [
        [name, "<br>".join(f"{n}. {text}" for n, text in enumerate(texts, 1))]
        for name, texts in shown["suggestions"].items()
    ]
    return [
        "Four sentences, five suggestions each: how many of the twenty repeat a content word of"
        " the query, and how many distinct content words they bring among all.",
        Grid(["", "repeat the query", "distinct content words"], rows),
        f"Suggestions to read, from the embedded sample, for “{shown['query']}”:",
        Grid(["", "suggestions"], lists),
        difference(result["difference"]),
    ]


def figures_2_and_5(result: Result) -> list[Block]:
    return [
        *picture("figures/figures-2-and-5-layout.png", "Words by t-SNE, coloured by class"),
        difference(
            "As in the paper, words of a class lie together in patches, with many exceptions."
            f" {_drawn(result)}"
        ),
    ]


def _drawn(result: Result) -> str:
    """How many words the layouts show."""
    if "figures" not in result:
        return "Only the 3,000 most frequent words of each corpus are shown; the paper draws all."
    took = result["figures"]["words_and_processor_seconds"]
    each = [f"{name} {words:,} in {seconds:.0f} s" for name, (words, seconds) in took.items()]
    return (
        f"All words with a vector are shown, as in the paper: {', '.join(each)} of processor time."
    )


def figure_3(result: Result) -> list[Block]:
    rows = []
    for name in CORPORA:
        if own := result["corpora"].get(name, {}).get("words"):
            line = [f"{own['slope']:.2f}", f"{own['r2']:.2f}"]
            rows.append([name, _exponent(own), *line, own["verdict"]])
    return [
        *picture("figures/figure-3-words.png", "Counts of words by rank, with line of best fit"),
        Grid(["", "exponent", "slope of the line", "R²", "verdict"], rows),
        *_said(result, "Slopes"),
    ]


def _exponent(own: Result) -> str:
    """The exponent of a fit with its interval; empty in older results."""
    value, low, high = own.get("exponent", (None, None, None))
    return "" if value is None else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def figures_4_and_6(result: Result) -> list[Block]:
    rows, fits, steep = [], [], 0
    for name in CORPORA:
        own = result["corpora"].get(name, {})
        for vectors in ("glove", "default"):
            if found := own.get(f"clusters_{vectors}"):
                fits.append(found["r2"])
                steep += found["nulls"][0]["slope"] <= found["slope"]
                ends = [r[end] for r in found.get("robustness", []) for end in ("low", "high")]
                rows.append([
                    f"{name}, {vectors}", str(own["paper"]["clusters"]), f"{found['slope']:.2f}",
                    f"{found['r2']:.2f}", f"{min(ends):.2f} to {max(ends):.2f}" if ends else "",
                    *(f"{null['slope']:.2f}" for null in found["nulls"]),
                ])  # fmt: skip
    languages = [
        [name, _exponent(own["words"]), *(f"{own[what]['slope']:.2f} ({own[what]['r2']:.2f})"
                                          for what in ("words", "clusters"))]
        for name, own in result.get("languages", {}).items()
    ]  # fmt: skip
    return [
        *picture("figures/figures-4-and-6-clusters.png", "Sizes of clusters of sentences by rank"),
        "Slopes of cluster sizes. *Range*: the slopes for k − 20 to k + 20 clusters and all seeds."
        " The last two columns have the slopes of null models: sentences refilled with words drawn"
        " at random, and a Gaussian cloud.",
        Grid(["", "k", "slope", "R²", "range", "shuffled", "Gaussian"], rows),
        "Beyond the paper, nine languages: the exponent of words, and the slopes (R²) of words and"
        " of 35 clusters.",
        Grid(["", "exponent", "words", "clusters"], languages),
        difference(
            "The paper reads slopes near −1 as Zipf's law and has no null models. Our R² are"
            f" {min(fits):.2f} to {max(fits):.2f}, so the sizes do not lie on a line, and sentences"
            f" of random words have at least as steep a slope in {steep} of {len(rows)} cases:"
            " the steep tail is no sign of themes."
        ),
    ]


def survey(result: Result) -> list[Block]:
    blocks: list[Block] = []
    for kind, title in (("choose3", "Choose three of five"), ("head2head", "Head to head")):
        part = result["published"][kind]
        rows = [
            [
                r["group"], NAMES[r["target"]], NAMES[r["method"]],
                str(r["asked"]), f"{r['per_cent']:.1f} [{r['low']:.1f}, {r['high']:.1f}]",
                "" if r["printed"] is None else str(r["printed"]), f"{r['chance']:.0f}",
            ]
            for r in part["shares"]
        ]  # fmt: skip
        blocks += [
            f"{title}: {part['participants']} students, {part['answers']:,} answers. From the"
            " published totals, per cent chosen with 95% intervals as if answers were independent.",
            Grid(["", "target", "method", "asked", "per cent", "printed", "chance"], rows),
        ]
    simulated = [
        [name, f"{r['published_inside_ours']} of {r['shares']}", f"{r['width_beside_independent']}"]
        for name, r in result.get("simulated", {}).items()
    ]
    heads = ["simulated students", "published shares inside", "width, independent answers = 1"]
    blocks += [
        "As many simulated students, whose tastes differ by *spread*, answer by the strengths that"
        " the totals suggest: how many published shares lie inside the 95% intervals found by"
        " `lexfield study analyse`, and how wide these are.",
        Grid(heads, simulated),
    ]
    return [*blocks, difference(" ".join(result["published"]["says"]))]


def slips(result: Result) -> list[Block]:
    rows = [
        [str(r["dimension"]), f"{r['truth']:.3f}", f"{r['corrected']:.3f}",
         f"{r['as_published']:.3f}"]
        for r in result["gaussians"]
    ]  # fmt: skip
    sample, squares = result["sample"], result["hellinger"]
    return [
        "KL of two Gaussian clouds whose divergence is known, by Eq. 4 with the exponent of the"
        " dimension and without it, as printed.",
        Grid(["dimensions", "truth", "`corrected`", "`as_published`"], rows),
        f"Labels of the {sample['texts']} texts of the sample: {sample['same_labels']} are the same"
        f" with both ({sample['right']['corrected']} right). Hellinger distance and its square"
        f" (Krstovski et al.): the ten nearest are the same for {squares['same_ten_nearest']} of"
        f" {squares['points']} mixtures; the largest value is"
        f" {squares['largest']['corrected']:.2f} and {squares['largest']['as_published']:.2f}.",
        "Hare et al. define Rényi's divergence with the factor 1/(1 − α), which makes it negative;"
        " their estimator has 1/(α − 1), as here.",
        difference(result["difference"]),
    ]


def _said(result: Result, *about: str) -> list[str]:
    told = [text for text in result["differences"] if text.partition(":")[0].split()[0] in about]
    parts = [text.partition(": ")[2] for text in told]
    return [difference(" ".join(part[:1].upper() + part[1:] for part in parts))]
