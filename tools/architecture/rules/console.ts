import { CONSOLE_IMPORTS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

const SOURCE = "console/src/";
const START = "main.tsx";

/**
 * Folders of the console import only those below them: components and data import neither each other nor pages, and a page imports
 * no other page, so that each can be changed independently.
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
      const isAllowed = targetFolder === folder || known.includes(targetFolder);
      return isAllowed ? [] : fault(`${folder} may not import ${targetFolder}`);
    });
  });
