import type { Fault, Rule, Tree } from "./rule.ts";
import { checkConsole } from "./rules/console.ts";
import { checkCycles } from "./rules/cycles.ts";
import { checkEntryPoints } from "./rules/doors.ts";
import { checkEnvironment } from "./rules/environment.ts";
import { checkHopeNotes } from "./rules/hope-notes.ts";
import { checkLayers } from "./rules/layers.ts";
import { checkNames } from "./rules/names.ts";
import { checkOutgoing } from "./rules/outgoing.ts";
import { checkModules } from "./rules/modules.ts";
import { checkSize } from "./rules/size.ts";
import { checkSqlLines } from "./rules/sql-lines.ts";
import { checkSqlText } from "./rules/sql-text.ts";
import { checkWorkspaces } from "./rules/workspaces.ts";
import { parseSourceFile } from "./source-file.ts";

const RULES: readonly Rule[] = [
  checkModules,
  checkLayers,
  checkEntryPoints,
  checkWorkspaces,
  checkConsole,
  checkCycles,
  checkSize,
  checkNames,
  checkSqlText,
  checkSqlLines,
  checkOutgoing,
  checkEnvironment,
  checkHopeNotes,
];

/** Judges a tree given as texts by path (with "/" and from the root of the repository). */
export function findFaults(texts: ReadonlyMap<string, string>): readonly Fault[] {
  const sources = [...texts]
    .filter(([path]) => /\.[jt]sx?$/.test(path))
    .map(([path, text]) => parseSourceFile(path, text));
  const tree: Tree = { texts, sources };
  return RULES.flatMap((rule) => rule(tree));
}
