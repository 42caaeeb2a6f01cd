import { resolve } from "node:path";
import type { Environment } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import { answerWithFile, type ConsoleFiles, loadFiles } from "./console-file.ts";
import type { ConsoleModule } from "./console-module.ts";
import { renderNotice } from "./notice-page.ts";
import { PAGE_HEADERS } from "./page-headers.ts";
import { ConsoleBuildError, runBuild } from "./run-build.ts";

export interface ConsoleOptions {
  readonly environment: Environment;
  readonly observer: Observer;
  readonly version: string;
  readonly anonKey: string;
  /** Whether mails are sent, or written to files because no mail server is set up. */
  readonly mail: "smtp" | "file";
  /** Whether the service has the route `/reference`, which an extension adds. */
  readonly hasReference: boolean;
  /** Where the workspace of the console is; left out, beside the server. */
  readonly folder?: string;
  onProgress(line: string): void;
  /** Whether the database is a restored copy in which deliveries, agent runs and mails are held. */
  isHeldCopy(): boolean;
}

type RateLimitState =
  | { readonly kind: "building" }
  | { readonly kind: "ready"; readonly files: ConsoleFiles }
  | { readonly kind: "failed"; readonly reason: string };

const FOLDER = resolve(import.meta.dirname, "../../../console");
const PAGE = "/index.html";
const REFRESH_SECONDS = 2;

/** Answers at once: the files are built and read meanwhile, and the service does not wait for them. */
export function openConsole(options: ConsoleOptions): ConsoleModule {
  const { observer, version, anonKey, mail, hasReference } = options;
  let standing: RateLimitState = { kind: "building" };
  const ending = new AbortController();
  const prepared = prepare(options, ending.signal).then(
    (files) => {
      standing = { kind: "ready", files };
    },
    (error: unknown) => {
      if (ending.signal.aborted) return;
      const reason = error instanceof ConsoleBuildError ? error.message : "The files of the console cannot be read.";
      standing = { kind: "failed", reason };
      observer.note("console.unavailable", { error });
    },
  );
  return {
    findFile: (path, asked) => {
      const file = standing.kind === "ready" && path !== PAGE ? standing.files.get(path) : undefined;
      return file === undefined ? null : answerWithFile(file, asked);
    },
    getPage: (asked) => {
      switch (standing.kind) {
        case "building":
          return renderNotice({
            status: 503,
            title: "The console is being built",
            text: "This happens once and takes a few seconds. The page comes by itself. The API is up already.",
            refreshSeconds: REFRESH_SECONDS,
          });
        case "failed":
          return renderNotice({
            status: 503,
            title: "The console is not available",
            text: `${standing.reason} The API is up.`,
            refreshSeconds: null,
          });
        case "ready": {
          const page = standing.files.get(PAGE);
          if (page === undefined) throw new Error("the built console has no page");
          return answerWithFile(page, asked);
        }
      }
    },
    getStart: () => ({
      status: 200,
      headers: { ...PAGE_HEADERS, "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" },
      body: Buffer.from(
        JSON.stringify({
          url: "",
          anon_key: anonKey,
          version,
          mail,
          ...(hasReference && { reference: "/reference" }),
          ...(options.isHeldCopy() && { restored_copy: "held" }),
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
  { environment, folder = FOLDER, onProgress }: ConsoleOptions,
  signal: AbortSignal,
): Promise<ConsoleFiles> {
  const files = await loadFiles(await runBuild({ folder, environment, signal, onProgress }));
  if (!files.has(PAGE)) throw new ConsoleBuildError("The built console has no page.");
  return files;
}
