import type { Node } from "oxc-parser";
import { type SourceFile, walk } from "../architecture/source-file.ts";

export interface FunctionLines {
  readonly path: string;
  readonly name: string;
  readonly lines: number;
}

/** All functions of a file that have a name: declarations, methods, and functions that a variable or a property holds. */
export function listFunctions({ path, program, lineAt }: SourceFile): FunctionLines[] {
  const functions: FunctionLines[] = [];
  const add = (name: string, { start, end }: Node): void =>
    void functions.push({ path, name, lines: lineAt(end) - lineAt(start) + 1 });
  walk(program, (node) => {
    if (node.type === "FunctionDeclaration" && node.id !== null) add(node.id.name, node);
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && isFunction(node.init))
      add(node.id.name, node);
    if (
      (node.type === "MethodDefinition" || node.type === "Property" || node.type === "PropertyDefinition") &&
      isFunction(node.value) &&
      (node.key.type === "Identifier" || node.key.type === "PrivateIdentifier")
    )
      add(node.key.name, node);
  });
  return functions;
}

function isFunction(node: Node | null): boolean {
  return node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
}
