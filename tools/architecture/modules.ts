/** Modules of server/src and their layers. A folder that is not in this table is a fault: give it a layer here first. */
export const MODULE_LAYERS: Readonly<Record<string, number>> = {
  config: 1,
  errors: 1,
  json: 1,
  html: 1,
  crypto: 1,
  time: 1,
  observe: 1,
  operators: 1,
  jobs: 1,
  db: 2,
  processes: 2,
  "sign-in-providers": 2,
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
  wiring: 5,
};

/** The only file beside the modules: the program. */
export const PROGRAM_FILE = "main.ts";
const PROGRAM_LAYER = 5;

const PACKAGE_SCOPE = "@swarmbase/";
const SDK = `${PACKAGE_SCOPE}sdk`;
const SERVER_PACKAGE = "swarmbase";
const EXTENSION_PORT = `${SERVER_PACKAGE}/extension`;

/**
 * What of ours each folder imports beside the files of its own package: packages by name, or all packages of a folder, which ends in
 * "/". For a package with an entry of its own, only that counts. Each folder imports only what is above it.
 */
export const WORKSPACE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "clients/sdk": [],
  libraries: [SDK, "libraries/"],
  clients: [SDK],
  "clients/create-swarmbase": [],
  server: [SDK, "libraries/"],
  extensions: [SDK, EXTENSION_PORT],
  console: [SDK],
  examples: [SDK, EXTENSION_PORT],
  acceptance: [SDK],
  tools: ["libraries/", "clients/", "server/", "extensions/", "console/"],
};

/** Folders that consist of packages. */
const FOLDERS_OF_PACKAGES: ReadonlySet<string> = new Set(["libraries", "clients", "extensions"]);

/** Clients whose sources run wherever the user's application runs: Node.js, browsers, Deno, Bun, edge. */
const PORTABLE_PACKAGES: ReadonlySet<string> = new Set(["clients/sdk", "clients/react"]);

const UNSCOPED_PACKAGES: Readonly<Record<string, string>> = {
  server: SERVER_PACKAGE,
  "clients/create-swarmbase": "create-swarmbase",
};

/** Whether a specifier names a package of this repository. */
export function isOwnPackage(specifier: string): boolean {
  return (
    specifier.startsWith(PACKAGE_SCOPE) || Object.values(UNSCOPED_PACKAGES).some((name) => isBelow(specifier, name))
  );
}

/** Whether a specifier or path is another one, or below it. */
export function isBelow(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** The name of the package in a folder. */
export function packageNameOf(folder: string): string {
  return UNSCOPED_PACKAGES[folder] ?? `${PACKAGE_SCOPE}${folder.split("/").at(-1)}`;
}

/** Services, databases and browsers for tests, and the folders whose tests use them. */
export const TEST_SUPPORT: readonly string[] = ["server/test/support/", "console/test/support/"];
export const USERS_OF_TEST_SUPPORT: ReadonlySet<string> = new Set([
  "libraries",
  "clients",
  "extensions",
  "console",
  "examples",
]);

export const MAX_SOURCE_LINES = 300;
export const MAX_FUNCTION_LINES = 80;

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

/** The module of a path below server/src; null elsewhere and for the program. */
export function findModule(path: string): string | null {
  if (!path.startsWith(SERVER_SOURCE)) return null;
  const [module, ...rest] = path.slice(SERVER_SOURCE.length).split("/");
  return module === undefined || rest.length === 0 ? null : module;
}

export function findLayer(path: string): number | null {
  const module = findModule(path);
  if (module !== null) return MODULE_LAYERS[module] ?? null;
  return path.startsWith(SERVER_SOURCE) ? PROGRAM_LAYER : null;
}

/** The folder of the package that a path is in: `server`, `extensions/notes`. */
export function findPackage(path: string): string {
  const [folder = "", name = ""] = path.split("/");
  return FOLDERS_OF_PACKAGES.has(folder) ? `${folder}/${name}` : folder;
}

/** Whether a path is in one of the packages that a folder consists of. */
export function isOfPackage(path: string): boolean {
  return FOLDERS_OF_PACKAGES.has(path.split("/")[0] ?? "");
}

/** Files of a new app, which are no sources of this repository. */
export function isTemplate(path: string): boolean {
  return path.startsWith("clients/") && path.split("/")[2] === "template";
}

/** Sources that run wherever the user's application runs. */
export function isPortable(path: string): boolean {
  return !isTest(path) && PORTABLE_PACKAGES.has(findPackage(path));
}

export function isTest(path: string): boolean {
  return path.includes("/test/") || path.startsWith("acceptance/") || path.endsWith(".test.ts");
}

/** Sources that run in the service: its own, those of libraries, of extensions and of clients. Demo, test fixture and assets for browsers are clients. */
export function isProduct(path: string): boolean {
  return (
    /^(?:server\/src|libraries|clients|extensions)\//.test(path) &&
    !isTest(path) &&
    !/^extensions\/[^/]+\/src\/assets\//.test(path)
  );
}
