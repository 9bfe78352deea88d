// How files begin and where their rows are, and what bytes that are no text look like, at bytes that are known by hand.
import { describe, expect, test } from "vitest";
import { glance, headOf, placesIn, rowsIn } from "../src/table/delimited.js";
import { decoded, refuseForeign } from "../src/table/text-encoding.js";

describe("how a file begins", () => {
  const head = (text: string) => headOf(Buffer.from(text), "rows.csv");

  test("with the names of its columns on its first line, or not simply so", () => {
    expect(head("a,b\n1,2\n")).toEqual({ line: "a,b", names: ["a", "b"] });
    expect(head("\uFEFFa; b\r\n1;2\r\n")).toEqual({ line: "a; b", names: ["a", "b"] });
    for (const text of ["\na,b\n", "a,b", "a,b\r1,2\n", "a\n1\n", '"a\nb",c\n', ""])
      expect([text, head(text)]).toEqual([text, undefined]);
    expect(head("a\uFEFFx,b\n1,2\n")?.names).toEqual(["a\uFEFFx", "b"]);
    expect(() => head("a,a\n1,2\n")).toThrow('rows.csv: columns 1 and 2 are both called "a"');
    expect(glance).toBe(262_144);
  });

  test("tells about how many rows there are, rather too many", () => {
    // Three lines in seven bytes, and two in a hundred more.
    expect(rowsIn(Buffer.from("aaaa\nb\n"), 7)).toBe(4);
    expect(rowsIn(Buffer.from("aaaa\nb\n"), 70)).toBe(31);
  });

  test("rows are on lines, through quoted cells and lines without any", () => {
    const text = 'a,b\n1,"x\ny"\n\n  \r\n2,z\n3,w';
    const bytes =
      (of: string): (() => Uint8Array) =>
      () =>
        Buffer.from(of);
    const places = [0, 1, 2].map(placesIn(bytes(text)));
    expect(places).toEqual(["line 2", "line 6", "line 7"]);
    expect([0, 1, 2].map(placesIn(bytes(`${text}\n`)))).toEqual(places);
    expect(placesIn(bytes("\na,b\n1,2\n"))(0)).toBe("line 3");
    let read = 0;
    const place = placesIn(() => {
      read++;
      return Buffer.from(text);
    });
    place(0);
    expect([place(2), read]).toEqual(["line 7", 1]);
  });
});

describe("bytes that are no text in UTF-8", () => {
  const looks = (...bytes: number[]) => refuseForeign(Buffer.from(bytes), "rows");
  const utf16 = (text: string) => [...Buffer.from(text, "utf16le")];

  test("are told by their first, all of them", () => {
    const rest = [0x61, 0x62, 0x63, 0x64];
    for (const [start, sentence] of [
      [
        [0x50, 0x4b, 0x03, 0x04],
        "rows is a ZIP archive or an Excel workbook; save the sheet as CSV in UTF-8, or unpack it.",
      ],
      [[0xd0, 0xcf, 0x11, 0xe0], "rows is an old Excel workbook; save the sheet as CSV in UTF-8."],
      [[0x28, 0xb5, 0x2f, 0xfd], "rows is packed by zstd; unpack it first."],
      [[0x42, 0x5a, 0x68], "rows is packed by bzip2; unpack it first."],
      [[0xff, 0xfe], "rows is a text in UTF-16; save it in UTF-8."],
      [[0xfe, 0xff], "rows is a text in UTF-16; save it in UTF-8."],
    ] as const) {
      expect(() => looks(...start, ...rest)).toThrow(sentence);
      for (const at of start.keys())
        expect(() => looks(...start.map((byte, i) => (i === at ? 0x20 : byte)), ...rest)).not.toThrow();
    }
  });

  test.each([["FEA1", "rows is a Feather file of the first version"]])(
    "are told by their first: %j",
    (start, sentence) => {
      expect(() => looks(...Buffer.from(`${start}abcd`))).toThrow(sentence);
      expect(() => looks(...Buffer.from(`x${start}abcd`))).not.toThrow(sentence);
    },
  );

  test("are UTF-16 where every second byte is 0, first or second", () => {
    const text = utf16("a,b\n");
    expect(() => looks(...text)).toThrow("is a text in UTF-16");
    expect(() => looks(...text.toReversed())).toThrow("is a text in UTF-16");
    expect(() => looks(...text.slice(0, 6))).not.toThrow();
    expect(() => looks(...Buffer.from("PAR1"), ...utf16("a,b\n1,2\n".repeat(9)))).not.toThrow();
    // In twenty bytes nine zeros are chance, ten are not.
    expect(() => looks(...utf16("a,b\n1,2\n3"), 0x61, 0x62)).not.toThrow();
    expect(() => looks(...utf16("a,b\n1,2\n3,"))).toThrow("is a text in UTF-16");
    // Ten in a row are no letters.
    expect(() => looks(...Buffer.alloc(10), ...Buffer.alloc(10, 0x61))).not.toThrow();
    // The first 200 bytes tell.
    expect(() => looks(...utf16("a,".repeat(50)), ...Buffer.alloc(1000, 0x61))).toThrow("UTF-16");
    expect(() => looks(...Buffer.alloc(200, 0x61), ...utf16("a,".repeat(500)))).not.toThrow();
    expect(() => looks(...Buffer.alloc(20, 0x61))).not.toThrow();
  });

  test.each([
    ["nom,x\nRen\xe9e,2\n", 2, "e9", "Renée"],
    [`Ren\xe9e${",1\n".repeat(20)}`, 1, "e9", "Renée"],
    ["Caf\xe9", 1, "e9", "Café"],
    ["\xe9,1\n", 1, "e9", "é"],
    ["\xffa\n", 1, "ff", "ÿa"],
    ['a\nb\n"Zo\xeb"\n', 3, "eb", "Zoë"],
    [`a\n${"x,".repeat(40)}O'Fl\xe1n-d.;1\n`, 2, "e1", "O'Flán-d."],
    ["a\n\x801\n", 2, "80", undefined],
    ["a\nb\xe9 ,2", 2, "e9", "bé"],
    ["x(\xe9 ,2", 1, "e9", undefined],
  ])("%j are named by their line, and the word there", (text, line, byte, word) => {
    const hint = word ? ` It looks like Windows-1252 (Latin-1), in which the word there is "${word}".` : "";
    expect(() => decoded(Buffer.from(text, "latin1"), "rows")).toThrow(
      `rows is not a text in UTF-8: line ${line} has the byte 0x${byte}.${hint} Save it in UTF-8.`,
    );
  });

  test.each([0, 1, 2, 3, 50, 51])("are found after %i letters of several bytes", (n) => {
    const bytes = Buffer.concat([Buffer.from(`${"é".repeat(n)}\n`), Buffer.from("Ren\xe9e,1\n", "latin1")]);
    expect(() => decoded(bytes, "rows")).toThrow(
      'line 2 has the byte 0xe9. It looks like Windows-1252 (Latin-1), in which the word there is "Renée"',
    );
  });

  test("others are texts", () => {
    expect(decoded(Buffer.from("Renée, ∞"), "rows")).toBe("Renée, ∞");
  });
});
