import { extension as reference, renderOpenApi } from "@swarmbase/reference";
import { renderCliReference } from "../../server/src/commands/index.ts";
import { renderConfigurationReference } from "../../server/src/config/index.ts";
import { describeInterface } from "../../server/src/extensions/index.ts";
import { renderErrorsReference } from "../../server/src/errors/index.ts";
import { renderObservationsReference } from "../../server/src/observe/index.ts";
import { renderAuthErrorsReference } from "./render-auth-errors-reference.ts";
import { renderLimitsReference } from "./render-limits-reference.ts";
import { renderOperatorsReference } from "./render-operators-reference.ts";
import { EVENT_DOCUMENTS } from "../sdk/event-documents.ts";

/** The extensions of this repository. */
const SHIPPED_EXTENSIONS = [reference];

/** Pages that are written by a program, with what writes them. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  ...EVENT_DOCUMENTS,
  "docs/reference/auth-errors.md": renderAuthErrorsReference,
  "docs/reference/cli.md": renderCliReference,
  "docs/reference/configuration.md": () => renderConfigurationReference(SHIPPED_EXTENSIONS),
  "docs/reference/errors.md": renderErrorsReference,
  "docs/reference/limits.md": renderLimitsReference,
  "docs/reference/observations.md": renderObservationsReference,
  "docs/reference/operators.md": renderOperatorsReference,
  "docs/reference/openapi.json": () => renderOpenApi(describeInterface()),
};
