"""How words are written, as opposed to how they are counted: Elizabeth, not elizabeth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from lexfield.text.corpus import Corpus

_LOOKED_AT = 8  # places of a word
_LABEL = 5  # occurrences of a speaker


def find_written(
    corpus: Corpus, words: Iterable[str], document: int | None = None
) -> dict[str, str]:
    """Return words of a corpus, or of one of its documents, that are usually written differently.

    A few places of each word are looked at: inside sentences, or at their beginnings if there are
    many and no others, as of the speakers of a play, whose names need not be in capitals here.
    """
    known = {corpus.vocabulary.id(word): word for word in words}
    known.pop(-1, None)
    is_wanted = np.zeros(len(corpus.vocabulary), bool)
    is_wanted[list(known)] = True
    begin, end = 0, len(corpus.tokens)
    if document is not None:
        around = corpus.sentence_offsets[document : document + 2]
        begin, end = corpus.token_offsets[around].tolist()
    places = begin + np.flatnonzero(is_wanted[corpus.tokens[begin:end]])
    sentences = np.searchsorted(corpus.token_offsets, places, "right") - 1
    is_first = corpus.token_offsets[sentences] == places
    order = np.lexsort((is_first, corpus.tokens[places]))  # by word, its first places last
    found = {}
    for group in np.split(order, np.flatnonzero(np.diff(corpus.tokens[places[order]])) + 1):
        inside = group[~is_first[group]]
        own = inside if len(inside) or len(group) < _LABEL else group
        if not len(own):
            continue
        some = own[:: -(-len(own) // _LOOKED_AT)]
        read = (_read(corpus, int(places[one]), int(sentences[one])) for one in some)
        forms = Counter(form for form in read if form)
        word = known[int(corpus.tokens[places[group[0]]])]
        # Of equally frequent forms the smaller one; capitals, as in headings, only without others.
        order_of = {form: (not form.isupper() or form == "I", n, form) for form, n in forms.items()}
        usual = max(forms, key=order_of.__getitem__, default=word)
        if usual.isupper() and is_first[group].mean() > 0.5:
            usual = usual.capitalize()  # a speaker
        if usual != word:
            found[word] = usual
    return found


def _read(corpus: Corpus, place: int, sentence: int) -> str:
    """Return a token as its sentence has it; nothing if normalising joined or split words there."""
    text = str(corpus.sentences[sentence])
    spans = corpus.normalisation.word_spans(text)
    if len(spans) != len(corpus.sentence_tokens(sentence)):
        return ""
    begin, end = spans[place - int(corpus.token_offsets[sentence])]
    return text[begin:end]
