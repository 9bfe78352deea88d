// What others install, read from the checkout; `npm run try-packages` installs it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { drawn, layersOf, nearest, readPackages } from "../layers.js";
import { whyNot } from "../ready.js";
import { runtimeNames } from "../runtime.js";
import { published } from "../staging.js";

const root = join(import.meta.dirname, "..", "..");
const packages = readPackages(root);

describe("the packages", () => {
  it.each(packages)(
    "$folder declares what its sources import, and no package of ours besides",
    ({ imports, manifest }) => {
      const declared = Object.keys(manifest.dependencies ?? {}).filter((name) =>
        /^(@pliant\/.*|pliant)$/.test(name),
      );
      expect(imports).toEqual(declared.sort());
    },
  );

  it("import only from below, as CONTRIBUTING.md draws it (npm run map)", () => {
    expect(readFileSync(join(root, "CONTRIBUTING.md"), "utf8")).toContain(drawn(root));
  });

  it("are joined in the picture by the fewest arrows that still lead to all that each imports", () => {
    const arrows = nearest(packages);
    const reached = (from: (typeof packages)[number]): string[] =>
      arrows.get(from)!.flatMap((each) => [each.manifest.name, ...reached(each)]);
    for (const each of packages) {
      const far = new Set(reached(each));
      expect([...far]).toEqual(expect.arrayContaining([...each.imports]));
      for (const near of arrows.get(each)!) {
        const others = arrows.get(each)!.filter((other) => other !== near);
        expect(others.flatMap(reached)).not.toContain(near.manifest.name);
      }
    }
  });

  it("that import in a circle are refused", () => {
    const circle = packages.map((each) =>
      each.folder === "engine" ? { ...each, imports: ["@pliant/train"] } : each,
    );
    expect(() => layersOf(circle)).toThrow("These import in a circle: ");
  });

  it("are published without what only the checkout has, and with a slim runtime for each platform", () => {
    for (const { manifest } of packages) {
      const result = published(manifest, ["dist", "src"]);
      expect(JSON.stringify(result)).not.toContain("pliant-source");
      expect(result.scripts).toBeUndefined();
      expect(result.devDependencies).toBeUndefined();
      expect(result.dependencies).not.toHaveProperty("onnxruntime-node");
    }
    const engine = published(packages.find(({ folder }) => folder === "engine")!.manifest, ["dist"]);
    expect(Object.keys(engine.optionalDependencies!)).toEqual(runtimeNames);
  });
});

describe("a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-release-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });

  it("is refused with changes about, without words for it, without its tag", async () => {
    git("init", "-q");
    writeFileSync(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 1.0.0\n\nThe first.\n");
    expect(await whyNot(folder, "1.0.0")).toContain("not committed");
    git("add", ".");
    git("commit", "-qm", "first");
    expect(await whyNot(folder, "1.0.1")).toBe('CHANGELOG.md has no section "## 1.0.1".');
    expect(await whyNot(folder, "1.0.0")).toBe("Tag this commit v1.0.0 first.");
    expect(await whyNot(folder, "1.0.0", { rehearsal: true })).toBeUndefined();
    git("tag", "v1.0.0");
    expect(await whyNot(folder, "1.0.0")).toBeUndefined();
  });
});
