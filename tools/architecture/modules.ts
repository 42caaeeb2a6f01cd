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
  processes: 2,
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
  "describe-node.ts",
  "main.ts",
  "node-context.ts",
  "open-agent-module.ts",
  "open-modules.ts",
  "open-primary-link.ts",
  "open-realtime-module.ts",
  "open-extension-module.ts",
  "open-webhook-module.ts",
  "open-worker-part.ts",
  "prepare-database.ts",
  "prepare-node.ts",
  "process-protocol.ts",
  "serve-metrics.ts",
  "start-primary.ts",
  "worker-part.ts",
  "worker-registry.ts",
];
const JOINING_LAYER = 5;

/** Workspaces and the workspaces of ours that each may import. */
export const WORKSPACE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  sdk: [],
  server: ["sdk"],
  packages: ["sdk", "server"],
  console: ["sdk"],
  acceptance: ["sdk"],
  tools: ["sdk", "server", "packages", "console"],
};

/** The only package of ours that an extension imports beside the sdk. */
export const EXTENSION_PORT = "swarmbase/extension";

/** Packages that run in the user's application, not in the service. All others are extensions or initializers. */
const CLIENT_PACKAGES: ReadonlySet<string> = new Set(["react"]);

/** Packages that lay down a new app, from their folder `template`. */
const INITIALIZERS: ReadonlySet<string> = new Set(["create-swarmbase"]);

export const PACKAGE_SCOPE = "@swarmbase/";

/** The name of the workspace `server` as a package. */
const SERVER_PACKAGE = "swarmbase";

/** Whether a specifier names a package of this repository. */
export function isOwnPackage(specifier: string): boolean {
  return specifier.startsWith(PACKAGE_SCOPE) || isServerPackage(specifier);
}

export function isServerPackage(specifier: string): boolean {
  return specifier === SERVER_PACKAGE || specifier.startsWith(`${SERVER_PACKAGE}/`);
}

/** The package of a workspace. */
export function packageNameOf(workspace: string): string {
  return workspace === "server" ? SERVER_PACKAGE : `${PACKAGE_SCOPE}${workspace}`;
}

/** What tests of the sdk and of the console may use of the server. */
export const SERVER_TEST_SUPPORT = "server/test/support/";

/** What tests of packages may use: services and databases, and browsers. */
export const TEST_SUPPORT: readonly string[] = [SERVER_TEST_SUPPORT, "console/test/support/"];

export const MAX_SOURCE_LINES = 300;

/** The lines of all files of server/src. A commit that raises it says why the addition cannot be a package. */
export const CORE_LINE_BUDGET = 74_400;

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

export const SERVER_SOURCE = "server/src/";

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

/** Whether a path is in a package that runs in the user's application. */
export function isOfClientPackage(path: string): boolean {
  const name = findPackage(path);
  return name !== null && CLIENT_PACKAGES.has(name);
}

export function isOfInitializer(path: string): boolean {
  const name = findPackage(path);
  return name !== null && INITIALIZERS.has(name);
}

/** Files of a new app, which are no sources of this repository. */
export function isTemplate(path: string): boolean {
  return isOfInitializer(path) && path.split("/")[2] === "template";
}

/** Sources that run wherever the user's application runs: Node.js, browsers, Deno, Bun, edge. */
export function isClientSource(path: string): boolean {
  return !isTest(path) && (path.startsWith("sdk/src/") || isOfClientPackage(path));
}

export function isTest(path: string): boolean {
  return path.includes("/test/") || path.startsWith("acceptance/") || path.endsWith(".test.ts");
}

/** Sources that run in the service: its own, those of extensions and those of the sdk. Demo, test fixture and assets for browsers are clients. */
export function isProduct(path: string): boolean {
  return /^(?:server\/src|packages|sdk)\//.test(path) && !isTest(path) && !/^packages\/[^/]+\/src\/assets\//.test(path);
}
