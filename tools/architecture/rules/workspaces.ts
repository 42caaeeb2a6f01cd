import { isTest, PACKAGE_SCOPE, WORKSPACE_IMPORTS } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** The sdk and the acceptance tests know nothing of ours; other workspaces know each other by name, not by path. */
export const checkWorkspaces: Rule = ({ sources }) =>
  sources.flatMap(({ path, imports }) => {
    const workspace = workspaceOf(path);
    return imports.flatMap(({ specifier, target, line }) => {
      const imported = target === null ? workspaceOfPackage(specifier) : workspaceOf(target);
      const fault = (message: string) => [{ path, line, message }];
      if (target !== null && imported === workspace)
        return isTest(target) && !isTest(path) ? fault(`${target} is a test: sources do not import it`) : [];
      const isOwnPackage = imported === workspace && isTest(path);
      if (imported === null || isOwnPackage) return [];
      if (!(WORKSPACE_IMPORTS[workspace] ?? []).includes(imported))
        return fault(`${workspace} may not import ${imported}`);
      // tools look into the server, which is an application and has no package door.
      if (target !== null && workspace !== "tools") return fault(`import ${PACKAGE_SCOPE}${imported}, not its files`);
      return [];
    });
  });

function workspaceOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function workspaceOfPackage(specifier: string): string | null {
  return specifier.startsWith(PACKAGE_SCOPE) ? workspaceOf(specifier.slice(PACKAGE_SCOPE.length)) : null;
}
