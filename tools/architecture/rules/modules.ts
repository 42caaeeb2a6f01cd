import { findModule, JOINING_FILES, MODULE_LAYERS } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Every folder of server/src is a module with a layer; beside the modules are only the files that connect them. */
export const checkModules: Rule = ({ texts }) =>
  [...texts.keys()].flatMap((path) => {
    const module = findModule(path);
    if (module !== null && !Object.hasOwn(MODULE_LAYERS, module))
      return [
        {
          path,
          line: 1,
          message: `"${module}" is not a known module: give it a layer in tools/architecture/modules.ts`,
        },
      ];
    const isBesideModules = module === null && path.startsWith("server/src/");
    if (isBesideModules && !JOINING_FILES.includes(path.slice("server/src/".length)))
      return [{ path, line: 1, message: `only ${JOINING_FILES.join(" and ")} may be outside of the modules` }];
    return [];
  });
