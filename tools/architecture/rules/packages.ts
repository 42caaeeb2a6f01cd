import { findPackage, isOfPackage, isPortable } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

/** A package has an entry point, tests and a page. Those that run in browsers, too, import no modules of Node.js. */
export const checkPackages: Rule = ({ texts, sources }) => [
  ...sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }): Fault[] =>
      isPortable(path) && specifier.startsWith("node:")
        ? [{ path, line, message: `${specifier} exists only in Node.js, and this runs in browsers too` }]
        : [],
    ),
  ),
  ...[...new Set([...texts.keys()].filter(isOfPackage).map(findPackage))].flatMap((name): Fault[] => {
    const folder = `${name}/`;
    const paths = [...texts.keys()].filter((path) => path.startsWith(folder));
    const missing = [
      ...(paths.includes(`${folder}src/index.ts`) ? [] : ["entry point (src/index.ts)"]),
      ...(paths.includes(`${folder}README.md`) ? [] : ["page (README.md)"]),
      ...(paths.some((path) => path.endsWith(".test.ts")) ? [] : ["tests"]),
    ];
    return missing.map((part) => ({ path: folder, line: 1, message: `the package has no ${part}` }));
  }),
];
