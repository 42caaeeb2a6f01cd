import { authEndpoints } from "../../server/src/auth/index.ts";
import { renderCliReference } from "../../server/src/commands/index.ts";
import { renderConfigurationReference } from "../../server/src/config/index.ts";
import { renderErrorsReference } from "../../server/src/errors/index.ts";
import { FUNCTION_TABLE } from "../../server/src/functions/index.ts";
import { renderObservationsReference } from "../../server/src/observe/index.ts";
import { renderOpenApi } from "../../server/src/reference/index.ts";
import { renderAuthErrorsReference } from "./render-auth-errors-reference.ts";
import { renderLimitsReference } from "./render-limits-reference.ts";
import { renderOperatorsReference } from "./render-operators-reference.ts";
import { EVENT_DOCUMENTS } from "../sdk/event-documents.ts";

/** Pages that are written by a program, with what writes them. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  ...EVENT_DOCUMENTS,
  "docs/reference/auth-errors.md": renderAuthErrorsReference,
  "docs/reference/cli.md": renderCliReference,
  "docs/reference/configuration.md": renderConfigurationReference,
  "docs/reference/errors.md": renderErrorsReference,
  "docs/reference/limits.md": renderLimitsReference,
  "docs/reference/observations.md": renderObservationsReference,
  "docs/reference/operators.md": renderOperatorsReference,
  "docs/reference/openapi.json": () => renderOpenApi({ auth: authEndpoints, functions: FUNCTION_TABLE }),
};
