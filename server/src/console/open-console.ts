import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import { escapeHtml } from "../html/index.ts";
import {
  allowFrames,
  type AskedFor,
  answerWithFile,
  type ConsoleAnswer,
  type ConsoleFiles,
  loadFiles,
  PAGE_HEADERS,
} from "./console-file.ts";
import { ConsoleBuildError, provideFolder } from "./run-build.ts";

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

export interface ConsoleOptions {
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
