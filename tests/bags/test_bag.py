"""The examples and exercises of the lecture notes on multisets, and the laws of their algebra."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.bags.bag import Bag, join_phrases
from lexfield.errors import InputError

JOHN = "only john could like john".split()
POLICE = "if police police police police police then police police police police police".split()


def test_example_1_bags_of_words() -> None:
    assert Bag.of(JOHN) == {"only": 1, "john": 2, "could": 1, "like": 1}
    assert Bag.of(POLICE) == {"if": 1, "police": 10, "then": 1}
    assert Bag.of("Only John could like John!") == Bag.of(JOHN)


def test_exercise_1_sets_are_equal_bags_are_not() -> None:
    first, second = Bag.of("John shaved."), Bag.of("John shaved John.")
    assert first.set() == second.set()
    assert first != second


def test_examples_2_and_3_bigrams_types_and_tokens() -> None:
    bag = Bag.of(POLICE, n=2)
    assert bag == {"if police": 1, "police police": 8, "police then": 1, "then police": 1}
    assert (bag.types, bag.tokens) == (4, 11)
    assert bag["police", "police"] == bag["police police"] == 8
    assert bag["then then"] == 0
    assert Bag.of(JOHN, n=2).set() == {"only john", "john could", "could like", "like john"}


def test_exercise_3_trigrams() -> None:
    assert Bag.of(POLICE, n=3) == {
        "if police police": 1,
        "police police police": 6,
        "police police then": 1,
        "police then police": 1,
        "then police police": 1,
    }


def test_exercise_3_as_it_is_printed() -> None:
    """The exercise has one police less after then than the examples: five trigrams are alike."""
    assert Bag.of(POLICE[:-1], n=3) == {
        "if police police": 1,
        "police police police": 5,
        "police police then": 1,
        "police then police": 1,
        "then police police": 1,
    }


def test_bigram_sets_of_the_programs() -> None:
    """The notes' printed lists are cut off at the margin; the counts are those of all words."""
    assert Bag.of(JOHN, n=2) == dict.fromkeys(
        ["only john", "john could", "could like", "like john"], 1
    )
    assert Bag.of(POLICE, n=2).set() == {
        "then police",
        "police police",
        "police then",
        "if police",
    }
    assert Bag.of(JOHN).set() == {"only", "john", "could", "like"}
    assert Bag.of(POLICE).set() == {"if", "police", "then"}


def test_example_4_frequencies() -> None:
    assert Bag.of(POLICE, n=2).frequencies() == {
        "police police": 8 / 11,
        "if police": 1 / 11,
        "police then": 1 / 11,
        "then police": 1 / 11,
    }


def test_example_5_relevance() -> None:
    """The notes print likes : 0.5; one token of eight is 0.125."""
    frequencies = Bag.of("Only John thinks John thinks John likes John").frequencies()
    assert frequencies == {"john": 0.5, "thinks": 0.25, "likes": 0.125, "only": 0.125}
    assert frequencies["only"] + frequencies["john"] == 0.625


def test_exercise_4_four_sentences() -> None:
    text = "John misses Mary Mary misses Misses Chives I hate chives with a passion I love passion"
    lower = Bag.of(f"{text} fruit")
    assert (lower.types, lower.tokens) == (11, 17)
    assert lower.frequencies() == {
        "misses": 3 / 17,
        **dict.fromkeys(["chives", "i", "mary", "passion"], 2 / 17),
        **dict.fromkeys(["a", "fruit", "hate", "john", "love", "with"], 1 / 17),
    }
    # with capitals kept, and names and fruit as words of their own
    words = [*text.split()[:5], "Misses Chives", *text.split()[7:-1], "passion fruit"]
    kept = Bag(words)
    assert (kept["misses"], kept["Misses Chives"], kept["chives"], kept["passion"]) == (2, 1, 1, 1)
    assert kept.tokens == 15


def test_exercise_5_pronouns_hide_john() -> None:
    bag = Bag.of("Only John thinks he thinks he thinks he likes himself")
    assert bag.tokens == 10
    assert bag.frequencies()["john"] == 0.1  # though all of it is about him


SITES = {
    "w1": Bag({"Aristotle": 9, "ethics": 3, "metaphysics": 0, "Plato": 6, "Sokrates": 0}),
    "w2": Bag({"Aristotle": 1, "ethics": 0, "metaphysics": 9, "Plato": 5, "Sokrates": 0}),
    "w3": Bag({"Aristotle": 4, "ethics": 9, "metaphysics": 5, "Plato": 8, "Sokrates": 2}),
    "w4": Bag({"Aristotle": 0, "ethics": 7, "metaphysics": 3, "Plato": 9, "Sokrates": 0}),
}


def over_sites(word: str) -> Bag:
    return Bag({site: bag[word] for site, bag in SITES.items()})


def best_first(bag: Bag) -> list[object]:
    return [site for site, _ in bag.most_common()]


A = over_sites("Aristotle")
P = over_sites("metaphysics")


def test_example_6_and_exercise_6_a_bag_of_sites_for_a_word() -> None:
    assert A == {"w1": 9, "w2": 1, "w3": 4, "w4": 0}
    assert P == {"w1": 0, "w2": 9, "w3": 5, "w4": 3}
    assert over_sites("ethics") == {"w1": 3, "w2": 0, "w3": 9, "w4": 7}
    assert over_sites("Plato") == {"w1": 6, "w2": 5, "w3": 8, "w4": 9}


def test_exercise_7_ethics_and_plato() -> None:
    both = over_sites("ethics") + over_sites("Plato")
    assert both == {"w1": 9, "w2": 5, "w3": 17, "w4": 16}


def test_exercise_8_three_words_by_weight() -> None:
    """First words weigh most: 3, 2 and 1."""
    query = 3 * over_sites("ethics") + 2 * over_sites("Plato") + 1 * over_sites("Aristotle")
    assert query == {"w1": 30, "w2": 11, "w3": 47, "w4": 39}
    assert best_first(query) == ["w3", "w4", "w1", "w2"]


def test_order_of_matches() -> None:
    """The notes name w3 and w4 after w1 in the weighted sum; 21 puts w2 before w4."""
    assert best_first(A + P) == ["w2", "w1", "w3", "w4"]
    assert best_first(3 * A + 2 * P) == ["w1", "w3", "w2", "w4"]


def test_examples_7_and_8_sums_and_scalar_multiples() -> None:
    assert A + P == {"w1": 9, "w2": 10, "w3": 9, "w4": 3}
    assert 3 * A == {"w1": 27, "w2": 3, "w3": 12, "w4": 0}
    assert P * 2 == {"w1": 0, "w2": 18, "w3": 10, "w4": 6}
    assert 3 * A + 2 * P == {"w1": 27, "w2": 21, "w3": 22, "w4": 6}
    assert (3 * A + 2 * P)["w3"] == 22
    assert Bag() == A - A


bags = st.dictionaries(st.sampled_from("abcd"), st.integers(-5, 5)).map(Bag)


@given(bags, bags, bags, st.integers(-5, 5), st.integers(-5, 5))
def test_laws(a: Bag, b: Bag, c: Bag, m: int, n: int) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert m * (a + b) == m * a + m * b
    assert (m + n) * a == m * a + n * a
    assert (a + b).tokens == a.tokens + b.tokens
    assert hash(a + Bag({"z": 0})) == hash(a)


@given(st.lists(st.sampled_from("xyz"), min_size=1), st.integers(1, 4))
def test_frequencies_add_up_to_one(words: list[str], n: int) -> None:
    bag = Bag.of(words, n=n)
    assert bag.tokens == max(0, len(words) - n + 1)
    if bag:
        assert sum(Fraction(f).limit_denominator(1000) for f in bag.frequencies().values()) == 1


def test_bad_use() -> None:
    with pytest.raises(InputError, match="n must be"):
        Bag.of(JOHN, n=0)
    with pytest.raises(InputError, match="add up to 0"):
        Bag({"a": 1, "b": -1}).frequencies()
    assert Bag().frequencies() == {}
    with pytest.raises(TypeError):
        A + {"w1": 1}  # type: ignore[operator]
    with pytest.raises(TypeError):
        A * "3"  # type: ignore[operator]


def test_tables() -> None:
    assert Bag.of(JOHN).to_dicts()[0] == {"type": "john", "count": 2, "frequency": 0.4}
    pytest.importorskip("pandas", reason="needs lexfield[pandas]")
    assert Bag.of(JOHN).to_pandas()["count"].tolist() == [2, 1, 1, 1]


def test_display() -> None:
    assert repr(Bag.of(JOHN)) == (
        "<Bag of 4 types, 5 tokens: {john: 2, could: 1, like: 1, only: 1}>"
    )
    assert "<td>john</td><td>2</td>" in Bag.of(JOHN)._repr_html_()
    assert "<script>" not in Bag(["<script>"])._repr_html_()


def test_multiset_algebra_by_hand() -> None:
    a, b = Bag({"x": 3, "y": 1}), Bag({"x": 1, "z": 2})
    assert a | b == Bag({"x": 3, "y": 1, "z": 2})
    assert a & b == Bag({"x": 1})
    assert a.difference(b) == Bag({"x": 2, "y": 1})
    assert a & b <= a <= a | b and not a <= b
    assert (a | b) + (a & b) == a + b  # as for sets: |A ∪ B| + |A ∩ B| = |A| + |B|


def test_phrases_are_words_that_contain_spaces() -> None:
    words = "i love passion fruit salad with passion".split()
    phrases = [["passion", "fruit"], ["passion", "fruit", "salad"]]
    assert join_phrases(words, phrases) == ["i", "love", "passion fruit salad", "with", "passion"]
