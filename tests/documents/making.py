"""Files of documents, made as they are needed."""

from __future__ import annotations

import io
import zipfile
import zlib


def word_file(*parts: str | list[list[str]], macros: bool = False) -> bytes:
    """A Word document: text that begins with # is a heading, lists are tables. `macros`: with a project of them."""
    import docx

    document = docx.Document()
    for part in parts:
        if isinstance(part, list):
            table = document.add_table(rows=len(part), cols=len(part[0]))
            for row, cells in enumerate(part):
                for column, text in enumerate(cells):
                    table.cell(row, column).text = text
        elif part.startswith("#"):
            document.add_heading(part.lstrip("# "), level=len(part) - len(part.lstrip("#")))
        else:
            document.add_paragraph(part)
    file = io.BytesIO()
    document.save(file)
    if macros:
        with zipfile.ZipFile(file, "a") as packed:
            packed.writestr("word/vbaProject.bin", b'Sub AutoOpen()\nShell "rm -rf /"\nEnd Sub')
    return file.getvalue()


def pdf_file(*pages: str, compress: bool = False) -> bytes:
    """A PDF with lines of text on each page, written by hand: nothing that makes PDFs is needed."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids: list[int] = []
    parent = 2 * len(pages) + 2
    for page in pages:
        lines = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in page.split("\n")]
        text = "BT /F1 11 Tf 14 TL 50 780 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        content = text.encode("latin-1")
        filtered = b"/Filter /FlateDecode " if compress else b""
        content = zlib.compress(content) if compress else content
        stream = add(b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filtered, len(content), content))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R >> >> >>" % (parent, stream, font)
            )
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    add(b"<< /Type /Pages /Kids [%s] /Count %d >>" % (listed, len(kids)))
    catalog = add(b"<< /Type /Catalog /Pages %d 0 R >>" % parent)
    return _written(objects, catalog)


def pdf_bomb(megabytes: int) -> bytes:
    """A PDF whose only page unpacks to so much."""
    packed = zlib.compress(b" " * (megabytes * 1_048_576), 9)
    stream = b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)
    page = b"<< /Type /Page /Parent 3 0 R /MediaBox [0 0 9 9] /Contents 1 0 R >>"
    pages = b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"
    return _written([stream, page, pages, b"<< /Type /Catalog /Pages 3 0 R >>"], 4)


def zip_bomb(megabytes: int) -> bytes:
    """A Word document whose text unpacks to so much."""
    file = io.BytesIO(word_file("A word."))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/media/image1.xml", b" " * (megabytes * 1_048_576))
    return file.getvalue()


def encrypted_pdf() -> bytes:
    """A PDF that opens with a password."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.encrypt("secret", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def _written(objects: list[bytes], root: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)
    return bytes(out)
