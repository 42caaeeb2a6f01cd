import { posix } from "node:path";
import { type Node, type Program, parseSync } from "oxc-parser";

interface Import {
  /** As written: "../errors/index.ts", "node:http", "pg". */
  readonly specifier: string;
  /** Path from the root of the repository when the specifier is relative, else null. */
  readonly target: string | null;
  /** Imported names; "*" for a namespace or dynamic import, "default" for a default import. */
  readonly names: readonly string[];
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly imports: readonly Import[];
  readonly comments: readonly { readonly text: string; readonly line: number }[];
  readonly lineAt: (offset: number) => number;
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const makeImport = (specifier: string, start: number, names: readonly string[], isTypeOnly: boolean): Import => ({
    specifier,
    target: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : null,
    names,
    isTypeOnly,
    line: lineAt(start),
  });

  const imports: Import[] = module.staticImports.map(({ moduleRequest, start, entries }) =>
    makeImport(
      moduleRequest.value,
      start,
      entries.map(({ importName }) => importName.name ?? (importName.kind === "Default" ? "default" : "*")),
      entries.length > 0 && entries.every((entry) => entry.isType),
    ),
  );
  for (const { entries, start } of module.staticExports) {
    const [first] = entries;
    if (first === undefined || first.moduleRequest === null) continue;
    const names = entries.map(({ importName }) => importName.name ?? "*");
    imports.push(
      makeImport(
        first.moduleRequest.value,
        start,
        names,
        entries.every((entry) => entry.isType),
      ),
    );
  }
  walk(program, (node) => {
    if (node.type === "ImportExpression" && node.source.type === "Literal" && typeof node.source.value === "string")
      imports.push(makeImport(node.source.value, node.start, ["*"], false));
    if (node.type === "TSImportType") imports.push(makeImport(node.source.value, node.start, ["*"], true));
  });

  return {
    path,
    text,
    program,
    imports,
    comments: comments.map((comment) => ({ text: comment.value, line: lineAt(comment.start) })),
    lineAt,
  };
}

/** Visits every node; the parser's visitor has no callback for all kinds of nodes. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of Object.values(node) as unknown[]) {
    for (const item of Array.isArray(child) ? (child as unknown[]) : [child]) if (isNode(item)) walk(item, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
