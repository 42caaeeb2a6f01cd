import { findModule, MODULE_LAYERS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import type { SourceFile } from "../source-file.ts";

const MAX_COMMENT_LINES = 5;

/** Other modules import a module through its index.ts, which states its responsibility; the module itself does not. */
export const checkEntryPoints: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  const modules = new Map<string, boolean>();
  for (const source of sources) {
    const module = findModule(source.path);
    if (module === null) {
      faults.push(...(source.path.startsWith("server/test/") ? [] : findSideEntries(source, null)));
      continue;
    }
    const isEntryPoint = source.path === `server/src/${module}/index.ts`;
    modules.set(module, isEntryPoint || modules.get(module) === true);
    if (isEntryPoint) faults.push(...checkOpeningComment(source));
    faults.push(...findSideEntries(source, module));
  }
  for (const [module, hasEntryPoint] of modules) {
    if (!hasEntryPoint && Object.hasOwn(MODULE_LAYERS, module))
      faults.push({ path: `server/src/${module}`, line: 1, message: "the module has no entry point (index.ts)" });
  }
  return faults;
};

function findSideEntries(source: SourceFile, module: string | null): Fault[] {
  return source.imports.flatMap(({ target, line }) => {
    const targetModule = target === null ? null : findModule(target);
    if (target === null || targetModule === null) return [];
    const isEntryPoint = target === `server/src/${targetModule}/index.ts`;
    if (targetModule === module)
      return isEntryPoint ? [{ path: source.path, line, message: "a module never imports its own index.ts" }] : [];
    return isEntryPoint
      ? []
      : [{ path: source.path, line, message: `${target} is internal to ${targetModule}: import its index.ts` }];
  });
}

function checkOpeningComment({ path, text }: SourceFile): Fault[] {
  const lines = text.split("\n");
  const length = lines.findIndex((line) => !line.startsWith("//"));
  const comment = lines.slice(0, length).join("\n");
  if (length === 0 || !/\bIn charge of\b/.test(comment) || !/\bNot in charge of\b/.test(comment))
    return [{ path, line: 1, message: 'an index.ts begins with "// In charge of: …" and "// Not in charge of: …"' }];
  if (length > MAX_COMMENT_LINES)
    return [
      {
        path,
        line: 1,
        message: `the opening comment of an index.ts has at most ${MAX_COMMENT_LINES} lines, this one ${length}`,
      },
    ];
  return [];
}
