import type { Node } from "oxc-parser";
import type { Fault, Rule } from "../rule.ts";
import { parseSourceFile, walk } from "../source-file.ts";

const EFFECT = /^use(?:Layout|Insertion)?Effect$/;

/**
 * React calls what an effect returns, and ends the tree when it is no function. The type checker does not see that a browser returns a
 * promise where its types say `void`, so only a function that is written out may be returned without the word `return`.
 */
export const checkEffects: Rule = ({ texts }) =>
  [...texts].flatMap(([path, text]): Fault[] => {
    if (!/\.[jt]sx?$/.test(path) || !text.includes("Effect(")) return [];
    const { program, lineAt } = parseSourceFile(path, text);
    const faults: Fault[] = [];
    walk(program, (node) => {
      if (node.type !== "CallExpression" || !EFFECT.test(nameOf(node.callee)) || isSafe(node.arguments[0])) return;
      const message = "an effect needs a body in braces and may not be async: React calls what it returns";
      faults.push({ path, line: lineAt(node.start), message });
    });
    return faults;
  });

function nameOf(callee: Node): string {
  if (callee.type === "MemberExpression" && callee.property.type === "Identifier") return callee.property.name;
  return callee.type === "Identifier" ? callee.name : "";
}

function isSafe(effect: Node | undefined): boolean {
  if (effect?.type !== "ArrowFunctionExpression") return false;
  const { type } = effect.body;
  return !effect.async && (type === "BlockStatement" || type === "ArrowFunctionExpression");
}
