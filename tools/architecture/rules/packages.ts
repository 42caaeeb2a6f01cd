import {
  EXTENSION_PORT,
  findPackage,
  isClientSource,
  isOfClientPackage,
  isOfInitializer,
  isOwnPackage,
  isTest,
  packageNameOf,
  TEST_SUPPORT,
} from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

const SDK = "@swarmbase/sdk";

/**
 * A package is an extension: it imports the sdk, the port and its own files, so that the core can change behind the port. A client
 * package imports only the sdk and its own files, an initializer only its own files. All have an entry point, tests and a page. Tests may
 * also use the test support of the server and of the console. Neither the sdk nor a client package imports modules of Node.js.
 */
export const checkPackages: Rule = ({ texts, sources }) => [
  ...sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }): Fault[] =>
      isClientSource(path) && specifier.startsWith("node:")
        ? [{ path, line, message: `${specifier} exists only in Node.js, and this runs in browsers too` }]
        : [],
    ),
  ),
  ...sources.flatMap(({ path, imports }) => {
    const name = findPackage(path);
    if (name === null) return [];
    const { kind, packages } = describeKind(path);
    const allowed = [packages.join(", "), "its own files"].filter((text) => text !== "").join(" and ");
    // Tests use the package as its users do.
    const isOwn = (specifier: string): boolean => isTest(path) && specifier === packageNameOf(name);
    return imports.flatMap(({ specifier, target, line }): Fault[] => {
      const isAllowed =
        target === null
          ? !isOwnPackage(specifier) ||
            packages.includes(specifier) ||
            (packages.includes(SDK) && specifier.startsWith(`${SDK}/`)) ||
            isOwn(specifier)
          : findPackage(target) === name || (isTest(path) && TEST_SUPPORT.some((folder) => target.startsWith(folder)));
      const message = `${kind} imports only ${allowed}, not ${target ?? specifier}`;
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

function describeKind(path: string): { readonly kind: string; readonly packages: readonly string[] } {
  if (isOfInitializer(path)) return { kind: "an initializer", packages: [] };
  if (isOfClientPackage(path)) return { kind: "a client package", packages: [SDK] };
  return { kind: "an extension", packages: [SDK, EXTENSION_PORT] };
}
