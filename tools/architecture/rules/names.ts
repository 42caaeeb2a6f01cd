import { FORBIDDEN_NAMES, ALLOWED_NAMES } from "../modules.ts";
import type { Rule } from "../rule.ts";

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MIGRATION = /^\d{4}_[a-z0-9]+(_[a-z0-9]+)*(\.contract)?\.sql$/;

/** Names are kebab-case, migrations are NNNN_words.sql or NNNN_words.contract.sql, and generic names are forbidden. */
export const checkNames: Rule = ({ texts }) =>
  [...texts.keys()].flatMap((path) => {
    // README.md is a convention of its own.
    if (path.endsWith(".md")) return [];
    const folders = path.split("/");
    const file = folders.pop() ?? "";
    const fault = (message: string) => [{ path, line: 1, message }];
    if (folders.includes("migrations"))
      return MIGRATION.test(file) ? [] : fault("a migration is named NNNN_words.sql, lower case");
    const [stem = "", ...endings] = file.split(".");
    // An acceptance test begins with the number of its section: "4.1-agents.test.ts".
    const words = /^\d/.test(stem) ? [...folders, ...endings] : [...folders, stem, ...endings];
    const wrong = words.find((word) => !KEBAB.test(word));
    if (wrong !== undefined) return fault(`"${wrong}" is not kebab-case`);
    const isAllowed = ALLOWED_NAMES.has(path.split("/").slice(0, 3).join("/"));
    const checked = isAllowed ? folders.slice(3) : folders;
    const generic = [...checked, stem.split("-").at(-1) ?? ""].find((word) => FORBIDDEN_NAMES.has(word));
    return generic === undefined ? [] : fault(`"${generic}" does not describe the content`);
  });
