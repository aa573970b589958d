"""Hare et al., Tables 3 and 4: how varied suggestions are."""

from __future__ import annotations

from page import Block, Grid

from shown.common import Result, beside, difference


def _variety(result: Result, measure: str, digits: int) -> Grid:
    sizes = [size for size in result["paper"][measure] if size in result]
    rows = [
        [name, *(beside(result[size][name][measure],
                        result["paper"][measure][size].get(name), digits) for size in sizes)]
        for name in result[sizes[0]]
        if result[sizes[0]][name][measure] is not None
    ]  # fmt: skip
    return Grid(["", *(f"{int(size):,} queries" for size in sizes)], rows)


def table_3(result: Result) -> list[Block]:
    return [
        "Per cent of suggested sentences that no other method suggests.",
        _variety(result, "unique_per_cent", 2),
        difference(
            f"{_compare_order(result)} The books are 73 of 79, sentences are split by other rules,"
            " and GloVe 50d takes the place of fastText."
        ),
    ]


def _compare_order(result: Result) -> str:
    """Say for which numbers of queries the methods are ordered as in the paper."""
    sizes: dict[bool, list[str]] = {True: [], False: []}
    for size, paper in result["paper"]["unique_per_cent"].items():
        if size in result:
            ours = {name: result[size][name]["unique_per_cent"] for name in paper}
            same = sorted(paper, key=paper.__getitem__) == sorted(ours, key=ours.__getitem__)
            sizes[same].append(f"{int(size):,} queries")
    told = [f"{', '.join(some)}: {'yes' if same else 'no'}" for same, some in sizes.items() if some]
    return f"Are the methods in the paper's order? With {'; with '.join(told)}."


def table_4(result: Result) -> list[Block]:
    sizes = [size for size in ("100", "5000") if size in result]
    rows = [
        [name, *(beside(result[size][name]["relevance"], None) for size in sizes)]
        for name in result[sizes[0]]
    ]
    return [
        "Mean Jaccard similarity of two suggestions for one query, with stopwords.",
        _variety(result, "list_jaccard_with_stopwords", 4),
        *_with_punctuation(result, sizes),
        "Without stopwords.",
        _variety(result, "list_jaccard_without_stopwords", 4),
        "Relevance, which the paper does not measure: the mean cosine between query and suggestion"
        " by a sentence encoder that had no part in the search.",
        Grid(["", *(f"{int(size):,} queries" for size in sizes)], rows),
        difference(
            f"{_find_gaps(result, sizes)} Set cover repeats itself least, as in the paper; its"
            " plain form is also the least relevant of the methods, which the default corrects. The"
            " paper's table has its two columns, with and without stopwords, in the wrong order:"
            " its text and caption agree with the order here."
        ),
    ]


def _find_gaps(result: Result, sizes: list[str]) -> str:
    """How far the figures with stopwords are from the printed ones, counted in both ways."""
    paper, gaps = result["paper"]["list_jaccard_with_stopwords"], []
    for measure in ("list_jaccard_with_punctuation", "list_jaccard_with_stopwords"):
        found = [
            abs(result[size][name].get(measure, 0) - value)
            for size in sizes
            for name, value in paper[size].items()
        ]
        gaps.append(sum(found) / len(found))
    return (
        f"With stopwords, our figures differ from the printed ones by {gaps[0]:.3f} on average if"
        f" punctuation marks count as words, and by {gaps[1]:.3f} if they do not: the paper"
        " probably counted them."
    )


def _with_punctuation(result: Result, sizes: list[str]) -> list[Block]:
    """The same with punctuation marks as words, as in the paper."""
    measure, names = "list_jaccard_with_punctuation", list(result[sizes[0]])
    if measure not in result[sizes[0]][names[0]]:
        return []
    paper = result["paper"]["list_jaccard_with_stopwords"]
    rows = [
        [name, *(beside(result[size][name][measure], paper[size].get(name), 4) for size in sizes)]
        for name in names
    ]
    heads = ["", *(f"{int(size):,} queries" for size in sizes)]
    told = "With stopwords and punctuation marks, as the paper seems to have counted."
    return [told, Grid(heads, rows)]


def published_lists(result: Result) -> list[Block]:
    printed, rows = result["printed"], []
    for name, own in result["rows"].items():
        both = [own["list_jaccard_with_punctuation"], own["list_jaccard"]]
        rows.append(
            [
                name.replace("_", " "),
                f"{printed['list_jaccard'][name]:.4f}",
                *(f"{value:.4f}" for value in both),
                beside(own["list_jaccard_without_stopwords"],
                       printed["list_jaccard_without_stopwords"][name], 4),
                beside(100 * own["unique_share"], 100 * printed["unique_share"][name], 2),
            ]
        )  # fmt: skip
    heads = ["", "printed, with stopwords", "with punctuation", "without punctuation",
             "without stopwords", "unique, per cent"]  # fmt: skip
    gaps = {
        kind: sum(abs(own[kind] - printed["list_jaccard"][name])
                  for name, own in result["rows"].items()) / len(rows)
        for kind in ("list_jaccard_with_punctuation", "list_jaccard")
    }  # fmt: skip
    return [
        f"The measures of Tables 3 and 4 on the lists that the authors showed to students"
        f" ({result['queries']} queries), by our code; the printed figures in brackets.",
        Grid(heads, rows),
        difference(
            "The printed figures with stopwords are"
            f" {gaps['list_jaccard_with_punctuation']:.3f} from these on average if punctuation"
            f" marks count as words, and {gaps['list_jaccard']:.3f} if they do not: the gap to our"
            " Table 4 is mostly punctuation. The rest is how words are cut."
        ),
    ]
