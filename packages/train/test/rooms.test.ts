// Imports between the folders of this package go one way: each room is built from those before it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** From the ground up; the README's table has the same order. */
const rooms = [
  ...["format", "store", "grammar", "metrics", "spec", "data", "problem", "decision", "evaluate", "fit"],
  ...["explain", "questions", "report", "run", "use", "text", "example"],
];

const folders = readdirSync(src, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Every file that a room's file names in an import, as `room/file`, types included. */
function imported(room: string, file: string): string[] {
  const text = readFileSync(join(src, room, file), "utf8");
  return [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)\.js"/g)].map(([, path]) =>
    normalize(join(room, path)).split(sep).join("/"),
  );
}

test("every folder is a room that is named here", () => {
  expect(folders.sort()).toEqual([...rooms].sort());
});

test("a room imports only from itself and from rooms before it", () => {
  const upwards = rooms.flatMap((room, at) =>
    readdirSync(join(src, room)).flatMap((file) =>
      imported(room, file)
        .filter((path) => !rooms.slice(0, at + 1).includes(dirname(path)))
        .map((path) => `${room}/${file} -> ${path}`),
    ),
  );
  expect(upwards).toEqual([]);
});

test("the README names the rooms in their order", () => {
  const readme = readFileSync(join(src, "../README.md"), "utf8");
  expect([...readme.matchAll(/^\| \[`(\w+)`\]\(src\//gm)].map(([, room]) => room)).toEqual(rooms);
});
