import { CONSOLE_IMPORTS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

const SOURCE = "console/src/";
const START = "main.tsx";

/**
 * The console is laid in folders that know only what lies below them: components know no rows, data knows no pixels, and a page knows no
 * other page, so that each can be read and changed by itself.
 */
export const checkConsole: Rule = ({ sources }) =>
  sources.flatMap(({ path, imports }): Fault[] => {
    if (!path.startsWith(SOURCE) || path === `${SOURCE}${START}`) return [];
    const [folder = "", page = ""] = path.slice(SOURCE.length).split("/");
    const known = CONSOLE_IMPORTS[folder];
    if (known === undefined) return [{ path, line: 1, message: `"${folder}" is not a folder of the console` }];
    return imports.flatMap(({ target, line }) => {
      if (target === null || !target.startsWith(SOURCE)) return [];
      const [targetFolder = "", targetPage = ""] = target.slice(SOURCE.length).split("/");
      const fault = (message: string): Fault[] => [{ path, line, message }];
      if (folder === "pages" && targetFolder === "pages")
        return page === targetPage ? [] : fault(`page ${page} may not import page ${targetPage}`);
      const isFine = targetFolder === folder || known.includes(targetFolder);
      return isFine ? [] : fault(`${folder} may not import ${targetFolder}`);
    });
  });
