import { isTest } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import { walk } from "../source-file.ts";

const READER = "server/src/main.ts";

/** Settings are read once, by main.ts; another module that reads the environment has an undocumented setting. */
export const checkEnvironment: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  const message = `the environment is read by ${READER} alone`;
  for (const { path, program, imports, lineAt } of sources) {
    const isSource = /^(?:server|(?:libraries|clients|extensions)\/[^/]+)\/src\//.test(path) && !isTest(path);
    if (!isSource || path === READER) continue;
    for (const { specifier, names, line } of imports)
      if (/^(node:)?process$/.test(specifier) && names.includes("env")) faults.push({ path, line, message });
    walk(program, (node) => {
      if (node.type !== "MemberExpression" || node.object.type !== "Identifier" || node.object.name !== "process")
        return;
      const { property } = node;
      const name = property.type === "Literal" ? property.value : property.type === "Identifier" ? property.name : null;
      if (name === "env") faults.push({ path, line: lineAt(node.start), message });
    });
    walk(program, (node) => {
      if (node.type !== "VariableDeclarator" || node.id.type !== "ObjectPattern") return;
      if (node.init?.type !== "Identifier" || node.init.name !== "process") return;
      const isEnv = node.id.properties.some(
        (property) => property.type === "Property" && property.key.type === "Identifier" && property.key.name === "env",
      );
      if (isEnv) faults.push({ path, line: lineAt(node.start), message });
    });
  }
  return faults;
};
