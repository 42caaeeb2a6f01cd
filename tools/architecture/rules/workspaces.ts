import {
  findPackage,
  isOwnPackage,
  isServerPackage,
  isTest,
  packageNameOf,
  PACKAGE_SCOPE,
  SERVER_TEST_SUPPORT,
  TEST_SUPPORT,
  WORKSPACE_IMPORTS,
} from "../modules.ts";
import type { Rule } from "../rule.ts";

/**
 * The sdk imports no other workspace, and the acceptance tests only the sdk; the others import each other by package name, not by path. Tests of the
 * sdk, of the console and of packages use the test support of the server.
 */
export const checkWorkspaces: Rule = ({ sources }) =>
  sources.flatMap(({ path, imports }) => {
    const workspace = workspaceOf(path);
    return imports.flatMap(({ specifier, target, line }) => {
      const imported = target === null ? workspaceOfPackage(specifier) : workspaceOf(target);
      const fault = (message: string) => [{ path, line, message }];
      if (target !== null && imported === workspace)
        return isTest(target) && !isTest(path) ? fault(`${target} is a test: sources do not import it`) : [];
      const isItself = imported === workspace && isTest(path);
      const mayUseSupport = (workspace === "sdk" || workspace === "console") && isTest(path);
      if (mayUseSupport && target?.startsWith(SERVER_TEST_SUPPORT) === true) return [];
      if (imported === null || isItself) return [];
      const isSupport = target !== null && TEST_SUPPORT.some((folder) => target.startsWith(folder));
      if (findPackage(path) !== null && isTest(path) && isSupport) return [];
      if (!(WORKSPACE_IMPORTS[workspace] ?? []).includes(imported))
        return fault(`${workspace} may not import ${imported}`);
      // The server is an application: tools read its sources, and tests of packages use its test support.
      const isByPath = workspace === "tools" || (findPackage(path) !== null && isTest(path));
      if (target !== null && !isByPath) return fault(`import ${packageNameOf(imported)}, not its files`);
      return [];
    });
  });

function workspaceOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function workspaceOfPackage(specifier: string): string | null {
  if (!isOwnPackage(specifier)) return null;
  if (isServerPackage(specifier)) return "server";
  const name = workspaceOf(specifier.slice(PACKAGE_SCOPE.length));
  return Object.hasOwn(WORKSPACE_IMPORTS, name) ? name : "packages";
}
