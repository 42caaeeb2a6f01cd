import { basename } from "node:path";
import { isTest } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Imported under the name of its package. */
const PUBLISHED = "server/src/extensions/port.ts";
const FOLDERS = /^(?:server|console|extensions\/[^/]+|clients\/[^/]+|libraries\/[^/]+)\/src\//;

/** A type that only its own file uses is not exported: who reads it needs not ask who else depends on it. */
export const checkExportedTypes: Rule = ({ sources }) => {
  const imported = new Set(
    sources.flatMap(({ imports }) => imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`))),
  );
  return sources.flatMap(({ path, program, lineAt }) => {
    if (!FOLDERS.test(path) || isTest(path) || path === PUBLISHED || basename(path) === "index.ts") return [];
    if (imported.has(`${path} *`)) return [];
    return program.body.flatMap((node) => {
      if (node.type !== "ExportNamedDeclaration") return [];
      const { declaration } = node;
      if (declaration?.type !== "TSInterfaceDeclaration" && declaration?.type !== "TSTypeAliasDeclaration") return [];
      const { name } = declaration.id;
      if (imported.has(`${path} ${name}`)) return [];
      return [{ path, line: lineAt(node.start), message: `only this file uses ${name}: do not export it` }];
    });
  });
};
