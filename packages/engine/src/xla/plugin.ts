/**
 * Finding an XLA plugin: a shared library that a Python package installs, usually `pip install
 * "jax[cuda13]"`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A plugin on disk, and how it was found. */
export interface FoundPlugin {
  readonly path: string;
  readonly origin: string;
}

/** The plugins found, best first, and every place that was looked at. */
export interface PluginSearch {
  readonly plugins: readonly FoundPlugin[];
  readonly looked: readonly string[];
}

const CUDA_PLUGINS = ["xla_cuda13", "xla_cuda12"].map((name) => join(name, "xla_cuda_plugin.so"));

const ASK_PYTHON = `import importlib.util, json
spec = importlib.util.find_spec("jax_plugins")
print(json.dumps(list(spec.submodule_search_locations) if spec else []))`;

/**
 * Looks for an XLA plugin: the file named by PLIANT_PJRT_PLUGIN and nothing else when that is set;
 * otherwise the CUDA plugins of an installed Python JAX, in the active environment, where Python finds its
 * packages, and in the usual folders.
 */
export function findPlugins(env: NodeJS.ProcessEnv = process.env): PluginSearch {
  if (env.PLIANT_PJRT_PLUGIN) {
    const path = env.PLIANT_PJRT_PLUGIN;
    return { plugins: [{ path, origin: "PLIANT_PJRT_PLUGIN" }], looked: [path] };
  }
  const plugins: FoundPlugin[] = [];
  const looked: string[] = [];
  const look = (folder: string, origin: string) => {
    for (const name of CUDA_PLUGINS) {
      const path = join(folder, name);
      if (looked.includes(path)) continue;
      looked.push(path);
      if (existsSync(path)) plugins.push({ path, origin });
    }
  };
  for (const variable of ["VIRTUAL_ENV", "CONDA_PREFIX"]) {
    const folders = env[variable] ? packageFolders(join(env[variable], "lib")) : [];
    for (const folder of folders) look(join(folder, "jax_plugins"), variable);
  }
  for (const python of pythons(env)) {
    looked.push(`the packages of ${python}`);
    for (const folder of askPython(python, env)) look(folder, python);
  }
  const home = env.HOME ?? homedir();
  for (const lib of [join(home, ".local", "lib"), "/usr/local/lib", "/usr/lib"]) {
    for (const folder of packageFolders(lib)) look(join(folder, "jax_plugins"), folder);
  }
  return { plugins, looked };
}

/** The version of the Python package that a plugin at …/jax_plugins/xla_cuda13/….so came with. */
export function pluginVersion(path: string): string | undefined {
  const packages = dirname(dirname(dirname(path)));
  if (!existsSync(packages)) return undefined;
  const found = readdirSync(packages)
    .map((name) => /^jax_cuda\d+_(?:pjrt|plugin)-(.+)\.dist-info$/.exec(name)?.[1])
    .find((version) => version !== undefined);
  return found;
}

/** The site-packages and dist-packages folders of the Python versions under a lib folder. */
function packageFolders(lib: string): string[] {
  if (!existsSync(lib)) return [];
  return readdirSync(lib)
    .filter((name) => /^python3(\.\d+)?$/.test(name))
    .flatMap((name) => ["site-packages", "dist-packages"].map((packages) => join(lib, name, packages)))
    .filter((folder) => existsSync(folder));
}

function pythons(env: NodeJS.ProcessEnv): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return ["python3", "python"]
    .map((name) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path)))
    .filter((path) => path !== undefined);
}

/** Started in the root folder, so that no file of the working folder is taken for a Python module. */
function askPython(python: string, env: NodeJS.ProcessEnv): string[] {
  const answer = spawnSync(python, ["-c", ASK_PYTHON], { env, cwd: "/", encoding: "utf8", timeout: 10_000 });
  if (answer.status !== 0) return [];
  try {
    return JSON.parse(answer.stdout) as string[];
  } catch {
    return [];
  }
}
