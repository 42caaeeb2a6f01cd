/** Modules of server/src and their layers. A folder that is not in this table is a fault: give it a layer here first. */
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
  http: 4,
  commands: 5,
  extensions: 5,
};

/** Files beside the modules that connect them. */
export const JOINING_FILES: readonly string[] = [
  "app.ts",
  "closers.ts",
  "copy-hold.ts",
  "main.ts",
  "node-context.ts",
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
  packages: ["sdk", "server"],
  console: ["sdk"],
  acceptance: [],
  tools: ["sdk", "server", "packages", "console"],
};

/** The only package of ours that an extension imports beside the sdk. */
export const EXTENSION_PORT = "@swarmbase/server/extension";

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

/** Folders whose name is forbidden elsewhere: a layer of the console. */
export const ALLOWED_NAMES: ReadonlySet<string> = new Set(["console/src/data"]);

/** Folders of console/src and the folders beside them that each may import. */
export const CONSOLE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  components: [],
  data: [],
  pages: ["components", "data"],
  app: ["components", "data", "pages"],
  styles: [],
};

const SERVER_SOURCE = "server/src/";

/** The module of a path below server/src; null elsewhere and for the files that connect the modules. */
export function findModule(path: string): string | null {
  if (!path.startsWith(SERVER_SOURCE)) return null;
  const [module, ...rest] = path.slice(SERVER_SOURCE.length).split("/");
  return module === undefined || rest.length === 0 ? null : module;
}

export function findLayer(path: string): number | null {
  const module = findModule(path);
  if (module !== null) return MODULE_LAYERS[module] ?? null;
  return path.startsWith(SERVER_SOURCE) ? JOINING_LAYER : null;
}

/** The package of a path below packages/; null elsewhere. */
export function findPackage(path: string): string | null {
  const [folder, name, ...rest] = path.split("/");
  return folder === "packages" && name !== undefined && rest.length > 0 ? name : null;
}

export function isTest(path: string): boolean {
  return path.includes("/test/") || path.startsWith("acceptance/") || path.endsWith(".test.ts");
}

/** Sources that run on the server: its own, those of extensions and those of the sdk. */
export function isProduct(path: string): boolean {
  return /^(?:server|packages|sdk)\//.test(path) && !isTest(path);
}
