"""HTML: the text of a page, without what surrounds it."""

from __future__ import annotations

import pytest

from lexfield.text.formats.html import to_text


def test_anchors_are_not_links() -> None:
    text = "Der Zug fuhr ab. " * 5
    for anchor in ('<a id="x"/>', '<a id="x" />', '<a name="x">', "<A NAME=x>"):
        page = "".join(f"<h2>{anchor}Kapitel {n}</h2><p>{text}</p>" for n in range(5))
        assert to_text(f"<html><body>{page}</body></html>")[0].count("Zug") == 25
    menu = "<li><a href=http://a.b/>One</a></li>" * 4
    assert to_text(f"<html><body><ul>{menu}</ul><p>{text}</p></body></html>")[0] == text.strip()


@pytest.mark.parametrize(
    "around",
    [
        '<div role="navigation"><h2>Menu</h2><p>OUT</p></div>',
        '<div id="footer" role="contentinfo"><p>OUT</p></div>',
        '<div class="toc" id="toc"><h2>OUT</h2></div>',
        '<h2>History<span class="mw-editsection">[<a href="e">OUT</a>]</span></h2>',
        '<p>It began.<sup class="reference"><a href="#n">[OUT]</a></sup></p>',
        '<div id="comments"><ol><li><div>OUT</div> nice post</li></ol></div>',
        '<div class="box cookie-banner">OUT</div>',
        '<section role="doc-endnotes"><ol><li>OUT</li></ol></section>',
    ],
)
def test_what_surrounds_a_text_is_left_out(around: str) -> None:
    page = f"<html><body><h1>A</h1>{around}<p>The main text of it.</p></body></html>"
    text = to_text(page)[0]
    assert "OUT" not in text and "The main text of it." in text


def test_the_notes_of_a_book_are_left_out_but_not_its_headers() -> None:
    chapter = (
        '<div class="toc">I</div><p>Text.<a epub:type="noteref" href="#1">1</a> More.</p>'
        '<aside epub:type="footnote"><p>OUT</p></aside><p>End.</p>'
    )
    assert to_text(chapter, is_page=False)[0] == "I\n\nText. More.\n\nEnd."
