/** Rooms of server/src and their layers. A folder that is not in this table is a fault: give it a layer here first. */
export const MODULE_LAYERS: Readonly<Record<string, number>> = {
  config: 1,
  errors: 1,
  json: 1,
  html: 1,
  concurrency: 1,
  crypto: 1,
  time: 1,
  observe: 1,
  operators: 1,
  db: 2,
  outbound: 2,
  jobs: 2,
  rest: 3,
  auth: 3,
  limits: 3,
  webhooks: 3,
  agents: 3,
  realtime: 3,
  console: 4,
  tables: 4,
  functions: 4,
  reference: 4,
  http: 4,
  commands: 5,
};

/** Files that stand beside the rooms and join them. */
export const JOINING_FILES: readonly string[] = [
  "app.ts",
  "closers.ts",
  "copy-hold.ts",
  "main.ts",
  "open-agent-module.ts",
  "open-modules.ts",
  "open-webhook-module.ts",
  "prepare-database.ts",
  "serve-metrics.ts",
];
const JOINING_LAYER = 5;

/** Workspaces and the workspaces of ours that each may import. */
export const WORKSPACE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  server: ["sdk"],
  console: ["sdk"],
  acceptance: [],
  tools: ["sdk", "server", "console"],
};

export const PACKAGE_SCOPE = "@swarmbase/";

export const MAX_SOURCE_LINES = 300;

/** Words that say nothing about what a file is for. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "lib",
  "misc",
  "manager",
  "base",
  "data",
  "info",
]);

/** The folder that the console is laid out with, where it says enough. */
export const NAMED_ALIKE_BUT_MEANT: ReadonlySet<string> = new Set(["console/src/data"]);

/** Folders of console/src and the folders beside them that each may import. */
export const CONSOLE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  components: [],
  data: [],
  pages: ["components", "data"],
  app: ["components", "data", "pages"],
  styles: [],
};

const SERVER_SOURCE = "server/src/";

/** The room of a path below server/src; null elsewhere and for the files that join the rooms. */
export function findRoom(path: string): string | null {
  if (!path.startsWith(SERVER_SOURCE)) return null;
  const [room, ...rest] = path.slice(SERVER_SOURCE.length).split("/");
  return room === undefined || rest.length === 0 ? null : room;
}

export function findLayer(path: string): number | null {
  const room = findRoom(path);
  if (room !== null) return MODULE_LAYERS[room] ?? null;
  return path.startsWith(SERVER_SOURCE) ? JOINING_LAYER : null;
}

export function isTest(path: string): boolean {
  return path.includes("/test/") || path.startsWith("acceptance/") || path.endsWith(".test.ts");
}

/** What runs on the server: its sources and those of the sdk. */
export function isProduct(path: string): boolean {
  return (path.startsWith("server/") || path.startsWith("sdk/")) && !isTest(path);
}
