// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code, not templates
// Faults of who may ask for what, and change what.
import { faultsIn } from "./fault.js";

export const accessFaults = [
  ...faultsIn(
    "src/guard.ts",
    ["security"],
    [
      ["any name is answered to", "if (!ours(to)) throw", "if (false) throw"],
      ["another site may change things", "if (write && foreign) throw", "if (false) throw"],
      [
        "another site may read the data",
        'const isData = write || c.req.path.startsWith("/api/");',
        "const isData = write;",
      ],
      ["a form of another site is a change", "if (write && !c.req.header", "if (false && !c.req.header"],
      ["no policy for scripts", '  "content-security-policy": policy,\n', ""],
      ["types may be guessed", '  "x-content-type-options": "nosniff",\n', ""],
      ["may be framed", "\"frame-ancestors 'none'\",", ""],
      ["framed by old browsers", '  "x-frame-options": "DENY",\n', ""],
      ["scripts from elsewhere", "script-src 'self'", "script-src *"],
      ["every name where it listens on all addresses", "isIP(name) !== 0 ||", "true ||"],
    ],
  ),
  ...faultsIn(
    "src/token.ts",
    ["share"],
    [
      ["a wrong token opens", "timingSafeEqual(digest(given), digest(token))", "true"],
      ["a script can read the cookie", "httpOnly: true", "httpOnly: false"],
      ["the cookie goes to other sites", 'sameSite: "Strict"', 'sameSite: "None"'],
      ["the token stays in the address", 'return c.redirect("/");', "return next();"],
    ],
  ),
  ...faultsIn(
    "src/serve.ts",
    ["share", "security"],
    [
      ["no token where others can reach it", "share || !loopback(host) ? newToken()", "share ? newToken()"],
      ["shared, it can be changed", "readOnly: share,", "readOnly: false,"],
      ["listens everywhere", 'share ? "0.0.0.0" : "127.0.0.1"', '"0.0.0.0"'],
    ],
  ),
  ...faultsIn(
    "src/studio.ts",
    ["server", "deleting", "security", "share"],
    [
      ["a run at work is deleted", 'if ((await all.summary(name)).status === "running")', "if (false)"],
      [
        "a run goes with those inside it",
        "if (inside.some((inner) => !names.includes(inner)))",
        "if (false)",
      ],
      ["files are shown, not saved", "attachment; filename=", "inline; filename="],
      [
        "files have types of their own",
        '"content-type": "application/octet-stream",',
        '"content-type": "text/html",',
      ],
      ["requests of any length", "maxSize: 64 << 10", "maxSize: 64 << 30"],
      ["any file of the folder", "const handle = listed ?", "const handle = true ?"],
      [
        "what is appended comes too",
        "handle.createReadStream({ end: size - 1 })",
        "handle.createReadStream()",
      ],
      ["reading only is not read", "if (readOnly)\n", "if (false)\n"],
    ],
  ),
  ...faultsIn(
    "src/places.ts",
    ["security"],
    [
      ["hidden folders are runs", '!part.startsWith(".")', "true"],
      ["links are followed to runs", "(await realpath(path).catch(() => undefined)) === path", "true"],
      ["linked files are read", "(found) => found.isFile(),", "() => true,"],
    ],
  ),
  ...faultsIn(
    "src/studio.ts",
    ["series"],
    [
      ["the whole before a glimpse", "(await glimpseOf(name)) ?? ", ""],
      [
        "one run that is missing takes all with it",
        "if (reason instanceof HTTPException) return",
        "if (false) return",
      ],
    ],
  ),
  ...faultsIn(
    "src/trash.ts",
    ["deleting", "security", "trash"],
    [
      ["a linked trash is used", "if (!(await lstat(trash)).isDirectory())", "if (false)"],
      ["a linked parent is restored into", "if ((await realpath(parent)) !== parent)", "if (false)"],
      ["restored over another", "if (taken) throw", "if (false) throw"],
      [
        "of several only some come back",
        "for (const { id } of deleted.reverse()) await restore(runs, id);",
        "",
      ],
      ["the oldest first", "b.at - a.at", "a.at - b.at"],
      ["notes lead anywhere", '&& pathOf("/", name) && ', "&& "],
    ],
  ),
  ...faultsIn(
    "src/token.ts",
    ["questions"],
    [["anybody may ask", "if (!same(c.req.header(pageHeader), token))", "if (false)"]],
  ),
  ...faultsIn(
    "src/serve.ts",
    ["security"],
    [["the page's token is sent to the server", "`${url}#/${run", "`${url}/${run"]],
  ),
  ...faultsIn(
    "src/rows-behind.ts",
    ["model"],
    [
      ["rows of every group", "(!group || group[row] === place)", "true"],
      ["the farthest first", "distance(a) - distance(b) ||", "distance(b) - distance(a) ||"],
      ["lines of other rows", "lines.length === rows", "true"],
      ["the wrong half", "score[row] > threshold === positive", "score[row] > threshold !== positive"],
    ],
  ),
  ...faultsIn(
    "src/studio.ts",
    ["model", "questions", "server"],
    [
      [
        "rows are shared",
        'if (shared) throw refuse(403, "Rows are',
        'if (false) throw refuse(403, "Rows are',
      ],
      ["a run that trains is asked", 'if (summary.status !== "finished")', "if (false)"],
      ["the page goes uncompressed", '["/", "/assets/*", "/api/study", "/api/model"]', "[]"],
    ],
  ),
  ...faultsIn(
    "src/at-work.ts",
    ["ended"],
    [
      ["why it failed is lost", 'if (typeof failed === "string") return', "if (false) return"],
      ["killed is told as stopped", 'left === true ? "stopped" : "killed"', '"stopped"'],
    ],
  ),
  ...faultsIn(
    "src/offered.ts",
    ["security"],
    [
      [
        "files are given by how their names end",
        "Object.hasOwn(offered, file) &&",
        "/json$|^rows/.test(file) &&",
      ],
      ["rows of people are shared", "!(shared && perRow.has(file))", "true"],
    ],
  ),
  ...faultsIn(
    "src/stop.ts",
    ["share", "given-runs"],
    [
      ["any process is ended", "return at >= 0 && /pliant/.test(words[at])", "return true || (words[at])"],
      ["any command of pliant is ended", "commands.has(words[at + 1])", "true"],
      ["a number that was given again is trusted", "(await begun(id)) <= since + leeway", "true"],
      ["it ends itself", "|| id === process.pid) return undefined;", ") return undefined;"],
      ["killed unsaved", 'process.kill(id, "SIGINT");', 'process.kill(id, "SIGKILL");'],
    ],
  ),
  ...faultsIn(
    "src/questions.ts",
    ["given-runs"],
    [
      ["code of a run that was given is run", 'PLIANT_GIVEN: "1"', 'PLIANT_ELSE: "1"', "a question"],
      [
        "the command's words are lost",
        "fields(fields(parsed(out)).error).message",
        "undefined",
        "a question",
      ],
    ],
  ),
  ...faultsIn(
    "src/studio.ts",
    ["given-runs"],
    [
      ["rows go to anyone here", "if (isPerRow(file) && !shared) checkPage", "if (false) checkPage", "rows"],
      ["what is shared is as exact", "modelReader({ shared })", "modelReader()", "rows of the data"],
    ],
  ),
  ...faultsIn(
    "src/trash.ts",
    ["trash"],
    [
      ["a ghost stays in the trash", "await rm(place, { recursive: true });\n    if (", "if ("],
      ["folders are made behind links", "(await realpath(above)) !== above", "false"],
      ["a link is in the trash", "!(await isFolder(join(trash, id))) ||", ""],
    ],
  ),
  ...faultsIn(
    "page/src/figure/lines.ts",
    ["given-runs"],
    [["a spreadsheet works out a text", "isFormula ? `'${value}`", "false ? `'${value}`", "a text that"]],
  ),
];
