"""Krstovski et al.: nearest neighbours in the probability simplex."""

from __future__ import annotations

from page import Block, Grid
from simplex_neighbours import PAPER as TABLE_1

from shown.common import Result, difference, line, picture


def figure_1(result: Result) -> list[Block]:
    low, high = result["seen"]
    ours, paper = result["our_bounds_of_js_over_he"], result["paper_bounds_of_js_over_he"]
    return [
        *picture("simplex_bounds.png", "Jensen–Shannon against Hellinger on Dirichlet samples"),
        f"JS divided by He lies between {low:.3f} and {high:.3f} for {len(result['table'])} ×"
        f" {result['pairs_each']:,} pairs. The paper's bounds are {paper[0]} and {paper[1]}, ours"
        f" {ours[0]} and {ours[1]}; {result['outside_paper']} pairs are outside the paper's,"
        f" {result['outside_ours']} outside ours.",
        difference(result["difference"]),
    ]


def figure_2(result: Result) -> list[Block]:
    return [
        *picture("simplex_neighbours.png", "Share of neighbours found at each rank"),
        difference(result["figure_2_difference"] + _compare_numbers(result)),
    ]


def _compare_numbers(result: Result) -> str:
    """What LSH finds of 1,000 points and of 100, over all lengths, α and ranks but the first."""
    if "figure_2_of_100_points" not in result:
        return ""
    shares = []
    for key in ("figure_2", "figure_2_of_100_points"):
        lines = result[key]["LSH R=0.6"].values()
        shares.append(sum(sum(line[1:]) for line in lines) / sum(len(line) - 1 for line in lines))
    return (
        f" Of 100 points, as many as in the paper, LSH finds {shares[1]:.0%} of the neighbours from"
        f" rank 2 on, of 1,000 points {shares[0]:.0%}."
    )


def table_1(result: Result) -> list[Block]:
    table = result["table_1"]
    rows = []
    for name, r in table["rows"].items():
        paper = result["paper_table_1"].get(name, {})
        pair = [r[key] for key in ("map", "p@5", "r@5")]
        theirs = [paper[key] for key in ("map", "p@5", "r@5")] if paper else None
        speed = f"{r['speed-up']:,.0f}" + (f" ({paper['speed-up']:,.0f})" if paper else "")
        rows.append([name, *line(pair, theirs, 2), speed])
    return [
        f"{table['collection']}, {table['documents']:,} documents, {table['topics']} topics; the"
        " paper: NIH grants, 550 topics. Its figures in brackets.",
        Grid(["", "MAP", "P@5", "R@5", "speed-up over the loop"], rows),
        difference(result["table_1_difference"]),
    ]


def table_1_size(result: Result) -> list[Block]:
    rows = []
    for name, own in result["rows"].items():
        paper = TABLE_1.get(name)
        values = [own[key] for key in ("map", "p@5", "r@5")]
        speed = f"{own['speed-up']:,.0f}" + (f" ({paper[3]:,.0f})" if paper else "")
        cells = line(values, paper[:3] if paper else None, 2)
        asked, built = f"{own['queries']:,}", f"{own['seconds_to_build']:.0f}"
        rows.append([name, *cells, speed, f"{own['milliseconds']:.1f}", built, asked])
    share, checked = result["certified_beside_a_scan"]
    ours = result["rows"]["certified JS (ours)"]
    heads = ["", "MAP", "P@5", "R@5", "speed-up over the loop", "ms per query", "s to build",
             "queries"]  # fmt: skip
    return [
        f"{result['documents']:,} drawn mixtures of {result['topics']} topics; the paper's figures,"
        " on as many grants, in brackets. The loop takes"
        f" {result['loop_seconds_a_query']:.1f} s per query. Times are processor time on one"
        " thread.",
        Grid(heads, rows),
        difference(
            "The size is the paper's, the documents are not: drawn mixtures have no close"
            " relatives, so hashing with its radii finds next to nothing, and the tree has to look"
            " at nearly every document. The certified search finds"
            f" {'all' if share == 1 else f'{share:.1%} of'} neighbours that a full scan finds"
            f" ({checked} queries compared) and is {ours['speed-up']:,.0f} times as fast as the"
            " loop."
        ),
    ]


_WORDS = {"words (BM25)": "words (Xue and Croft)"}


def _table(result: Result, name: str, heads: list[str], digits: int, lead: str) -> list[Block]:
    ours, paper = result["mean_of_sets"][name], result["paper"][name]
    rows = [
        [row, *line(values, paper.get(_WORDS.get(row, row)), digits)]
        for row, values in ours.items()
    ]
    sets = ", ".join(result["sets"])
    return [
        f"{lead} Mean over {sets}; in brackets the paper's, on patents (its ranking by words is Xue"
        " and Croft's, ours BM25).",
        Grid(["", *heads], rows),
        difference(result["differences"][name]),
    ]


def table_2(result: Result) -> list[Block]:
    return _table(result, "table_2", ["MAP", "P@10", "R@10"], 3, "Retrieval with 500 topics.")


def table_3(result: Result) -> list[Block]:
    return _table(result, "table_3", _sizes(), 3, "P@10 by number of topics.")


def table_4(result: Result) -> list[Block]:
    return _table(result, "table_4", _sizes(), 1, "Times as fast as the loop with 500 topics.")


def table_5(result: Result) -> list[Block]:
    lead = "P@10 on the development queries, by how lists are combined."
    return _table(result, "table_5", ["by score", "by rank"], 3, lead)


def documents(result: Result) -> list[Block]:
    """Tables 2, 3 and 5 with whole documents as queries."""
    paper = result["paper"]
    mean = result["mean_of_sets"]
    blocks: list[Block] = [
        "Whole documents as queries, the paper's task: bug reports ask for their duplicates,"
        " newsgroup posts for posts of their group, Reuters articles for articles with one of their"
        " topics. MAP, P@10 and R@10 with"
        f" {result['sizes'][-1]} topics; in brackets the paper's, on patents with 500."
    ]
    sets = result["sets"]
    rows = [
        [row, *line(mean["table_2"][row], paper["table_2"].get(_DOCUMENT_ROWS.get(row, row)))]
        + [" / ".join(f"{value:.3f}" for value in one["table_2"][row]) for one in sets.values()]
        for row in mean["table_2"]
    ]
    blocks.append(Grid(["", "MAP", "P@10", "R@10", *sets], rows))
    heads = ["P@10", *_sizes()[: len(result["sizes"])]]
    rows = [
        [row, *line(v, paper["table_3"].get(row, ())[: len(v)] or None)]
        for row, v in mean["table_3"].items()
    ]
    blocks += ["Table 3, P@10 by number of topics.", Grid(heads, rows)]
    rows = [
        [row, *line(values, paper["table_5"].get(_DOCUMENT_ROWS.get(row, row)))]
        for row, values in mean["table_5"].items()
    ]
    blocks += ["Table 5, P@10 on the development queries.", Grid(["", "by score", "by rank"], rows)]
    parts = []
    for name, one in sets.items():
        gains = one["aggregated_over_words"]
        parts.append(
            f"{name} ({'-'.join(one['chosen'])}) MAP {gains['map']['difference']:+.3f}"
            f" (p {gains['map']['p']:.2g}), P@10 {gains['p@10']['difference']:+.3f}"
            f" (p {gains['p@10']['p']:.2g})"
        )
    told = (
        f"Fused with JS, the ranking by words changes by: {'; '.join(parts)}. The paper's gains"
        " +0.028 in MAP and +0.026 in P@10. These are other relations than citations between"
        " patents, on 1,500 to 2,503 documents in place of 1.6 million."
    )
    return [*blocks, difference(told)]


_DOCUMENT_ROWS = {**_WORDS, "generated query": "words (Xue and Croft)"}


def _sizes() -> list[str]:
    return ["50 topics", "100", "200", "500"]


def languages(result: Result) -> list[Block]:
    rows = [["words written alike (BM25)", result["words"]]]
    rows += [[f"{size} topics (JS)", one] for size, one in result["topics"].items()]
    best = max(one["mrr"] for one in result["topics"].values())
    verdict = "no better than" if best <= result["words"]["mrr"] else "better than"
    return [
        f"Translations found: {result['asked']} documents of three sentences (FLORES), each in"
        f" {len(result['languages'])} languages, ask in one language for themselves in another.",
        Grid(
            ["", "first", "mean reciprocal rank", "median rank"],
            [[name, f"{one['first']:.3f}", f"{one['mrr']:.3f}", f"{one['median_rank']:g}"]
             for name, one in rows],
        ),
        difference(
            "The paper names this use and prints no figures. By chance"
            f" {1 / result['asked']:.3f} are first. Mixtures, inferred from one language alone, are"
            f" {verdict} the names and numbers that two languages share, with a model fitted to"
            f" {result['documents'] - result['asked']} short documents."
        ),
    ]  # fmt: skip
