import { quoteForShell } from "./quote-for-shell.ts";

export interface BannerFacts {
  readonly url: string;
  readonly localUrl: string;
  readonly caFile: string | null;
  readonly keysFile: string;
  readonly providers: readonly string[];
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
    ...facts.providers.map((line, at) => [at === 0 ? "Models" : "", line] as const),
    ...(facts.isHeldCopy ? ([["Held", HELD]] as const) : []),
    ["Docs", "docs/README.md"],
    ["Try it", buildHealthCommand(facts)],
    ["Stop", "Ctrl-C"],
  ] as const;
  const seconds = (facts.tookMs / 1000).toFixed(1);
  const lines = rows.map(([label, value]) => `  ${label.padEnd(8)}${value}`);
  return ["", `Swarmbase ${facts.version} is running (started in ${seconds} s)`, "", ...lines, "", ""].join("\n");
}

/** Works on this machine as printed. Behind a proxy the service wants to be told that the outside spoke TLS. */
export function buildHealthCommand({ localUrl, caFile }: Pick<BannerFacts, "localUrl" | "caFile">): string {
  const words = ["curl"];
  if (caFile !== null) words.push("--cacert", caFile);
  if (localUrl.startsWith("http:")) words.push("-H", "X-Forwarded-Proto: https");
  return [...words, `${localUrl}/health`].map(quoteForShell).join(" ");
}
