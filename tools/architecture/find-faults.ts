import { isTemplate } from "./modules.ts";
import type { Fault, Rule, Tree } from "./rule.ts";
import { checkConsole } from "./rules/console.ts";
import { checkCycles } from "./rules/cycles.ts";
import { checkEffects } from "./rules/effects.ts";
import { checkEntryPoints } from "./rules/entry-points.ts";
import { checkEnvironment } from "./rules/environment.ts";
import { checkExportedNames } from "./rules/exported-names.ts";
import { checkExportedTypes } from "./rules/exported-types.ts";
import { checkFileNames } from "./rules/file-names.ts";
import { checkFolderCycles } from "./rules/folder-cycles.ts";
import { checkFunctionSize } from "./rules/function-size.ts";
import { checkTodoNotes } from "./rules/todo-notes.ts";
import { checkLayers } from "./rules/layers.ts";
import { checkNames } from "./rules/names.ts";
import { checkModules } from "./rules/modules.ts";
import { checkOutgoing } from "./rules/outgoing.ts";
import { checkPackages } from "./rules/packages.ts";
import { checkReleasedMigrations } from "./rules/released-migrations.ts";
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
  checkPackages,
  checkConsole,
  checkEffects,
  checkCycles,
  checkFolderCycles,
  checkSize,
  checkFunctionSize,
  checkNames,
  checkExportedNames,
  checkExportedTypes,
  checkFileNames,
  checkReleasedMigrations,
  checkSqlText,
  checkSqlLines,
  checkOutgoing,
  checkEnvironment,
  checkTodoNotes,
];

/** Checks a tree that is given as texts by path, with "/" and relative to the root of the repository. */
export function findFaults(texts: ReadonlyMap<string, string>): readonly Fault[] {
  const sources = [...texts]
    .filter(([path]) => /\.[jt]sx?$/.test(path) && !isTemplate(path))
    .map(([path, text]) => parseSourceFile(path, text));
  const tree: Tree = { texts, sources };
  return RULES.flatMap((rule) => rule(tree));
}
