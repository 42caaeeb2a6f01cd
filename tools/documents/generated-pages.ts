import { renderConfigurationReference } from "../../server/src/config/index.ts";
import { renderErrorsReference } from "../../server/src/errors/index.ts";
import { renderObservationsReference } from "../../server/src/observe/index.ts";

/** Pages that are written by a program, with what writes them. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  "docs/reference/configuration.md": renderConfigurationReference,
  "docs/reference/errors.md": renderErrorsReference,
  "docs/reference/observations.md": renderObservationsReference,
};
