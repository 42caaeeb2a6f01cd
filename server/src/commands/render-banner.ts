import { quoteForShell } from "./quote-for-shell.ts";

export interface BannerFacts {
  readonly url: string;
  readonly localUrl: string;
  readonly caFile: string | null;
  readonly keysFile: string;
  /** The folder of the embedded database when it is outside the data directory, otherwise null. */
  readonly databaseDir: string | null;
  readonly providers: readonly string[];
  readonly extensions: readonly string[];
  readonly isHeldCopy: boolean;
  readonly version: string;
  readonly tookMs: number;
}

const HELD = "this is a restored copy: no deliveries, agent runs or mails until you run: swarmbase resume";

export function renderBanner(facts: BannerFacts): string {
  const rows = [
    ["URL", facts.url],
    ["Health", `${facts.url}/health`],
    ["Keys", facts.keysFile],
    ...(facts.databaseDir === null ? [] : ([["Database", facts.databaseDir]] as const)),
    ...facts.providers.map((line, at) => [at === 0 ? "Models" : "", line] as const),
    ["Extensions", facts.extensions.length === 0 ? "none" : facts.extensions.join(", ")],
    ...(facts.isHeldCopy ? ([["Held", HELD]] as const) : []),
    ["Docs", "docs/README.md"],
    ["Try it", buildHealthCommand(facts)],
    ["Stop", "Ctrl-C"],
  ] as const;
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  const seconds = (facts.tookMs / 1000).toFixed(1);
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}${value}`);
  return ["", `Swarmbase ${facts.version} is running (started in ${seconds} s)`, "", ...lines, "", ""].join("\n");
}

/** Works on this machine as printed. In proxy mode, a header has to tell the service that the client used TLS. */
export function buildHealthCommand({ localUrl, caFile }: Pick<BannerFacts, "localUrl" | "caFile">): string {
  const words = ["curl"];
  if (caFile !== null) words.push("--cacert", caFile);
  if (localUrl.startsWith("http:")) words.push("-H", "X-Forwarded-Proto: https");
  return [...words, `${localUrl}/health`].map(quoteForShell).join(" ");
}
