"""What is not text is refused, and said to be what it is."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from lexfield.errors import ReadError
from lexfield.text.corpus import Corpus
from lexfield.text.decode import detect, identify
from lexfield.text.read import Reader
from lexfield.text.readers import BY_CONTENT


def packed(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 50)
    return data.getvalue()


KINDS = [
    (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj << /Type /Catalog >>", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG picture"),
    (b"{\\rtf1\\ansi Hello}", "an RTF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 20, "an Office document (DOC, XLS or PPT)"),
    (packed("[Content_Types].xml", "word/document.xml"), "a Word document (DOCX)"),
    (packed("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (XLSX)"),
    (packed("letters/a.txt"), "a zip archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"one\0two", "binary data (it contains zero bytes)"),
    (b"\1\2\3\4 abc", "binary data (it is full of control characters)"),
]
TEXTS = [
    b"", b"A plain text.", "Grüße, 世界".encode(), "caf\xe9".encode("latin-1"),
    "Grüße".encode("utf-16"), b"MZ is how some words begin.", b"BZh? ID3, said the tag.",
    b"\x1b[31mred\x1b[0m", b"PK is short for Park.", b"GIF is a format.",
]  # fmt: skip


@pytest.mark.parametrize(("data", "what"), KINDS, ids=[what for _, what in KINDS])
def test_not_text(tmp_path: Path, data: bytes, what: str) -> None:
    """It is refused where text is asked for; documents and archives are read otherwise."""
    assert identify(data)[0] == what
    for name in ("a.txt", "a.weird", "a.csv", "a.jsonl"):
        path = tmp_path / name
        path.write_bytes(data)
        format = "text" if what in BY_CONTENT else None
        with pytest.raises(ReadError, match="not text") as error:
            Corpus.read(path, format=format)
        assert what in error.value.message and name in error.value.message
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    with pytest.raises(ReadError, match="not text"):
        Corpus.read(tmp_path / "a.gz", format="text")


@pytest.mark.parametrize("data", TEXTS)
def test_text(data: bytes) -> None:
    assert identify(data) == ("", "")


def test_in_folders_it_is_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.")
    (tmp_path / "b.gif").write_bytes(b"GIF89a")
    (tmp_path / "c.csv").write_bytes(KINDS[1][0])
    corpus = Corpus.read(tmp_path)
    assert list(corpus.ids) == ["a"]
    assert "skipped 1 (a GIF picture): b.gif" in corpus.notes
    assert "skipped 1 (a PNG picture): c.csv" in corpus.notes
    (tmp_path / "a.txt").unlink()
    with pytest.raises(ValueError, match=r"There is no text in .*a GIF picture"):
        Corpus.read(tmp_path)


def test_a_known_encoding_may_have_zero_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Ein Text.".encode("utf-16-le"))
    with pytest.raises(ReadError, match="encoding='utf-16'"):
        Corpus.read(path)
    for source in (path, tmp_path):
        assert Corpus.read(source, encoding="utf-16-le").texts[0] == "Ein Text."


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("Le café est bon, ma chère amie.", "latin-1", "cp1252"),
        ("Am Rhein: Grüße, Äpfel und “Öl”", "cp1252", "cp1252"),
        ("a naïve reader of letters\x81", "latin-1", "latin-1"),
        ("Привет мир, как дела сегодня у тебя и у меня?", "cp1251", "cp1251"),
        ("Größe und Maß", "latin-1", "cp1252"),
        ("“Für Élise” – naïve", "cp1252", "cp1252"),
        ("été", "latin-1", "cp1252"),
        ("アイウエオ", "shift_jis", "cp932"),
        ("Le café est bon.", "utf-8", "utf-8"),
    ],
)
def test_short_texts_are_western_unless_they_look_otherwise(
    text: str, encoding: str, found: str
) -> None:
    assert detect(text.encode(encoding), whole=True) == found


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Pies powiedział do kota, który siedział w domu przez całą noc.", "cp1250"),
        ("Köpek evden dışarı çıkmak istemedi çünkü bu sabah çok yağmur yağıyordu.", "cp1254"),
        ("Le café était fermé, mais les élèves sont allés à la forêt près d'ici.", "cp1252"),
        ("Der Hund wollte nicht aus dem Haus gehen, weil es früh schon schüttete.", "cp1252"),
        ("café", "cp1252"),
        ("Não há informações sobre as opções que são usadas na instalação.", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy, ale nikdo ho neslyšel.", "cp1250"),
    ],
)
def test_short_texts_of_other_languages(text: str, encoding: str) -> None:
    assert detect(text.encode(encoding), whole=True) == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Heille on annettu järki ja omatunto. Jäätelö sulaa, kun päivä lämpenee.", "cp1252"),
        ("Alla människor är födda fria och lika i värde. «Så är det…» sade han.", "cp1252"),
        ("Sabah gördüğü köpek dışarı çıkmak istemedi çünkü çok yağmur yağıyordu.", "cp1254"),
        ("Все люди рождаются свободными и равными в своём достоинстве и правах.", "koi8-r"),
        ("Les élèves sont allés à la forêt près d'ici, où l'été s'achève déjà.", "mac_roman"),
        ("Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jie turi elgtis.", "cp1257"),
        ("Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.", "cp1257"),
        ("Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum.", "cp1252"),
        ("Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt.", "cp1257"),
        ("Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima.", "cp1250"),
        ("Minden emberi lény szabadon születik és egyenlő méltósága és joga van.", "cp1250"),
        ("Alle mennesker er født frie og lige i værdighed og rettigheder. Så er det.", "cp1252"),
    ],
)
def test_long_texts_in_old_encodings_are_read_as_written(text: str, encoding: str) -> None:
    for times in (2, 50):
        data = f"{text} ".encode(encoding) * times
        if times > 2 or encoding.startswith("cp"):
            assert data.decode(detect(data, whole=True)) == f"{text} " * times


_UDHR = {  # the first article of the Universal Declaration of Human Rights
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni"
    " obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem"
    " a svědomím a mají spolu jednat v duchu bratrství.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены"
    " разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    "bg": "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и"
    " съвест и следва да се отнасят помежду си в дух на братство.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."
    " Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft"
    " und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen. Große Öfen.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como"
    " están de razón y conciencia, deben comportarse fraternalmente. Él también vivió allí.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués"
    " de raison et de conscience et doivent agir dans un esprit de fraternité.",
}
_OLD = {
    "pl": "iso8859_2 cp852 cp1250", "cs": "iso8859_2 cp852 cp1250", "de": "cp850 mac_roman cp437",
    "ru": "cp1251 koi8_r cp866 iso8859_5", "bg": "cp1251 cp866", "el": "cp1253 iso8859_7 cp737",
    "es": "cp1252 cp850 mac_roman", "fr": "cp1252 cp850 mac_roman",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, encoding) for language, every in _OLD.items() for encoding in every.split()],
)
def test_the_encoding_is_the_one_in_which_a_text_reads_as_a_language(
    language: str, encoding: str
) -> None:
    for times in (1, 100):  # with code and ruled lines, as manuals have them
        text = f"{_UDHR[language]}\n~~~~~~~~~~~~~~~~~~~~~~~~\n  :set number  <ENTER>\n" * times
        data = text.encode(encoding)
        assert data.decode(detect(data, whole=True)) == text


def test_old_chinese_text_is_not_taken_for_accents() -> None:
    text = "人人生而自由，在尊嚴和權利上一律平等。\n  :set number  <ENTER>\n" * 20
    data = text.encode("big5")
    assert data.decode(detect(data, whole=True)) == text


def test_japanese_in_ascii_as_in_old_mail() -> None:
    text = "すべての人間は、生まれながらにして自由である。"
    assert detect(text.encode("iso2022_jp"), whole=True) == "iso2022_jp"
    assert detect(b"\x1b[31mred\x1b[0m", whole=True) == "utf-8"


def test_damaged_utf8_is_read_as_utf8(tmp_path: Path) -> None:
    text = "Les élèves sont allés à la forêt. 人人生而自由。" * 30
    cut = text.encode()[:-1]
    stray = text.encode().replace("forêt".encode(), "forêt".encode("latin-1"), 1)
    for data in (cut, stray, "Ça a été fermé là-bas, hélas".encode()[:-4] + b"\xe9"):
        (tmp_path / "a.txt").write_bytes(data)
        reader = Reader(tmp_path / "a.txt")
        (found,) = reader
        assert found.text == data.decode("utf-8", "replace")
        assert any("not valid utf-8" in note for note in reader.notes)


def test_lines_may_end_as_on_old_machines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"One.\rTwo.\r\nThree.")
    (found,) = Reader(path)
    assert found.text == "One.\nTwo.\nThree."
