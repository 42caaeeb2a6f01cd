import {
  findPackage,
  isBelow,
  isOwnPackage,
  isTest,
  packageNameOf,
  TEST_SUPPORT,
  USERS_OF_TEST_SUPPORT,
  WORKSPACE_IMPORTS,
} from "../modules.ts";
import type { Rule } from "../rule.ts";

/**
 * A package imports its own files and what `WORKSPACE_IMPORTS` lists, so that the others can change behind their entry points. Tests use
 * their package as its users do, and the test support of the server and of the console.
 */
export const checkWorkspaces: Rule = ({ sources }) =>
  sources.flatMap(({ path, imports }) => {
    const own = findPackage(path);
    const [folder = ""] = own.split("/");
    const allowed = WORKSPACE_IMPORTS[own] ?? WORKSPACE_IMPORTS[folder] ?? [];
    const isAllowed = (specifier: string): boolean =>
      allowed.some((name) => (name.endsWith("/") ? specifier.startsWith(name) : isBelow(specifier, name))) ||
      (isTest(path) &&
        (isBelow(specifier, packageNameOf(own)) ||
          (USERS_OF_TEST_SUPPORT.has(folder) && TEST_SUPPORT.some((support) => specifier.startsWith(support)))));
    return imports.flatMap(({ specifier, target, line }) => {
      const fault = (message: string) => [{ path, line, message }];
      if (target !== null && findPackage(target) === own)
        return isTest(target) && !isTest(path) ? fault(`${target} is a test: sources do not import it`) : [];
      const isOurs = target !== null || isOwnPackage(specifier);
      if (!isOurs || isAllowed(target ?? specifier)) return [];
      const list = [...allowed, "its own files"].join(", ");
      return fault(`${own} imports only ${list}, not ${target ?? specifier}`);
    });
  });
