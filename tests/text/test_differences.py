"""What differs between nearly equal texts, in hand-made cases."""

from __future__ import annotations

import re
import time
from itertools import product

import pytest

from lexfield.text.differences import find_differences
from lexfield.text.forms import find_base_forms, read_table
from lexfield.text.normalise import find_stemmer
from lexfield.text.numerals import find_numerals
from lexfield.text.stopwords import stopwords


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("The boat came home.", "The boat did not come home.", ['"not" only here']),
        ("The boat didn't sink.", "The boat sank.", ['"didn\'t" only in the query']),
        ("He smokes.", "He never smokes.", ['"never" only here']),
        ("Tea with milk, no sugar", "Tea with milk, sugar", ['"no" only in the query']),
        ("It is not known.", "It is not not known.", ['"not" once more here']),
        ("Tea with milk", "Tea without milk", ['"without" only here']),
        ("Call no. 5 tonight", "Call number 5 tonight", ['"number" only here']),
        ("The cat sat on the mat.", "The cat sat under the mat.", ["on → under"]),
        ("Write to my sister", "Write to your sister", ["my → your"]),
        ("Cats and dogs", "Cats or dogs", ["and → or"]),
        ("The train leaves at 9 am", "The train leaves at 9 pm", ["am → pm"]),
        ("3 cats slept", "30 cats slept", ["3 → 30"]),
        ("It cost three dollars", "It cost 30 dollars", ["three → 30"]),
        ("Three men ride", "Two men ride", ["Three → Two"]),
        ("Two men ride.", "A man rides.", ['"Two" only in the query']),
        ("The A380 landed late", "The A320 landed late", ["A380 → A320"]),
        ("2 trains and 40 men", "3 trains and 50 men", None),
        ("The market rose.", "The market fell.", ["rose → fell (opposites)"]),
        ("Sales increased again", "Sales decreased again", ["increased → decreased (opposites)"]),
        ("The tea was hotter", "The tea was colder", ["hotter → colder (opposites)"]),
        ("He is happy today", "He is unhappy today", ["happy → unhappy (opposites)"]),
        ("It was possible then", "It was impossible then", ["possible → impossible (opposites)"]),
        ("an unpainted house wall", "a painted house wall", ["unpainted → painted (opposites)"]),
        ("The lift goes up", "The lift goes down", ["up → down (opposites)"]),
        ("We flew to New York then.", "We flew to London then.", ["New York → London"]),
        ("I saw Anna and Peter sail", "I saw Anna sail", ['"Peter" only in the query']),
        ("Stocks Rise On Wall Street", "Stocks Fall On Wall Street", ["Rise → Fall (opposites)"]),
        ("A man plays a guitar", "A man plays a flute", ["guitar → flute"]),
        ("A man is singing.", "A man is dancing.", ["singing → dancing"]),
        ("Dogs bite men", "Men bite dogs", ["the same words in another order"]),
    ],
)
def test_differences_are_named(query: str, text: str, expected: list[str] | None) -> None:
    if expected is None:
        expected = ['"2", "40" only in the query', '"3", "50" only here']
    assert find_differences(query, text) == expected


def test_words_of_one_text_are_listed_once_whatever_their_kind() -> None:
    found = find_differences("two kids playing soccer", "Children play soccer in a field.")
    assert found == ['"two", "kids" only in the query', '"Children", "field" only here']


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("", ""),
        ("", "A storm."),
        ("…", "!"),
        ("The boat came home.", "The boat came home."),
        ("The boat came home.", "the boats come home"),
        ("One man rides.", "A man rides."),
        ("a hard hat", "a hardhat"),
        ("It took 100,000 men", "It took one hundred thousand men"),
        ("He doesn’t sail", "He does not sail"),
        ("The boat came home before the storm.", "Bread wants a slow fire."),  # not nearly equal
        ("A storm", "The storm broke the mast of the ship and nobody came home that night."),
        ("Two 750ml bottles", "Two 750 ml bottles"),
        ("The cat sat on the mat.", "A cat sat on a mat."),
        ("People who smoke", "People that smoke"),
    ],
)
def test_nothing_is_said_of_equal_or_unrelated_texts(query: str, text: str) -> None:
    assert find_differences(query, text) == []


def test_other_languages_have_numbers_and_names_only() -> None:
    query, text = "Das Haus kostet 3 Euro in Berlin.", "Das Haus kostet nie 30 Euro in Wien."
    assert find_differences(query, text, "de") == ["3 → 30", "Berlin → Wien"]
    assert find_differences("la mer est calme", "la mer est chaude", "fr") == []
    assert find_differences("1.000 Schiffe sanken", "1000 Schiffe sanken", "de") == []
    assert find_differences("storm at 3 today", "storm at 4 today", "none") == ["3 → 4"]


def test_swapping_the_texts_swaps_the_sides() -> None:
    assert find_differences("He sails.", "He never sails.") == ['"never" only here']
    assert find_differences("He never sails.", "He sails.") == ['"never" only in the query']


def test_long_texts_take_linear_time() -> None:
    long = "The quick brown fox jumps over 7 lazy dogs. " * 2_000
    start = time.perf_counter()
    assert find_differences(long, f"{long} It did not.") == ['"not" only here']
    assert time.perf_counter() - start < 10
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}x" for i in range(400)]
    (missing,) = find_differences(" ".join(words), " ".join(words[:300]))
    assert re.fullmatch(r'("\w+", ){3}"\w+" and 96 more only in the query', missing)


def test_opposites_and_irregular_forms_are_words() -> None:
    opposites, irregular = read_table("opposites"), read_table("irregular")
    assert all(len(line) >= 2 and len(set(line)) == len(line) for line in opposites)
    assert all(len(line) == 2 and line[0] != line[1] for line in irregular)
    for one, other in (("fall", "rise"), ("cold", "hot"), ("decrease", "increase")):
        assert any(line[0] == one and other in line for line in opposites)


def test_base_forms() -> None:
    assert len(set(find_base_forms(["rise", "rises", "rose", "risen", "rising"], "en"))) == 1
    assert find_base_forms(["boats", "men"], "none") == ["boats", "men"]
    assert find_stemmer("de") == "german" and find_stemmer("zh") == "none"
    assert "the" in stopwords("en")


NUMBERS = [
    ("3", "three"),
    ("21", "twenty one"),
    ("205", "two hundred and five"),
    ("1000", "1,000"),
    ("2000000", "2 million"),
    ("2500", "two thousand five hundred"),
    ("100000", "one hundred thousand"),
    ("1500000", "1.5 million"),
    ("24", "two dozen"),
    ("3rd", "third"),
    ("3.5", "3,5"),
]


def test_numbers_are_equal_in_digits_and_in_words() -> None:
    for (digits, words), (other, _) in product(NUMBERS, NUMBERS):
        (one,), (two,) = (find_numerals(t.split(), True) for t in (words, other))
        assert (one[0] == two[0]) == (digits == other), (words, other)
        assert one[1:] == (0, len(words.split()) - 1)


def test_neighbouring_numbers_stay_apart() -> None:
    found = [key for key, _, _ in find_numerals("one two 3 and four or 1990s".split(), True)]
    assert found == ["1", "2", "3", "4", "1990s"]
    assert find_numerals(["three", "3"], False) == [("3", 1, 1)]


def test_a_minus_is_a_difference_and_a_dash_is_none() -> None:
    assert find_differences("-5 degrees in Bergen", "5 degrees in Bergen") == ["-5 → 5"]
    assert find_differences("it fell to −5 degrees", "it fell to 5 degrees") == ["-5 → 5"]
    assert find_differences("pages 3-5 were lost", "pages 3 – 5 were lost") == []
    assert find_differences("the A-5 report came", "the A5 report came") != ["-5 → 5"]
