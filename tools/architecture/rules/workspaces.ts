import { findPackage, isTest, PACKAGE_SCOPE, WORKSPACE_IMPORTS } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** The sdk and the acceptance tests import no other workspace; the others import each other by package name, not by path. */
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
      // The server is an application: tools read its sources, and tests of packages use its test support.
      const isByPath = workspace === "tools" || (findPackage(path) !== null && isTest(path));
      if (target !== null && !isByPath) return fault(`import ${PACKAGE_SCOPE}${imported}, not its files`);
      return [];
    });
  });

function workspaceOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function workspaceOfPackage(specifier: string): string | null {
  if (!specifier.startsWith(PACKAGE_SCOPE)) return null;
  const name = workspaceOf(specifier.slice(PACKAGE_SCOPE.length));
  return Object.hasOwn(WORKSPACE_IMPORTS, name) ? name : "packages";
}
