import { checkBlocks } from "./check-blocks.ts";
import { checkCallPath } from "./check-call-path.ts";
import { checkCommands, checkFrontPages } from "./check-front-pages.ts";
import { checkConstants } from "./check-constants.ts";
import { checkDecisions } from "./check-decisions.ts";
import { checkGenerated } from "./check-generated.ts";
import { checkGlossary } from "./check-glossary.ts";
import { checkInterfaceMap } from "./check-interface-map.ts";
import { checkLinks } from "./check-links.ts";
import { checkMentions } from "./check-mentions.ts";
import { checkPaths } from "./check-paths.ts";
import { checkPostgrestParity } from "./check-postgrest-parity.ts";
import { checkQuestions } from "./check-questions.ts";
import { checkReach } from "./check-reach.ts";
import { checkRecipes } from "./check-recipes.ts";
import { checkThreatModel } from "./check-threat-model.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const RULES: readonly DocumentRule[] = [
  checkBlocks,
  checkCallPath,
  checkConstants,
  checkDecisions,
  checkFrontPages,
  checkGenerated,
  checkGlossary,
  checkInterfaceMap,
  checkMentions,
  checkPaths,
  checkPostgrestParity,
  checkQuestions,
  checkReach,
  checkRecipes,
  checkThreatModel,
  checkLinks,
  checkCommands,
];

export function findDocumentFaults(tree: DocumentTree): readonly string[] {
  return RULES.flatMap((rule) => rule(tree));
}
