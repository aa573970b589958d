"""Small files in every format that is read, made by hand; each says the same."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping

TITLE, AUTHOR = "The Boat", "Ada Voss"
FIRST, SECOND = "The grey boat came home at night.", "Nobody asked where it had been."
_CORE = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:d="http://purl.org/dc/terms/"'


def pack(entries: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else method
            archive.writestr(zipfile.ZipInfo(name), data, stored)
    return out.getvalue()


def tar(entries: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in entries.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def docx(body: str = "", head: str = "") -> bytes:
    body = body or (
        f"<w:p><w:r><w:t>The grey </w:t></w:r><w:r><w:t>boat came home at night.</w:t></w:r></w:p>"
        f"<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        f"<w:r><w:instrText>PAGE</w:instrText><w:t>{SECOND}</w:t></w:r></w:p>"
    )
    return pack({
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f'{head}<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>',
        "docProps/core.xml": f"<c {_CORE}><dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}"
        "</dc:creator><d:created>2020-05-01T10:00:00Z</d:created><dc:language>en</dc:language></c>",
    })  # fmt: skip


def odt(manifest: str = "<m/>") -> bytes:
    return pack({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": '<o:d xmlns:o="o" xmlns:t="t"><o:text><t:tracked-changes><t:p>gone</t:p>'
        f"</t:tracked-changes><t:h>The grey<t:s/>boat came home at night.</t:h><t:p>{SECOND}"
        "<t:note><t:p>a note</t:p></t:note></t:p></o:text></o:d>",
        "meta.xml": f'<m {_CORE} xmlns:x="x"><dc:title>{TITLE}</dc:title>'
        f"<x:initial-creator>{AUTHOR}</x:initial-creator><x:creation-date>2020-05-01</x:creation-date>"
        "<dc:language>en</dc:language></m>",
        "META-INF/manifest.xml": manifest,
    })  # fmt: skip


def epub(encryption: str = "<e/>") -> bytes:
    return pack({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<c><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></c>',
        "META-INF/encryption.xml": encryption,
        "O/b.opf": f"<package {_CORE}><metadata><dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}"
        "</dc:creator><dc:date>2020-05-01</dc:date><dc:language>en</dc:language></metadata>"
        '<manifest><item id="n" href="nav.xhtml" properties="nav"/>'
        '<item id="b" href="b%20b.xhtml"/>'
        '<item id="a" href="a.xhtml"/></manifest><spine><itemref idref="n"/><itemref idref="a"/>'
        '<itemref idref="b"/></spine></package>',
        "O/nav.xhtml": "<html><body>Contents</body></html>",
        "O/b b.xhtml": f"<html><head><title>x</title></head><body><p>{SECOND}</p></body></html>",
        "O/a.xhtml": f"<!DOCTYPE html><html><body><p>{FIRST}</p></body></html>",
    })  # fmt: skip


def html() -> bytes:
    return f"""<!DOCTYPE html><html lang="en"><head><title>{TITLE}</title>
    <meta name="author" content="{AUTHOR}">
    <meta property="article:published_time" content="2020-05-01">
    <style>p {{ color: red }}</style>
    <script>if (a < b) document.write("<p>evil</p>")</script></head>
    <body><header>Site <b>name</b></header><nav><ul><li><a href="/">Home</a></li></ul></nav>
    <ul><li><a href=a>Sea</a></li><li><a href=b>Land</a></li><li><a href=c>Sky</a></li></ul>
    <!-- <p>hidden</p> --><p title="a > b">The&nbsp;grey <i>boat</i>\n came home at night.</p>
    <p>{SECOND}</p><footer>All rights reserved</footer></body></html>""".encode()


def rtf() -> bytes:
    return (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}{\info{\title The Boat}{\author Ada Voss}"
        rb"{\creatim\yr2020\mo5\dy1\hr10\min0}{\revtim\yr2021\mo6\dy2}}"
        rb"{\*\generator x;}\f0 The grey \b boat\b0  came home at night.\par "
        rb"Nobody asked where it had been\'2e{\pict 00ff}{\header top}}"
    )


def eml(body: str = "") -> bytes:
    plain = f"Content-Type: text/plain; charset=utf-8\r\n\r\n{FIRST}\r\n{SECOND}\r\n"
    page = f"Content-Type: text/html\r\n\r\n<p>{FIRST}</p>\r\n"
    file = "Content-Type: image/png\r\nContent-Disposition: attachment\r\n\r\nxx\r\n"
    return (
        "From: =?utf-8?q?Ada?= Voss\r\nSubject: The\r\n Boat\r\n"
        "Date: Fri, 1 May 2020 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        "Content-Type: multipart/mixed; boundary=XX\r\n\r\n"
        f"--XX\r\n{plain}--XX\r\n{page}--XX\r\n{file}--XX--\r\n"
    ).encode()


def mbox() -> bytes:
    return b"From a@b Fri May  1 10:00:00 2020\n" + eml().replace(b"\r\n", b"\n") + (
        b"\nFrom a@b Fri May  1 11:00:00 2020\nSubject: Two\n\nFrom here on.\n"
    )  # fmt: skip


def srt() -> bytes:
    return (
        "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>The grey boat</i>\r\n\r\n2\r\n00:00:02,000 -->"
        f" 00:00:03,000\r\n{{\\an8}}came home at night.\r\n{SECOND}\r\n"
    ).encode()


def vtt() -> bytes:
    return (
        "WEBVTT\nLanguage: en\n\nNOTE a comment\n\nSTYLE\n::cue {}\n\nid\n00:01.000 --> 00:02.000"
        f" align:left\n<v Ada>{FIRST}\n\n00:02.000 --> 00:03.000\n{FIRST}\n{SECOND}\n"
    ).encode()


def tei(head: str = "") -> bytes:
    return f"""<?xml version="1.0"?>{head}<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>
    <fileDesc><titleStmt><title>{TITLE}</title><author>{AUTHOR}</author></titleStmt>
    <publicationStmt><date>2020-05-01</date></publicationStmt></fileDesc><profileDesc><langUsage>
    <language ident="en">English</language></langUsage></profileDesc></teiHeader><text><body><p>The
    <choice><sic>gray</sic><corr>grey</corr></choice> boat<note>a note</note> came<lb/>home at
    night.</p><fw>page 2</fw><p>{SECOND}</p></body></text></TEI>""".encode()


def markdown() -> bytes:
    return (
        f'---\ntitle: "{TITLE}"\nauthor: {AUTHOR}\ndate: 2020-05-01\nlang: en\ntags: [a, b]\n---\n'
        "The **grey** [boat](http://x) `came` home _at_ night.\n\n"
        "> Nobody asked where it had been.\n"
    ).encode()


_PICTURE = " q 500 0 0 700 0 0 cm /I Do Q"


def pdf(
    lines: tuple[str, ...] = (FIRST, SECOND),
    picture: bool = False,
    extra: str = "",
    pictures: int = 0,
) -> bytes:
    """A PDF of one page, and of as many pictures as pages of their own."""
    shown = "".join(f"({line}) Tj 0 -20 Td " for line in lines)
    content = f"BT /F1 12 Tf 50 700 Td {shown}ET" + (_PICTURE * picture)
    page = (
        "/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>/XObject<</I 6 0 R>>>>"
        "/Contents"
    )
    objects = [
        "<</Type/Catalog/Pages 2 0 R/Lang(en)>>",
        f"<</Type/Pages/Kids[3 0 R{' 9 0 R' * pictures}]/Count {1 + pictures}>>",
        f"<</Type/Page{page} 4 0 R>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
        "/Length 1>>stream\n0\nendstream",
        f"<</Title({TITLE})/Author({AUTHOR})/CreationDate(D:20200501100000Z)>>",
        f"<</Length {len(_PICTURE)}>>stream\n{_PICTURE}\nendstream",
        f"<</Type/Page{page} 8 0 R>>",
    ]
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj{body}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R/Info 7 0 R"
    return out + f"{end}{extra}>>\nstartxref\n{len(out)}\n%%EOF\n".encode()


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "a.pdf": pdf, "a.docx": docx, "a.odt": odt, "a.epub": epub, "a.html": html, "a.rtf": rtf,
    "a.md": markdown, "a.eml": eml, "a.mbox": mbox, "a.srt": srt, "a.vtt": vtt, "a.xml": tei,
    "a.zip": lambda: pack({"in/b.docx": docx(), "c.txt": FIRST}),
    "a.tar": lambda: tar({"in/b.html": html(), "c.txt": FIRST.encode()}),
}  # fmt: skip
