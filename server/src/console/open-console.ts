import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Environment } from "../config/index.ts";
import { escapeHtml } from "../html/index.ts";
import type { Observer } from "../observe/index.ts";
import {
  allowFrames,
  answerWithFile,
  type AskedFor,
  type ConsoleAnswer,
  type ConsoleFiles,
  loadFiles,
  PAGE_HEADERS,
} from "./console-file.ts";

/** The message is for users; the log has the `cause`. */
class ConsoleBuildError extends Error {
  override readonly name = "ConsoleBuildError";
}

/** The build gets no other variables: it needs its temporary folder and, on Windows, the system, but none of our secrets. */
const NEEDED_NAMES = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot"];

const READY = "ready ";

const MAX_OUTPUT_CHARACTERS = 4_000;

export interface ConsoleModule {
  /** Null where the console has no such file. */
  findFile(path: string, asked: AskedFor): ConsoleAnswer | null;
  /** The one page; before it is built, or when it could not be, a page that says so. */
  getPage(asked: AskedFor): ConsoleAnswer;
  /** The same page at the path of the portal, where other pages can be allowed to show it in a frame. */
  getPortal(asked: AskedFor): ConsoleAnswer;
  /** What the page needs to know before it can call the service. Nothing in it is secret. */
  getStart(): Promise<ConsoleAnswer>;
  close(): Promise<void>;
}

interface ConsoleOptions {
  readonly environment: Environment;
  readonly observer: Observer;
  readonly version: string;
  readonly anonKey: string;
  /** Whether mails are sent, or written to files because no mail server is set up. */
  readonly mail: "smtp" | "file";
  /** Pages of extensions, by name: `reference` is at `/reference`. */
  readonly links: readonly string[];
  /** Origins whose pages may show the portal in a frame. */
  readonly portalAncestors: readonly string[];
  /** A folder with the built files, or the workspace of the console; default: beside the server. */
  readonly folder?: string;
  onProgress(line: string): void;
  /** Whether the database is a restored copy in which deliveries, agent runs and mails are held. */
  isHeldCopy(): boolean;
  /** What people call the provider of each framework. */
  providerNames(): Readonly<Record<string, string>>;
  /** That of new agents whose maker has not chosen. */
  preferredFramework(): string;
  /** Whether a user may give the service its first key of a provider. */
  mayAddProvider(): boolean;
  /** Whether a visitor can make the first account. */
  isFirstStart(): Promise<boolean>;
}

type BuildState =
  | { readonly kind: "building" }
  | { readonly kind: "ready"; readonly files: ConsoleFiles }
  | { readonly kind: "failed"; readonly reason: string };

/** In the published package the built files, else the workspace that builds them. */
const FOLDERS = ["../../console", "../../../console"].map((path) => resolve(import.meta.dirname, path));
const PAGE = "/index.html";
const REFRESH_SECONDS = "2";

/** Returns at once; the files are built and read in the background. */
export function openConsole(options: ConsoleOptions): ConsoleModule {
  const { observer, version, anonKey, mail, links } = options;
  let state: BuildState = { kind: "building" };
  const ending = new AbortController();
  const prepared = prepare(options, ending.signal).then(
    (files) => {
      state = { kind: "ready", files };
    },
    (error: unknown) => {
      if (ending.signal.aborted) return;
      const reason = error instanceof ConsoleBuildError ? error.message : "The files of the console cannot be read.";
      state = { kind: "failed", reason };
      observer.note("console.unavailable", { error });
    },
  );
  const getPage = (asked: AskedFor): ConsoleAnswer => {
    switch (state.kind) {
      case "building":
        return renderNotice(
          "The console is being built",
          "This happens once and takes a few seconds. The page then loads by itself. The API is available already.",
          { refresh: REFRESH_SECONDS, "retry-after": REFRESH_SECONDS },
        );
      case "failed":
        return renderNotice("The console is not available", `${state.reason} The API is available.`);
      case "ready": {
        const page = state.files.get(PAGE);
        if (page === undefined) throw new Error("the built console has no page");
        return answerWithFile(page, asked);
      }
    }
  };
  return {
    findFile: (path, asked) => {
      const file = state.kind === "ready" && path !== PAGE ? state.files.get(path) : undefined;
      return file === undefined ? null : answerWithFile(file, asked);
    },
    getPage,
    getPortal: (asked) => allowFrames(getPage(asked), options.portalAncestors),
    getStart: async () => ({
      status: 200,
      headers: { ...PAGE_HEADERS, "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" },
      body: Buffer.from(
        JSON.stringify({
          url: "",
          anon_key: anonKey,
          version,
          mail,
          providers: options.providerNames(),
          framework: options.preferredFramework(),
          ...Object.fromEntries(links.map((name) => [name, `/${name}`])),
          ...(options.mayAddProvider() && { add_provider: true }),
          ...(options.isHeldCopy() && { restored_copy: "held" }),
          ...((await options.isFirstStart()) && { first_start: true }),
        }),
      ),
    }),
    close: async () => {
      ending.abort();
      await prepared;
    },
  };
}

async function prepare(
  { environment, folder = FOLDERS.find((path) => existsSync(path)) ?? "", onProgress }: ConsoleOptions,
  signal: AbortSignal,
): Promise<ConsoleFiles> {
  const files = await loadFiles(await provideFolder({ folder, environment, signal, onProgress }));
  if (!files.has(PAGE)) throw new ConsoleBuildError("The built console has no page.");
  return files;
}

/** A page in place of the console, without script or style: the policy of the console applies to it too. */
function renderNotice(title: string, text: string, headers: ConsoleAnswer["headers"] = {}): ConsoleAnswer {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Swarmbase</title>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</main>
</body>
</html>
`;
  const type = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return { status: 503, headers: { ...PAGE_HEADERS, ...type, ...headers }, body: Buffer.from(page) };
}

interface BuildOptions {
  /** The workspace of the console, or the files of a finished build. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** Returns the folder with the files of the console. A workspace is built first, unless its build is up to date. */
async function provideFolder(options: BuildOptions): Promise<string> {
  const script = join(options.folder, "build.ts");
  if (existsSync(script)) return runBuild(script, options);
  if (existsSync(join(options.folder, "index.html"))) return options.folder;
  throw new ConsoleBuildError("The console is not installed here.");
}

/** In another process, so that requests do not wait. */
async function runBuild(script: string, { folder, environment, signal, onProgress }: BuildOptions): Promise<string> {
  const kept = Object.fromEntries(NEEDED_NAMES.map((name) => [name, environment[name]]));
  const child = spawn(process.execPath, ["--conditions=swarmbase-source", script], {
    cwd: folder,
    env: { ...kept, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let built: string | null = null;
  let errorOutput = "";
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith(READY)) built = line.slice(READY.length);
    else onProgress(line);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (built !== null && code === 0) return built;
  const cause = new Error(errorOutput.trim() === "" ? `the build ended with code ${code}` : errorOutput.trim());
  throw new ConsoleBuildError("The console could not be built. The log of the service says why.", { cause });
}
