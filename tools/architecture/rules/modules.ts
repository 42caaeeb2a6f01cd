import { findModule, MODULE_LAYERS, PROGRAM_FILE } from "../modules.ts";
import type { Rule } from "../rule.ts";

/** Every folder of server/src is a module with a layer; beside the modules is only the program. */
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
    if (isBesideModules && path !== `server/src/${PROGRAM_FILE}`)
      return [{ path, line: 1, message: `only ${PROGRAM_FILE} may be outside of the modules` }];
    return [];
  });
