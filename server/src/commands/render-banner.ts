import type { RunningService } from "../wiring/index.ts";
import { quoteForShell } from "./quote-for-shell.ts";

export interface Banner extends Omit<RunningService, "failed" | "leave" | "stop"> {
  readonly version: string;
  readonly tookMs: number;
}

const HELD = "this is a restored copy: no deliveries, agent runs or mails until you run: swarmbase resume";

export function renderBanner(banner: Banner): string {
  const rows = [
    ["URL", banner.url],
    ["Health", `${banner.url}/health`],
    ...(banner.hasConsole ? ([["Console", `${banner.url}/`]] as const) : []),
    ["Keys", banner.keysFile],
    ...(banner.databaseDir === null ? [] : ([["Database", banner.databaseDir]] as const)),
    ...banner.providers.map((line, index) => [index === 0 ? "Models" : "", line] as const),
    ["Extensions", banner.extensions.length === 0 ? "none" : banner.extensions.join(", ")],
    ...(banner.isHeldCopy ? ([["Held", HELD]] as const) : []),
    ["Docs", banner.docsUrl ?? "none; EXTENSIONS does not name docs-site"],
    ["Try it", buildHealthCommand(banner)],
    ["Stop", "Ctrl-C"],
  ] as const;
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  const seconds = (banner.tookMs / 1000).toFixed(1);
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}${value}`);
  return ["", `Swarmbase ${banner.version} is running (started in ${seconds} s)`, "", ...lines, "", ""].join("\n");
}

/** Works on this machine as printed. In proxy mode, a header has to tell the service that the client used TLS. */
export function buildHealthCommand({ localUrl, caFile }: Pick<Banner, "localUrl" | "caFile">): string {
  const words = ["curl"];
  if (caFile !== null) words.push("--cacert", caFile);
  if (localUrl.startsWith("http:")) words.push("-H", "X-Forwarded-Proto: https");
  return [...words, `${localUrl}/health`].map(quoteForShell).join(" ");
}
