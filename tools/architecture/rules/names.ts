import { FORBIDDEN_NAMES, NAMED_ALIKE_BUT_MEANT } from "../modules.ts";
import type { Rule } from "../rule.ts";

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MIGRATION = /^\d{4}_[a-z0-9]+(_[a-z0-9]+)*\.sql$/;

/** Kebab-case throughout, migrations as NNNN_words.sql, and no name that would fit any file. */
export const checkNames: Rule = ({ texts }) =>
  [...texts.keys()].flatMap((path) => {
    const folders = path.split("/");
    const file = folders.pop() ?? "";
    const fault = (message: string) => [{ path, line: 1, message }];
    if (folders.includes("migrations"))
      return MIGRATION.test(file) ? [] : fault("a migration is named NNNN_words.sql, lower case");
    const [stem = "", ...endings] = file.split(".");
    // An acceptance test begins with the number of its section: "4.1-agents.test.ts".
    const words = /^\d/.test(stem) ? [...folders, ...endings] : [...folders, stem, ...endings];
    const shouting = words.find((word) => !KEBAB.test(word));
    if (shouting !== undefined) return fault(`"${shouting}" is not kebab-case`);
    const isMeant = NAMED_ALIKE_BUT_MEANT.has(path.split("/").slice(0, 3).join("/"));
    const judged = isMeant ? folders.slice(3) : folders;
    const empty = [...judged, stem.split("-").at(-1) ?? ""].find((word) => FORBIDDEN_NAMES.has(word));
    return empty === undefined ? [] : fault(`"${empty}" says nothing about what is inside`);
  });
