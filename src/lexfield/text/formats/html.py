"""HTML: the main text of a page, without scripts, menus, headers, footers, comments and footnotes.

The scanner is linear in the length of the page, whatever it holds; the one of Python's library is
quadratic for some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape

from lexfield.text.document import Document
from lexfield.text.source import CUT_OFF, Source, name_text

CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_TAG = re.compile(r"""<(/?)([a-zA-Z][\w:-]*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>""")
_ATTRIBUTE = re.compile(
    r"""([a-zA-Z][\w:.-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.ASCII
)
_RAW = frozenset("script style textarea noscript template iframe svg math object".split())
_RAW_END = {name: re.compile(f"</{name}\\b[^<>]*+>", re.IGNORECASE) for name in (*_RAW, "title")}
_ASIDE = frozenset("nav footer aside form header menu select button dialog".split())
_FOLLOWED = _ASIDE | set("a main article head".split())  # elements that may be open
_NOTED = _FOLLOWED | {"body", "br", "html", "meta"}
_BLOCKS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr blockquote pre section article main body"
    " figure figcaption header footer nav aside form hr address head html caption td th".split()
)
_CLOSED = frozenset(  # always by a tag of its own
    "div section article aside span ul ol table a sup".split()
)
_NOTES = frozenset(
    "noteref footnote footnotes endnote endnotes rearnote rearnotes doc-noteref doc-backlink"
    " doc-endnote doc-endnotes doc-footnote".split()
)
_ROLES = frozenset(
    "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar"
    " doc-toc".split()
)
_NAMES = frozenset(  # classes and ids that the usual programs give to what surrounds a text
    "breadcrumb breadcrumbs catlinks comment-respond comments comments-area cookie-banner"
    " cookie-consent cookie-notice footer headerlink mw-editsection mw-jump-link mw-navigation"
    " navbar navbox noprint printfooter reference related-posts screen-reader-text share-buttons"
    " sharedaddy sidebar site-footer sitesub skip-link social-share sphinxsidebar toc".split()
)
_LONGEST = 500  # characters of attributes that are looked at
_EMPTY = frozenset(("br", "meta"))
_BEFORE_SLASH = "\"' \t\n"  # that closes a tag; a slash can also end an address without quotes
_QUOTED = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_FIELDS = {
    "author": "author", "article:author": "author", "dc.creator": "author", "dc.title": "title",
    "date": "date", "article:published_time": "date", "dc.date": "date", "dcterms.date": "date",
    "dc.language": "language", "og:title": "title",
}  # fmt: skip
_MENU, _LINKED = 3, 0.8  # links in a row, and the share of a paragraph that makes it a link
_SHARE = 0.3  # of the letters of a page, which its main part has at least


@dataclass
class _Paragraph:
    text: str
    linked: float
    is_main: bool


@dataclass
class _Page:
    """What has been read so far. An element that is never closed reaches to the end of the page."""

    is_page: bool
    fields: dict[str, str] = field(default_factory=dict)
    paragraphs: list[_Paragraph] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    linked: int = 0
    opened: dict[str, int] = field(default_factory=dict)
    asides: int = 0  # of them, those that are not the text of a page
    hidden: int = 0  # elements called hidden_name that are open inside a hidden one, with itself
    hidden_name: str = ""

    def is_in(self, name: str) -> bool:
        return self.opened.get(name, 0) > 0

    def add(self, text: str) -> None:
        if not text or self.hidden or self.is_in("head") or (self.is_page and self.asides):
            return
        self.pieces.append(text)
        if self.opened.get("a", 0) > 0:
            self.linked += len(text.strip())

    def finish(self) -> None:
        """End a paragraph."""
        if not self.pieces:
            return
        text = unescape("".join(self.pieces))
        if "\0" in text:
            lines = (" ".join(line.split()) for line in text.split("\0"))
            text = "\n".join(filter(None, lines))
        else:
            text = " ".join(text.split())
        if text:
            is_main = self.is_in("main") or self.is_in("article")
            self.paragraphs.append(_Paragraph(text, self.linked / len(text), is_main))
        self.pieces.clear()
        self.linked = 0

    def open(self, name: str, attributes: str) -> None:
        if name in _BLOCKS:
            self.finish()
        if attributes.endswith("/") and attributes[-2:-1] in _BEFORE_SLASH and name not in _EMPTY:
            return  # as XHTML writes an anchor: <a id="top"/>
        if self.hidden:
            self.hidden += name == self.hidden_name
        elif name in _CLOSED and attributes and _is_outside(attributes, self.is_page):
            self.hidden, self.hidden_name = 1, name
        if name not in _NOTED:
            return
        if name == "body":
            self.opened.clear()  # a head that was not closed ends here
            self.asides = 0
        elif name == "br":
            self.pieces.append("\0")
        elif name == "html" and (code := _read_attributes(attributes).get("lang")):
            self.fields.setdefault("language", code)
        elif name == "meta":
            values = _read_attributes(attributes)
            known = _FIELDS.get((values.get("name") or values.get("property") or "").lower())
            if known and values.get("content"):
                self.fields.setdefault(known, values["content"])
        # A header inside the main text is its heading, not that of the site.
        elif name == "header" and (self.is_in("main") or self.is_in("article")):
            return
        elif name == "a":
            self.opened["a"] = int("href" in attributes.lower())  # links cannot be nested
            return
        if name in _FOLLOWED:
            self.opened[name] = self.opened.get(name, 0) + 1
            self.asides += name in _ASIDE

    def close(self, name: str) -> None:
        if name in _BLOCKS:
            self.finish()
        if self.is_in(name):
            self.opened[name] -= 1
            self.asides -= name in _ASIDE
        if self.hidden and name == self.hidden_name:
            self.hidden -= 1


def _is_outside(attributes: str, is_page: bool) -> bool:
    """Do the attributes say that an element is not shown, or not part of the text?"""
    if ("hidden" in attributes or "none" in attributes) and _is_hidden(attributes):
        return True
    is_named = any(name in attributes for name in ("class", "id", "role", "epub:type"))
    return is_named and _surrounds(attributes[:_LONGEST], is_page)


@lru_cache(10_000)
def _surrounds(attributes: str, is_page: bool) -> bool:
    """Do the attributes name something that is not part of the text of a page or a book?"""
    values = {name: value.lower() for name, value in _read_attributes(attributes).items()}
    roles = {*values.get("role", "").split(), *values.get("epub:type", "").split()}
    names = {*values.get("class", "").split(), *values.get("id", "").split()}
    return bool(roles & _NOTES) or (is_page and bool(roles & _ROLES or names & _NAMES))


def _is_hidden(attributes: str) -> bool:
    """Do the attributes say that an element is not shown?"""
    style = _read_attributes(attributes).get("style", "").replace(" ", "").lower()
    return "display:none" in style or "hidden" in _QUOTED.sub(" ", attributes).lower().split()


def _read_attributes(text: str) -> dict[str, str]:
    found = _ATTRIBUTE.finditer(text)
    values = ((one[1].lower(), unescape(one[2] or one[3] or one[4] or "")) for one in found)
    return {name: " ".join(value[:1000].split()) for name, value in values}


def to_text(page: str, is_page: bool = True) -> tuple[str, dict[str, str]]:
    """Return the text of HTML, and what it says about itself.

    is_page: leave out what surrounds the text of a web page; a chapter of a book is read whole.
    """
    read = _Page(is_page)
    page = page.replace("\0", "")
    place, end = 0, len(page)
    while place < end:
        start = page.find("<", place)
        if start < 0:
            read.add(page[place:])
            break
        read.add(page[place:start])
        place = _read_tag(page, start, read)
    read.finish()
    return _choose_main(read.paragraphs, is_page), read.fields


def _read_tag(page: str, start: int, read: _Page) -> int:
    """Read what begins with ``<``; return where it ends. What is not closed is left out."""
    tag = _TAG.match(page, start)
    if tag is None:
        return _read_other(page, start, read)
    name = tag[2].lower()
    if tag[1]:
        read.close(name)
    elif name in _RAW_END and not tag[3].endswith("/"):
        stop_tag = _RAW_END[name].search(page, tag.end())
        if name == "title" and stop_tag:
            text = unescape(page[tag.end() : min(stop_tag.start(), tag.end() + 1000)])
            read.fields.setdefault("title", " ".join(text.split()))
        return stop_tag.end() if stop_tag else len(page)
    else:
        read.open(name, tag[3])
    return tag.end()


def _read_other(page: str, start: int, read: _Page) -> int:
    """Read a comment, a declaration, a sign, or a tag whose quotes do not match."""
    is_comment = page.startswith("<!--", start)
    following = page[start + 1 : start + 2]
    if not (following.isalpha() or (following and following in "/!?")):
        read.add("&lt;")
        return start + 1
    end = "-->" if is_comment else ">"
    stop = page.find(end, start + 4 * is_comment)
    return len(page) if stop < 0 else stop + len(end)


def _choose_main(paragraphs: list[_Paragraph], is_page: bool) -> str:
    """Return the main part of a page if it has one, without lists that hold only links."""
    if is_page:
        main = [one for one in paragraphs if one.is_main]
        letters, every = (sum(len(one.text) for one in part) for part in (main, paragraphs))
        if main and letters >= _SHARE * every:
            paragraphs = main
        paragraphs = list(_leave_out_menus(paragraphs)) or paragraphs
    return "\n\n".join(one.text for one in paragraphs)


def _leave_out_menus(paragraphs: list[_Paragraph]) -> Iterator[_Paragraph]:
    menu: list[_Paragraph] = []
    for one in paragraphs:
        if one.linked >= _LINKED:
            menu.append(one)
            continue
        if len(menu) < _MENU:
            yield from menu
        menu = []
        yield one
    if len(menu) < _MENU:
        yield from menu


def read(source: Source) -> Iterator[Document]:
    """Read a web page."""
    page = source.text(CHARSET)
    text, known = to_text(page)
    text = text or to_text(page, is_page=False)[0]  # perhaps a menu that is never closed
    known = {name: value for name, value in known.items() if value}
    if re.search("<html[ >]", page[:4096], re.I) and "</html" not in page[-65536:].lower():
        source.notes.append(f"{source}: {CUT_OFF}")
    yield Document(name_text(source), text, str(source), known)
