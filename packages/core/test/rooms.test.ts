// Imports between the folders of core go one way: each room is built from those before it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** From the ground up. */
const rooms = [
  ...["costs", "problem", "optimizers", "algorithms", "layout", "dual-rates", "certificate", "newton"],
  ...["report", "diagnose", "solver", "questions"],
];
/** Files beside the rooms, which all of them may import. */
const ground = ["errors"];

const imported = (room: string, file: string): string[] =>
  [...readFileSync(join(src, room, file), "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)\.js"/g)].map(
    ([, path]) => normalize(join(room, path)).split(sep).join("/"),
  );

test("every folder is a room that is named here", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
});

test("a room imports only from itself and from rooms before it", () => {
  const upwards = rooms.flatMap((room, at) =>
    readdirSync(join(src, room)).flatMap((file) =>
      imported(room, file)
        .filter((path) => !ground.includes(path) && !rooms.slice(0, at + 1).includes(dirname(path)))
        .map((path) => `${room}/${file} -> ${path}`),
    ),
  );
  expect(upwards).toEqual([]);
});
