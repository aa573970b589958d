"""Attribution beside plain refits, loops and searches; and what must not leak."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from lexfield.compare.authors import attribute
from lexfield.compare.clues import find_clues, find_place
from lexfield.compare.imposters import check_enough, find_leads
from lexfield.compare.layout import Layout
from lexfield.compare.scores import embed, regress, score_texts
from lexfield.compare.style import count_features, parse_features
from lexfield.errors import InputError
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document

TOPICS = ("garden", "journey", "kitchen", "machine", "market", "school", "sea", "stars")


def make_layout(rng: np.random.Generator) -> Layout:
    owners = np.repeat(np.arange(6), [1, 2, 3, 1, 2, 2])
    texts = np.arange(11, 17)
    left_out = [(0,), (1, 3), (2,), (3, 1), (4,), (5,), ()]
    return Layout(owners, np.array([0, 0, 1, 1, 2, 2]), texts, np.append(texts, 17), left_out)


def test_leaving_a_text_out_is_a_fit_without_it() -> None:
    rng = np.random.default_rng(1)
    layout = make_layout(rng)
    vectors = rng.standard_normal((18, 30))
    truth = np.eye(3)[layout.labels[layout.owners]]
    products = vectors @ vectors[:17].T
    found = regress(products, layout, truth, penalty=0.1)
    spread = np.trace(products[:11, :11]) / 11 - products[:11, :11].mean()
    for row, out in enumerate(layout.left_out):
        kept = np.flatnonzero(~np.isin(layout.owners, out))
        x = vectors[kept]
        # ridge regression with a free intercept, in primal form
        centred, base = x - x.mean(axis=0), truth[kept].mean(axis=0)
        penalty = 0.1 * spread * np.eye(30)
        slope = np.linalg.solve(centred.T @ centred + penalty, centred.T @ (truth[kept] - base))
        expected = (vectors[layout.asked[row]] - x.mean(axis=0)) @ slope + base
        assert found[row] == pytest.approx(expected, abs=1e-8)


def test_labels_at_random_are_found_by_chance(sample: Corpus) -> None:
    """Standardising and centring must not tell the label of the text that is left out."""
    rng = np.random.default_rng(0)
    drawn = rng.permutation(np.arange(64) % 8)
    texts = [
        Document(one.id, one.text, metadata={"author": str(label)})
        for one, label in zip(sample.documents, drawn, strict=True)
    ]
    for rule in ("ridge", "nearest", "nearest+ridge"):
        found = attribute(texts, "author", rule=rule)
        assert found.calibration.accuracy < 0.3  # one in eight
        assert found.calibration.mean_probability < 0.45


def test_every_text_from_all_the_others(sample: Corpus) -> None:
    found = attribute(list(sample.documents), "author")
    assert found.calibration.accuracy > 0.8
    assert abs(found.calibration.mean_probability - found.calibration.accuracy) < 0.1
    assert found.probabilities.sum(axis=1) == pytest.approx(1)
    assert [one.rule for one in found.method.tried] == ["nearest", "ridge", "nearest + ridge"]
    best = min(found.method.tried, key=lambda one: one.log_loss)
    assert best.rule == found.method.rule
    again = attribute(list(sample.documents), "author")
    assert (again.probabilities == found.probabilities).all()


def test_a_known_text_does_not_see_its_own_label(sample: Corpus) -> None:
    known = list(sample.documents)
    text = sample["pell-sea"]
    found = attribute(known, "author", [text])
    (note,) = found.notes
    assert note == "also among the known texts, so left out of them: pell-sea"
    wrong = Document(text.id, text.text, metadata={"author": "voss"})
    swapped = [wrong if one.id == text.id else one for one in known]
    again = attribute(swapped, "author", [text])
    pell, voss = (found.names.index(name) for name in ("pell", "voss"))
    assert again.probabilities[0, pell] > again.probabilities[0, voss]


def test_two_candidates_get_as_many_probabilities_as_texts(sample: Corpus) -> None:
    two = [d for d in sample.documents if d.metadata["author"] in ("pell", "voss")]
    said = attribute(two, "author").probabilities.max(axis=1).round(6)
    assert len(set(said)) > len(two) / 2
    assert said.max() - said.min() > 0.05


def test_a_short_text_is_less_certain_than_a_long_one(sample: Corpus) -> None:
    known = [one for one in sample.documents if one.id != "voss-sea"]
    words = sample["voss-sea"].text.split()
    texts = [Document(str(n), " ".join(words[:n])) for n in (20, len(words))]
    short, long = attribute(known, "author", texts).probabilities.max(axis=1)
    assert short < long


@pytest.mark.parametrize("rule", ["author", "svm", "logistic"])
def test_other_rules(sample: Corpus, rule: str) -> None:
    found = attribute(list(sample.documents), "author", features="char4", rule=rule)
    assert found.calibration.accuracy > 0.5
    assert found.method.rule == rule and list(found.method.weights) == [f"{rule}: char(4)"]


def test_a_measure_takes_the_place_of_the_cosine(sample: Corpus) -> None:
    found = attribute(list(sample.documents), "author", features="mfw(200)", measure="hellinger")
    assert found.method.measure == "hellinger" and found.calibration.accuracy > 0.4
    with pytest.raises(InputError, match="nearest or author for a measure"):
        attribute(list(sample.documents), "author", measure="js", rule="ridge")


def test_errors(sample: Corpus) -> None:
    known = list(sample.documents)
    with pytest.raises(InputError, match="No text has the field 'shoe'"):
        attribute(known, "shoe")
    with pytest.raises(InputError, match="rule must be one of"):
        attribute(known, "author", rule="guess")
    with pytest.raises(InputError, match="has no words"):
        attribute(known, "author", [Document("empty", " ")])
    own = [Document(str(n), f"text {n}", metadata={"author": str(n)}) for n in range(4)]
    with pytest.raises(InputError, match="Every author has only one text"):
        attribute(own, "author")
    single = [
        *known[:16],
        Document("x", "Only one text.", metadata={"author": "nobody"}),
        Document("y", "No author at all."),
        Document("z", " ", metadata={"author": "nobody"}),
    ]
    assert attribute(single, "author", [known[20]]).notes == [
        "left out, without author: y",
        "left out, without words: z",
        "authors with one text, which are candidates but cannot be checked: nobody",
        "texts in question whose author has no known text and so cannot be found: olufsen-market"
        " (olufsen)",
    ]


def test_imposters_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(5)
    layout = make_layout(rng)
    vectors = rng.standard_normal((18, 12))
    hidden = np.arange(7)[:, None] == np.arange(6)
    found = find_leads(vectors, layout, hidden, seed=7)
    again = np.random.default_rng(7)
    sums = np.zeros((7, 3, 3))
    for _ in range(100):
        columns = again.permutation(12)[:6]
        kept = again.random(6) < 0.5
        for row, author in product(range(7), range(3)):
            x = vectors[layout.asked[row], columns]

            def near(text: int, x: np.ndarray = x, columns: np.ndarray = columns) -> float:
                y = vectors[layout.texts[text], columns]
                return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

            seen = [text for text in range(6) if not hidden[row, text]]
            mine = [near(t) for t in seen if layout.labels[t] == author]
            others = [near(t) for t in seen if layout.labels[t] != author and kept[t]]
            rest = [near(t) for t in seen if layout.labels[t] != author]
            won = max(mine) > max(others, default=-1.0)
            sums[row, author] += [won, max(mine) - max(rest), max(mine)]
    assert found == pytest.approx(sums / 100)


def test_verification_orders_its_own_questions(sample: Corpus) -> None:
    known = [d for d in sample.documents if d.metadata["author"] != "pell"]
    checked = attribute(known, "author", [sample["pell-sea"]], verify=True).verification
    assert checked is not None and 0.6 < checked.auc[0] < 1
    assert checked.scores.shape == checked.probabilities.shape == (1, 7)
    assert ((checked.probabilities >= 0) & (checked.probabilities <= 1)).all()


def test_few_authors_cannot_be_verified(sample: Corpus) -> None:
    few = [
        d for d in sample.documents if d.metadata["author"] in ("pell", "voss", "weiss", "carter")
    ]
    with pytest.raises(InputError, match="5 authors with 3 texts each or 10 .*here are 4 and 4"):
        attribute(few, "author", verify=True)
    check_enough(np.full(10, 2), "author")
    with pytest.raises(InputError, match="here are 4 and 9"):
        check_enough(np.array([3] * 4 + [2] * 5), "author")


def test_the_nearest_text_is_scaled_as_by_a_loop() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdefghij"), 60)) for _ in range(15)]
    (counts,), (feature,) = count_features(texts, "mfw(10)"), parse_features("mfw(10)")
    left_out = [*[(row,) for row in range(11)], (11, 2), (), ()]
    labels = np.arange(12) % 3
    layout = Layout(np.arange(12), labels, np.arange(12), np.arange(14), left_out)
    found = score_texts(counts, feature, layout, ["nearest"])["nearest"]
    vectors = embed(counts, feature, slice(0, 12))
    vectors -= vectors[:12].mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    far = 1 - vectors @ vectors.T
    for row, left in enumerate(left_out):
        seen = [text for text in range(12) if text not in left]
        best = dict.fromkeys(range(3), np.inf)
        mine = np.mean(sorted(far[row, text] for text in seen)[:10])
        for text in seen:
            reach = np.mean(sorted(far[text, other] for other in seen if other != text)[:10])
            value = far[row, text] / np.sqrt(mine * reach)
            best[labels[text]] = min(best[labels[text]], value)
        assert -found[row] == pytest.approx(list(best.values()))


def test_copies_do_not_vouch_for_each_other(sample: Corpus) -> None:
    """Each text twice, with another heading, under labels drawn at random."""
    rng = np.random.default_rng(0)
    texts = [
        Document(f"{one.id}-{n}", f"Edition {n}.\n{one.text}", metadata={"author": str(label)})
        for one, label in zip(
            sample.documents[:32], rng.permutation(np.arange(32) % 4), strict=True
        )
        for n in range(2)
    ]
    assert attribute(texts, "author", features="mfw(200)").calibration.accuracy < 0.5


def test_an_answer_does_not_depend_on_its_company(sample: Corpus) -> None:
    known = sample.documents[:24]
    short = Document("short", " ".join(sample.documents[30].text.split()[:120]))
    asked = [short, *sample.documents[24:30]]
    every = attribute(known, "author", asked, features="mfw(300), char(3)", rule="nearest+ridge")
    alone = attribute(known, "author", [short], features="mfw(300), char(3)", rule="nearest+ridge")
    assert every.probabilities[0] == pytest.approx(alone.probabilities[0], abs=1e-12)
    assert every.checks[0].method.weights == alone.method.weights
    said = [one.calibration.accuracy for one in every.checks]
    assert alone.calibration.accuracy == said[0] < said[1] == every.calibration.accuracy
    assert every.checks[0].method != every.checks[1].method == every.method


def test_whether_a_text_is_theirs_does_not_depend_on_its_company(sample: Corpus) -> None:
    known, text = sample.documents[:40], sample.documents[46]
    short = Document("short", " ".join(sample.documents[45].text.split()[:60]))
    features = "function, char(3), mfw(500)"
    alone = attribute(known, "author", [text], features=features, verify=True)
    both = attribute(known, "author", [text, short], features=features, verify=True)
    used = [{name for name, w in one.method.weights.items() if w} for one in both.checks]
    assert used[1] - used[0], "the short text needs features that the long one does not"
    assert both.verification is not None and alone.verification is not None
    assert (both.verification.scores[0] == alone.verification.scores[0]).all()
    assert both.verification.probabilities[0] == pytest.approx(alone.verification.probabilities[0])


def test_neither_names_nor_order_change_an_answer(sample: Corpus) -> None:
    known = list(sample.documents[:40])
    asked = [Document("new", sample.documents[3].text[:900]), sample.documents[50]]
    names = sorted({one.metadata["author"] for one in known})
    other = dict(zip(names, reversed(names), strict=True))
    drawn = np.random.default_rng(4).permutation(len(known)).tolist()
    renamed = [
        Document(str(row), one.text, metadata={"author": other[one.metadata["author"]]})
        for row, one in ((row, known[row]) for row in drawn)
    ]
    for texts in (asked, None):
        a = attribute(known, "author", texts, features="mfw(300), char(3)", verify=True)
        b = attribute(renamed, "author", texts, features="mfw(300), char(3)", verify=True)
        rows = np.arange(2) if texts else np.array(drawn)
        assert a.method.rule == b.method.rule
        assert b.probabilities[:, ::-1] == pytest.approx(a.probabilities[rows], abs=1e-6)
        assert a.verification is not None and b.verification is not None
        assert (b.verification.scores[:, ::-1] == a.verification.scores[rows]).all()
        assert b.verification.auc == pytest.approx(a.verification.auc[rows])
        given = texts or [known[row] for row in drawn]
        assert [one.text for one in b.texts] == [one.text for one in given]


def test_another_language_is_not_judged(sample: Corpus) -> None:
    german = (
        "Der Hund lief durch den Wald und die Kinder suchten ihn noch am Abend vergeblich. " * 9
    )
    found = attribute(sample.documents[:24], "author", [Document("hund", german)])
    assert found.foreign.all() and found.probabilities[0] == pytest.approx([1 / 3] * 3)
    assert "another language" in found.notes[-1] and "hund" in found.notes[-1]


def test_clues_have_rates_and_a_place() -> None:
    text = "“Whilst I sat,” he said, “whilst it rained.” " * 5
    (feature,) = parse_features("word(1-2)")
    found = find_clues(
        text, ["whilst they slept whilst they sang"] * 3, ["while it is day"], [feature]
    )
    first = found[0]
    assert first.type == "whilst"
    assert first.text_rate == pytest.approx(1000 * 10 / 40)
    assert first.author_rate == pytest.approx(1000 / 3) and first.next_rate == 0
    assert first.context == '"[Whilst] I sat," he said, "whilst it rained."…'
    (feature,) = parse_features("char(4)")
    assert find_place("The whiles and whilst", "ilst", feature) == "The whiles and wh[ilst]"
    assert find_place("The whiles and whil", "whil ", feature) == "The whiles and [whil]"


def test_scores_say_where_no_text_is_left() -> None:
    texts = ["a b c", "a b d", "x y z"]
    (counts,) = count_features([*texts, *texts], "mfw(10)")
    layout = Layout(
        np.arange(3), np.array([0, 0, 1]), np.arange(3), np.arange(3), [(0,), (1,), (2,)]
    )
    for rule in ("nearest", "author", "ridge"):
        (feature,) = parse_features("mfw(10)")
        scores = score_texts(counts, feature, layout, [rule])[rule]
        assert np.isneginf(scores).tolist() == [[False, False], [False, False], [False, True]]


def test_parts_of_a_clue_are_no_further_clues() -> None:
    text = "whenever it rained she whistled, whenever it rained"
    clues = find_clues(
        text, [text] * 2, ["it was dry and she sang"] * 2, parse_features("mfw(50), char(3-5)")
    )
    types = [clue.type.strip() for clue in clues]
    assert "whenever" in types and "when" not in types and "ever" not in types
    assert not [a for a in types for b in types if a != b and len(a) > 2 and a in b]


def test_every_stage_says_how_far_it_is(sample: Corpus) -> None:
    steps: dict[str, list[tuple[int, int | None]]] = {}

    class Listener:
        def stage(self, name: str) -> None:
            steps[name] = []

        def __call__(self, done: int, total: int | None) -> None:
            steps[list(steps)[-1]].append((done, total))

    texts = list(sample.documents)
    attribute(texts, "author", texts[:1], features="mfw(100), char3", progress=Listener())
    assert list(steps) == ["looking for copies", "counting features", "comparing"]
    assert steps["looking for copies"] == [(n, len(texts)) for n in range(len(texts))]
    assert steps["counting features"] == steps["comparing"] == [(0, 2), (1, 2)]


def test_one_phrase_is_one_clue() -> None:
    """Of n-grams that overlap and are as frequent, one is listed: a longer one if it holds them."""
    text = "In the 1996/97 season he said it. The 1996/97 season it was, he said."
    features = parse_features("word(2-3), char(2-5)")
    clues = find_clues(text, [text, "In the 1996/97 season"], ["nothing of this kind"], features)
    (clue,) = [clue for clue in clues if "/" in clue.type]
    assert len(clue.type.split()) == 3


def test_few_words_are_judged_by_many_excerpts_of_few_texts(sample: Corpus) -> None:
    """One excerpt of each of four texts would fit eight weights to four cases."""
    named = {one.id: one for one in sample.documents}
    loss = []
    for first, second in combinations(("voss", "pell", "weiss", "belmonte"), 2):
        known = [named[f"{name}-{topic}"] for name in (first, second) for topic in TOPICS[:2]]
        texts = [named[f"{name}-{topic}"] for name in (first, second) for topic in TOPICS[2:]]
        asked = [
            Document(f"{one.id} {start}", " ".join(one.text.split()[start : start + 8]))
            for one in texts
            for start in range(0, 400, 100)
        ]
        found = attribute(known, "author", asked)
        truth = np.repeat([found.names.index(name) for name in (first, second)], len(asked) // 2)
        loss.append(-np.log(found.probabilities[np.arange(len(asked)), truth]).mean())
        assert found.calibration.texts == 4 and found.calibration.documents == 100
    assert np.mean(loss) < np.log(2)  # no worse than a guess


def test_short_texts_are_verified_by_one_excerpt_of_each_text(sample: Corpus) -> None:
    short = [Document("short", " ".join(sample.documents[0].text.split()[:100]))]
    found = attribute(list(sample.documents), "author", short, features="mfw(100)", verify=True)
    assert found.calibration.documents == 2 * found.calibration.texts
    assert found.verification is not None and len(found.verification.auc) == 1
