import type { Node } from "oxc-parser";
import { isProduct } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import { type SourceFile, walk } from "../source-file.ts";

/** What opens a connection, by package; "*" stands for all exports. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  undici: ["*"],
  "node:http": ["request", "get", "Agent", "ClientRequest", "globalAgent"],
  "node:https": ["request", "get", "Agent", "globalAgent"],
  "node:http2": ["connect"],
  "node:net": ["connect", "createConnection"],
  "node:tls": ["connect"],
  "node:dgram": ["*"],
};
const GLOBAL_CLIENTS: ReadonlySet<string> = new Set(["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]);
const FOLDERS_WITH_CONNECTIONS: readonly string[] = [
  "libraries/guarded-fetch/",
  "libraries/postgres/",
  "server/src/db/",
];

/** guarded-fetch enforces the address policy (db/ and postgres connect to the database); a connection opened elsewhere would bypass it. */
export const checkOutgoing: Rule = ({ sources }) =>
  sources
    .filter(({ path }) => isProduct(path) && !FOLDERS_WITH_CONNECTIONS.some((folder) => path.startsWith(folder)))
    .flatMap((source) => [...findClientImports(source), ...findClientCalls(source)]);

function findClientImports({ path, imports }: SourceFile): Fault[] {
  return imports.flatMap(({ specifier, names, line, isTypeOnly }) => {
    const clients = clientsOf(specifier);
    const used = clients.includes("*") ? specifier : names.find((name) => clients.includes(name));
    return used === undefined || isTypeOnly ? [] : [fault(path, line, used)];
  });
}

/** `fetch(…)`, `new WebSocket(…)`, and `http.request(…)` where `http` is a namespace import. */
function findClientCalls({ path, program, lineAt }: SourceFile): Fault[] {
  const modules = new Map<string, readonly string[]>();
  const faults: Fault[] = [];
  walk(program, (node) => {
    if (node.type === "ImportDeclaration") {
      for (const { type, local } of node.specifiers)
        if (type !== "ImportSpecifier") modules.set(local.name, clientsOf(node.source.value));
    }
    if (node.type !== "CallExpression" && node.type !== "NewExpression") return;
    const called = nameOfCallee(node.callee);
    if (called === null) return;
    const isGlobalClient = GLOBAL_CLIENTS.has(called.name) && (called.of === null || called.of === "globalThis");
    const isModuleClient = called.of !== null && modules.get(called.of)?.includes(called.name) === true;
    if (isGlobalClient || isModuleClient) faults.push(fault(path, lineAt(node.start), called.name));
  });
  return faults;
}

function nameOfCallee(callee: Node): { of: string | null; name: string } | null {
  if (callee.type === "Identifier") return { of: null, name: callee.name };
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return null;
  const { object, property } = callee;
  if (property.type === "Identifier" && !callee.computed) return { of: object.name, name: property.name };
  return property.type === "Literal" ? { of: object.name, name: String(property.value) } : null;
}

function clientsOf(specifier: string): readonly string[] {
  return CLIENTS[specifier] ?? CLIENTS[`node:${specifier}`] ?? [];
}

function fault(path: string, line: number, what: string): Fault {
  return {
    path,
    line,
    message: `${what} opens an outgoing connection: only guarded-fetch does that (an extension uses context.fetch)`,
  };
}
