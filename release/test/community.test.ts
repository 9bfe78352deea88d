// What a repository needs for strangers: workflows, the action, the image, the ways to report and to cite.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { projectFields } from "../manifest.js";

const root = join(import.meta.dirname, "../..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(text("package.json"));

describe("the workflows", () => {
  const files = readdirSync(join(root, ".github/workflows"));

  test.each(files)("%s calls scripts that exist", (file) => {
    const source = text(`.github/workflows/${file}`);
    for (const [, script] of source.matchAll(/npm run ([\w-]+)/g))
      expect(manifest.scripts).toHaveProperty(script);
    const { jobs } = parse(source);
    for (const job of Object.values<{ steps: unknown[]; "timeout-minutes": number }>(jobs)) {
      expect(job.steps.length).toBeGreaterThan(0);
      expect(job["timeout-minutes"]).toBeGreaterThan(0);
    }
  });

  test("test every supported Node on Linux, macOS and Windows", () => {
    const { matrix } = parse(text(".github/workflows/ci.yml")).jobs.test.strategy;
    expect(matrix).toEqual({ os: ["ubuntu-latest", "macos-latest", "windows-latest"], node: [20, 22, 24] });
  });

  test("may sign what they publish", () => {
    expect(parse(text(".github/workflows/release.yml")).permissions["id-token"]).toBe("write");
  });
});

describe("the action", () => {
  const folder = join(root, ".github/actions/train");
  const { inputs, runs } = parse(readFileSync(join(folder, "action.yml"), "utf8"));

  test("uses every input it has, and no other", () => {
    const used = [...JSON.stringify(runs).matchAll(/inputs\.(\w+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(inputs)));
  });

  /** Runs train.sh with an npx that trains with an exit code, and a gh that notes its arguments. */
  function ran(code: number, pullRequest: string) {
    const place = mkdtempSync(join(tmpdir(), "pliant-action-"));
    const program = (name: string, body: string): void => {
      writeFileSync(join(place, name), `#!/usr/bin/env bash\n${body}\n`);
      chmodSync(join(place, name), 0o755);
    };
    program("npx", `case "$3" in train) exit ${code} ;; report) echo "Certified: all hold." ;; esac`);
    program("gh", `echo "$@" >"${place}/commented"; cat "$6" 2>/dev/null >/dev/null`);
    const { status, error } = spawnSync("bash", [join(folder, "train.sh")], {
      encoding: "utf8",
      env: {
        PATH: `${place}${delimiter}${process.env.PATH}`,
        ...{ SPEC: "loans/spec.yaml", VERSION: "latest", OPTIONS: "", COMMENT: "true" },
        ...{ PULL_REQUEST: pullRequest, GITHUB_REPOSITORY: "a/b", RUNNER_TEMP: place },
        ...{ GITHUB_OUTPUT: join(place, "output"), GITHUB_STEP_SUMMARY: join(place, "summary") },
      },
    });
    if (error) return undefined;
    const read = (name: string): string | undefined =>
      existsSync(join(place, name)) ? readFileSync(join(place, name), "utf8") : undefined;
    return { status, commented: read("commented"), summary: read("summary"), output: read("output") };
  }

  test.each([
    [0, "7"],
    [1, "7"],
  ])("comments the report of a run that ended with %i, and ends with the same", (code, pullRequest) => {
    const found = ran(code, pullRequest);
    if (!found) return console.log("Not run: there is no bash here.");
    expect(found.status).toBe(code);
    expect(found.commented).toMatch(/^pr comment 7 --repo a\/b --body-file \S+pliant-report\.md --edit-last/);
    expect(found.summary).toContain("Certified: all hold.");
    expect(found.output).toContain(`exit=${code}\n`);
  });

  test("writes a summary and no comment without a pull request, and no report where there is none", () => {
    const found = ran(0, "");
    if (!found) return console.log("Not run: there is no bash here.");
    expect(found).toMatchObject({ status: 0, commented: undefined });
    expect(ran(3, "7")).toMatchObject({ status: 3, commented: undefined, summary: undefined });
  });
});

describe("the image", () => {
  const lines = text("Dockerfile").split("\n");
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM")));

  test("runs as a user that is not root, and says whether it is well", () => {
    expect(last.some((line) => /^USER (?!root|0)/.test(line))).toBe(true);
    expect(last.some((line) => line.startsWith("HEALTHCHECK"))).toBe(true);
    expect(last.indexOf("USER node")).toBeLessThan(last.findIndex((line) => line.startsWith("ENTRYPOINT")));
  });
});

describe("the pages for strangers", () => {
  test.each(["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE"])("%s is there", (file) => {
    expect(text(file).length).toBeGreaterThan(400);
  });

  test("CITATION.cff names the version, the licence and the paper", () => {
    const { version } = JSON.parse(text("packages/cli/package.json"));
    expect(parse(text("CITATION.cff"))).toMatchObject({
      "cff-version": "1.2.0",
      version,
      license: manifest.license,
      "preferred-citation": { title: "Resilient Constrained Learning", year: 2023 },
    });
  });

  test("every package is published with the addresses of the project", async () => {
    const fields = await projectFields(root);
    for (const [name, value] of Object.entries(fields)) expect(value, name).toBeTruthy();
    expect(Object.keys(fields)).toEqual(["homepage", "repository", "bugs", "keywords"]);
    expect(fields.bugs.url).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+\/issues$/);
    expect(fields.repository.url).toBe(`git+${fields.bugs.url.replace("/issues", ".git")}`);
  });

  test("the repository's address is in package.json and in no other file", () => {
    const { stdout, status } = spawnSync("git", ["grep", "-l", "--fixed-strings", "pliant-learning/"], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0 && status !== 1) return console.log("Not run: this is not a git checkout.");
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((file) => file !== "release/test/community.test.ts"),
    ).toEqual(["package.json"]);
  });

  test("ONNX Runtime's licences are in the packages that bring it", () => {
    const folder = join(root, "release/licences/onnxruntime");
    expect(readFileSync(join(folder, "LICENSE"), "utf8")).toContain("Microsoft Corporation");
    expect(readFileSync(join(folder, "ThirdPartyNotices.txt"), "utf8").length).toBeGreaterThan(100_000);
  });
});
