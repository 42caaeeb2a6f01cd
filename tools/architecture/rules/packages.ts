import { EXTENSION_PORT, findPackage, isTest, PACKAGE_SCOPE } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

const SDK = "@swarmbase/sdk";
const TEST_SUPPORT = "server/test/support/";

/**
 * A package is an extension: it imports the sdk, the port and its own files, so that the core can change behind the port. It has
 * an entry point, tests and a page. Tests may also use the test support of the server.
 */
export const checkPackages: Rule = ({ texts, sources }) => [
  ...sources.flatMap(({ path, imports }) => {
    const name = findPackage(path);
    if (name === null) return [];
    return imports.flatMap(({ specifier, target, line }): Fault[] => {
      const isAllowed =
        target === null
          ? !specifier.startsWith(PACKAGE_SCOPE) || specifier === SDK || specifier === EXTENSION_PORT
          : findPackage(target) === name || (isTest(path) && target.startsWith(TEST_SUPPORT));
      const message = `an extension imports only ${SDK}, ${EXTENSION_PORT} and its own files, not ${target ?? specifier}`;
      return isAllowed ? [] : [{ path, line, message }];
    });
  }),
  ...[...new Set([...texts.keys()].map(findPackage))].flatMap((name): Fault[] => {
    if (name === null) return [];
    const folder = `packages/${name}/`;
    const paths = [...texts.keys()].filter((path) => path.startsWith(folder));
    const missing = [
      ...(paths.includes(`${folder}src/index.ts`) ? [] : ["an entry point (src/index.ts)"]),
      ...(paths.includes(`${folder}README.md`) ? [] : ["a page (README.md)"]),
      ...(paths.some((path) => path.endsWith(".test.ts")) ? [] : ["tests"]),
    ];
    return missing.map((part) => ({
      path: folder,
      line: 1,
      message: `the package has no ${part.replace(/^an? /, "")}`,
    }));
  }),
];
