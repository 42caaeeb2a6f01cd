import { DEFAULT_EXTENSIONS } from "../config/index.ts";
import type { RunningService } from "../wiring/index.ts";
import { quoteForShell } from "./quote-for-shell.ts";
import { IS_CLONE, typedCommand } from "./typed-command.ts";

interface Banner extends Omit<RunningService, "failed" | "leave" | "stop" | "providers"> {
  readonly providers: readonly string[];
  readonly version: string;
  readonly tookMs: number;
}

const HELD = `this is a restored copy: no deliveries, agent runs or mails until you run: ${typedCommand("resume")}`;
/** A clone needs no registry. */
const CREATE_APP = IS_CLONE ? "npm run create-app ../my-app" : "npm create swarmbase my-app";

export function renderBanner(banner: Banner): string {
  const rows = [
    ...(banner.hasConsole ? ([["Console", `${banner.url}/ (open this in a browser)`]] as const) : []),
    ["New app", CREATE_APP],
    ["URL", banner.url],
    ["Health", `${banner.url}/health`],
    ["Keys", banner.keysFile],
    ...(banner.databaseDir === null ? [] : ([["Database", banner.databaseDir]] as const)),
    ...banner.providers.map((line, index) => [index === 0 ? "Models" : "", line] as const),
    ...(banner.providers.some((line) => /^simulated|NOT USABLE/.test(line))
      ? ([["", `to add a key: ${typedCommand("provider add")}`]] as const)
      : []),
    ...describeExtensions(banner.extensions).map((line) => ["Extensions", line] as const),
    ...(banner.isHeldCopy ? ([["Held", HELD]] as const) : []),
    ["Docs", banner.docsUrl ?? "none; EXTENSIONS does not name docs-site"],
    ["Try it", buildHealthCommand(banner)],
    ...(banner.caFile === null ? [] : ([["Trust", typedCommand("certificate trust")]] as const)),
    ["Stop", "Ctrl-C"],
  ] as const;
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  const seconds = (banner.tookMs / 1000).toFixed(1);
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}${value}`);
  return ["", `Swarmbase ${banner.version} is running (started in ${seconds} s)`, "", ...lines, "", ""].join("\n");
}

/** Nothing for the default ones, which everybody has. */
function describeExtensions(loaded: readonly string[]): readonly string[] {
  const usual: readonly string[] = DEFAULT_EXTENSIONS;
  const further = loaded.filter((name) => !usual.includes(name));
  if (!usual.every((name) => loaded.includes(name))) return [loaded.length === 0 ? "none" : loaded.join(", ")];
  return further.length === 0 ? [] : [`the default ones and ${further.join(", ")}`];
}

/** Works on this machine as printed. In proxy mode, a header has to tell the service that the client used TLS. */
export function buildHealthCommand({ localUrl, caFile }: Pick<Banner, "localUrl" | "caFile">): string {
  const words = ["curl"];
  if (caFile !== null) words.push("--cacert", caFile);
  if (localUrl.startsWith("http:")) words.push("-H", "X-Forwarded-Proto: https");
  return [...words, `${localUrl}/health`].map((word) => quoteForShell(word)).join(" ");
}
