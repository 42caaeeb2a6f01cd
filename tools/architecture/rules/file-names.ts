import { basename } from "node:path";
import { findModule, PROGRAM_FILE } from "../modules.ts";
import type { Rule } from "../rule.ts";
import type { SourceFile } from "../source-file.ts";

/** Files whose one value is not what they are about, and why. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  // Types of one subject; the value belongs to one of them.
  "server/src/agents/run/turn-state.ts",
  "server/src/extensions/port.ts",
  "server/src/wiring/processes/process-protocol.ts",
]);

const PACKAGE_SOURCES = /^(?:extensions|libraries|clients)\/[^/]+\/src\//;

/** The verbs of functions that make what the file is named for, such as `createDispatcher` in `dispatcher.ts`. */
const MAKERS = /^(?:build|create|new|open|start)-/;

/** A file of the server or of a package with one exported value has its name, or that of a type that it exports. */
export const checkFileNames: Rule = ({ sources }) =>
  sources.flatMap((source) => {
    const { path } = source;
    const name = basename(path).replace(/\.tsx?$/, "");
    if (!isNamed(path) || name === "index" || path.endsWith(`/${PROGRAM_FILE}`) || EXCEPTIONS.has(path)) return [];
    const { values, types } = findExports(source);
    const [value, ...others] = values;
    if (value === undefined || others.length > 0) return [];
    const own = toKebab(value);
    const names = [own, own.replace(MAKERS, ""), own.replace(/-of$/, ""), ...[...types].map(toKebab)];
    return names.includes(name) ? [] : [{ path, line: 1, message: `the file of ${value} is named ${own}.ts` }];
  });

function isNamed(path: string): boolean {
  return findModule(path) !== null || PACKAGE_SOURCES.test(path);
}

function findExports({ program }: SourceFile): Readonly<Record<"values" | "types", ReadonlySet<string>>> {
  const values = new Set<string>();
  const types = new Set<string>();
  for (const node of program.body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    const { declaration } = node;
    switch (declaration?.type) {
      case "VariableDeclaration":
        for (const { id } of declaration.declarations) if (id.type === "Identifier") values.add(id.name);
        break;
      case "FunctionDeclaration":
      case "TSDeclareFunction":
      case "ClassDeclaration":
        if (declaration.id !== null) values.add(declaration.id.name);
        break;
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
        types.add(declaration.id.name);
        break;
      default:
    }
  }
  return { values, types };
}

/** `maskUrls`, `MASK_URLS` and `MaskURLs` become `mask-urls`. */
function toKebab(name: string): string {
  if (name === name.toUpperCase()) return name.toLowerCase().replaceAll("_", "-");
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}
