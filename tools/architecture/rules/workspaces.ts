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

/** Checks and generators read the sources of the others. */
const READER_OF_FILES = "tools";

/**
 * A package imports its own files and, by name, what `WORKSPACE_IMPORTS` lists, so that the others can change behind their entry points.
 * Tests use their package as its users do, and the test support of the server and of the console.
 */
export const checkWorkspaces: Rule = ({ sources }) => {
  const packages = [...new Set(sources.map(({ path }) => findPackage(path)))];
  return sources.flatMap(({ path, imports }) => {
    const own = findPackage(path);
    const [folder = ""] = own.split("/");
    const allowed = WORKSPACE_IMPORTS[own] ?? WORKSPACE_IMPORTS[folder] ?? [];
    const isAllowedName = (specifier: string): boolean => {
      const found = packages.find((one) => isBelow(specifier, packageNameOf(one)));
      return (
        (isTest(path) && found === own) ||
        allowed.some((name) => (name.endsWith("/") ? `${found}/`.startsWith(name) : isBelow(specifier, name)))
      );
    };
    const isAllowedFile = (target: string): boolean =>
      (folder === READER_OF_FILES && allowed.some((name) => target.startsWith(name))) ||
      (isTest(path) && USERS_OF_TEST_SUPPORT.has(folder) && TEST_SUPPORT.some((support) => target.startsWith(support)));
    return imports.flatMap(({ specifier, target, line }) => {
      const fault = (message: string) => [{ path, line, message }];
      if (target !== null && findPackage(target) === own)
        return isTest(target) && !isTest(path) ? fault(`${target} is a test: sources do not import it`) : [];
      const isAllowed = target === null ? !isOwnPackage(specifier) || isAllowedName(specifier) : isAllowedFile(target);
      const list = [...allowed, "its own files"].join(", ");
      return isAllowed ? [] : fault(`${own} imports only ${list}, not ${target ?? specifier}`);
    });
  });
};
