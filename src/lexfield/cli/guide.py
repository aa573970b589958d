"""What lexfield says about itself: the first screen, the groups of commands, and help by topic."""

from __future__ import annotations

from os import path

_HERE = path.dirname(path.abspath(__file__))
# The help of every command, written by scripts/make_reference.py, so that help needs none of the
# command's modules. A package holds a copy; the sources have the page itself.
_PAGES = (path.join(_HERE, "help.md"), path.join(_HERE, "../../../docs/cli.md"))

WELCOME = """\
lexfield finds, compares and explains texts: offline, with a reason for every result.

What do you want to do?
  see it work             lexfield demo
  find similar text       lexfield index my-texts -o my.idx
                          lexfield search my.idx "a storm at sea"
  find out who wrote it   lexfield attribute my-texts --by author --text unknown.txt
  see what is different   lexfield compare one.txt other.txt --explain
  see what was reused     lexfield reuse draft.txt source.txt
  see what it is about    lexfield overview my.idx
  measure a search        lexfield run my.idx queries.tsv -o my.run
                          lexfield evaluate my.run judged.qrels
  work in your browser    lexfield serve my.idx

No texts at hand?         lexfield sample some-texts
All commands              lexfield --help
One command, or a topic   lexfield help search, lexfield help scores
"""

GROUPS = {
    "Bring in texts": ("index", "add", "delete", "compact", "encode", "sample"),
    "Read and explore": (
        "overview", "documents", "facets", "info", "show", "text", "kwic", "trend",
    ),
    "Find similar text": ("search", "bags", "inspire", "balls", "duplicates"),
    "Who wrote it?": ("attribute", "label", "predict", "rolling"),
    "What is different?": ("compare", "pairs", "map", "keyness"),
    "What was reused?": ("reuse", "align"),
    "What is it about?": ("topics", "clusters"),
    "Words": ("near", "threshold", "bag", "zipf", "speech", "layout", "vectors"),
    "Measure a search": ("run", "evaluate", "fuse", "metric", "methods", "study"),
    "lexfield itself": (
        "serve", "warm", "demo", "help", "doctor", "completion", "verify", "sign", "cluster",
        "reproduce",
    ),
}  # fmt: skip

TOPICS = {
    "texts": """\
These can be read: .txt, .md, .html, .docx, .odt, .rtf, .epub, .tei.xml, .eml and subtitles; tables
as .csv, .tsv, .jsonl, .json and .parquet; .pdf with the extra documents; folders, archives and
.gz, .bz2 and .xz files of all these; - for standard input.

  lexfield index my-texts -o my.idx                        every text of a folder
  lexfield index my-texts --metadata about.csv -o my.idx   with author, year and so on
  lexfield index tickets.csv --text-field title --text-field text -o tickets.idx
  lexfield index books --name-pattern '{author}_{title}_{year}' -o books.idx
""",
    "queries": """\
search, run and near read files of queries in three formats:

  a storm at sea                       one query per line; its id is the line number
  q1<TAB>a storm at sea                with an id, without spaces
  {"_id": "q1", "text": "a storm"}     JSON lines; "id" works too

  lexfield search my.idx --queries queries.tsv
  lexfield run my.idx queries.jsonl -o my.run
  lexfield near --queries words.txt
""",
    "filters": """\
--where selects documents by their metadata. Conditions on different fields must all hold.

  --where author=Austen,Eliot     one of these values
  --where level!=high             any other value, or none
  --where 'year>=1850'            a number or a date; also >, < and <=
  --where year=1850..1900         both ends included
  --where id=emma                 a document by its id

  lexfield facets my.idx          lists the fields and their values
""",
    "measures": """\
lexfield evaluate knows these measures, in the usual spellings:

  map (or AP), map@10          mean average precision
  ndcg, ndcg@10, ndcg_cut_10   normalised discounted cumulative gain
  p@5, precision@5, P_5        precision of the first hits
  r@100, recall@100            recall of the first hits
  mrr, mrr@10, recip_rank      reciprocal rank of the first right answer
  success@1                    share of queries with a right answer among the first
  rprec, 11pt, iprec@0.1       R-precision; interpolated precision

  lexfield evaluate my.run judged.qrels --measures map,ndcg@10,recall@100
  lexfield evaluate my.run judged.qrels --against other.run
""",
    "output": """\
Results go to standard output; notes and progress to standard error.

  --json, --jsonl, --csv    for programs and spreadsheets
  --plot FILE               a picture, if the command can draw one: .png, .svg, .pdf or .html
  --verbose                 also show notes on how a result was computed
  --debug                   show the traceback of an error
  NO_COLOR=1                no colours

Exit codes: 0 found, 1 nothing found, 2 error.
""",
}


def read_help(words: list[str]) -> str | None:
    """Return the help of a command as it is stored; None if it is not."""
    page = next((page for page in _PAGES if path.isfile(page)), None)
    if page is None:
        return None
    with open(page, encoding="utf-8") as file:
        text = file.read()
    title = " ".join(["lexfield", *words])
    return text.partition(f"\n## {title}\n\n```text\n")[2].partition("\n```\n")[0] or None
