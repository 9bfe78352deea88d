// Progress for a person who waits: one changing line on a terminal, and an occasional line in a file or a pipe.
import { describe, expect, test } from "vitest";
import { progress } from "../src/runs/progress.js";

const stream = (isTTY: boolean) => {
  const written: string[] = [];
  return { written, isTTY, columns: 80, write: (text: string) => written.push(text) } as never as {
    written: string[];
  } & NodeJS.WriteStream;
};

describe("without a terminal", () => {
  test("160 checks print about twenty lines, including the last", () => {
    const out = stream(false);
    const { show, end } = progress(out);
    for (let i = 1; i <= 160; i++) show(`look ${i}`, i / 161);
    end();
    expect(out.written.length).toBeLessThanOrEqual(21);
    expect(out.written[0]).toBe("look 1\n");
    expect(out.written[out.written.length - 1]).toBe("look 160\n");
    expect(new Set(out.written).size).toBe(out.written.length);
  });

  test("lines become rarer while nothing changes, and resume at once on a change", () => {
    const out = stream(false);
    const { show, end } = progress(out);
    const loss = (i: number): string => (i <= 16 ? `loss ${i}` : i <= 140 ? "loss 16" : "loss 9");
    for (let i = 1; i <= 160; i++) show(`look ${i}  ${loss(i)}`, i / 161, loss(i));
    end();
    const looks = out.written.map((line) => Number(line.split(" ")[1]));
    // A twentieth is some 8 looks: after the one at 17 lines come 1, 2, 4 and 8 twentieths later.
    expect(looks).toEqual([1, 9, 17, 25, 41, 73, 137, 145, 153, 160]);
  });

  test("each of several workers has its own lines, and its last when it finishes", () => {
    const out = stream(false);
    const { show, end } = progress(out);
    for (let i = 1; i <= 3; i++) for (const who of ["a", "b"]) show(`${who} ${i}`, i / 100, undefined, who);
    end("b");
    end();
    expect(out.written).toEqual(["a 1\n", "b 1\n", "b 3\n", "a 3\n"]);
  });

  test("lines without a share are printed at once, and the next task has its own lines", () => {
    const out = stream(false);
    const { show, end } = progress(out);
    show("reading");
    show("decay 0.1");
    show("look 1", 0.01);
    show("look 2", 0.02);
    end();
    end();
    show("again", 0.02);
    expect(out.written).toEqual(["reading\n", "decay 0.1\n", "look 1\n", "look 2\n", "again\n"]);
  });
});

test("a terminal has one line that is updated", () => {
  const out = stream(true);
  const { show, end } = progress(out);
  show("look 1", 0.01);
  show("look 2", 0.01);
  end("one of several");
  end();
  end();
  expect(out.written).toEqual(["\rlook 1\x1b[K", "\rlook 2\x1b[K", "\n"]);
});
