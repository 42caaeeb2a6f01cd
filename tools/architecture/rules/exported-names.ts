import type { Node } from "oxc-parser";
import { findPackage, isOfPackage, isTemplate, isTest } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import type { SourceFile } from "../source-file.ts";

interface Definition {
  readonly source: SourceFile;
  readonly line: number;
}

/**
 * A name means one thing in a package, so that a reader who knows it need not ask which one is meant. A function that loads the file
 * with the same name when it is called is a late re-export, and no second definition.
 */
export const checkExportedNames: Rule = ({ sources }) => {
  const definitions = new Map<string, Definition[]>();
  for (const source of sources) {
    if (!isChecked(source.path)) continue;
    for (const [name, line] of findExportedNames(source)) {
      const key = `${findPackage(source.path)} ${name}`;
      definitions.set(key, [...(definitions.get(key) ?? []), { source, line }]);
    }
  }
  return [...definitions].flatMap(([key, found]) => {
    const own = found.filter(({ source }) => !found.some((other) => isLoadedBy(source, other.source)));
    const [first, ...others] = own;
    if (first === undefined) return [];
    const name = key.slice(key.indexOf(" ") + 1);
    return others.map(({ source: { path }, line }): Fault => {
      const message = `${name} is also defined in ${first.source.path}: one word, one thing`;
      return { path, line, message };
    });
  });
};

function isChecked(path: string): boolean {
  return (isOfPackage(path) || path.startsWith("server/")) && !isTest(path) && !isTemplate(path);
}

function isLoadedBy({ imports }: SourceFile, { path }: SourceFile): boolean {
  return imports.some(({ target, names }) => target === path && names.includes("*"));
}

/** The names that a file defines and exports, each with its line; not those that it passes on from other files. */
function findExportedNames({ program, lineAt }: SourceFile): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const declared = new Set(
    program.body.flatMap((node) =>
      namesOf(node.type === "ExportNamedDeclaration" && node.declaration !== null ? node.declaration : node),
    ),
  );
  for (const node of program.body) {
    if (node.type !== "ExportNamedDeclaration" || node.source !== null) continue;
    const line = lineAt(node.start);
    if (node.declaration !== null) for (const name of namesOf(node.declaration)) found.set(name, line);
    for (const { local, exported } of node.specifiers)
      if (local.type === "Identifier" && exported.type === "Identifier" && declared.has(local.name))
        found.set(exported.name, line);
  }
  return found;
}

/** The names of a declaration. Members that are taken out of an object are not definitions. */
function namesOf(node: Node): string[] {
  switch (node.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id === null ? [] : [node.id.name];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return [node.id.name];
    default:
      return [];
  }
}
