// Imports between the folders of core go one way: each room is built from those before it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { groups } from "../../../mutation/groups.js";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** From the ground up. */
const rooms = [
  ...["costs", "problem", "optimizers", "algorithms", "layout", "dual-rates", "certificate", "newton"],
  ...["report", "diagnose", "solver", "questions"],
];
/** Files beside the rooms, which all of them may import. */
const ground = ["errors"];

/** What a file imports, from src/; a package by its name. */
const imported = (room: string, file: string): string[] =>
  [...readFileSync(join(src, room, file), "utf8").matchAll(/(?:from|import\(?) ?"([^"\n]+)"/g)].map(
    ([, path]) =>
      path.startsWith(".")
        ? normalize(join(room, path.replace(/\.js$/, "")))
            .split(sep)
            .join("/")
        : path,
  );

/** `newton/*.ts` and `certificate/{scales,words}.ts` as patterns of paths. */
const matching = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(".", "\\.")
      .replaceAll("*", "[^/]*")
      .replace(/\{([^}]*)\}/, (_, names: string) => `(${names.replaceAll(",", "|")})`)}$`,
  );

test("every folder is a room that is named here", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
});

test("a room imports only from itself, from rooms before it and from the engine", () => {
  const wrong = rooms.flatMap((room, at) =>
    readdirSync(join(src, room)).flatMap((file) =>
      imported(room, file)
        .filter((path) => !ground.includes(path) && !rooms.slice(0, at + 1).includes(dirname(path)))
        .filter((path) => !/^@pliant\/engine(\/|$)/.test(path))
        .map((path) => `${room}/${file} -> ${path}`),
    ),
  );
  expect(wrong).toEqual([]);
});

test("what lies beside the rooms imports from none of them", () => {
  expect(ground.flatMap((file) => imported(".", `${file}.ts`))).toEqual([]);
});

test("every file behind a certificate and its steps belongs to a group of mutation tests", () => {
  const covered = Object.values(groups)
    .filter(({ home }) => home === "core")
    .flatMap(({ files }) => files.map(matching));
  const asked = ["certificate", "diagnose", "newton", "optimizers", "solver"].flatMap((room) =>
    readdirSync(join(src, room)).map((file) => `${room}/${file}`),
  );
  expect(asked.filter((file) => !covered.some((pattern) => pattern.test(file)))).toEqual([]);
});
