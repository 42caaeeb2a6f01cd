// In charge of: the OpenAPI document of everything that is not a table, and the page that shows it.
// Not in charge of: what the operations do, or the description of tables (rest has its own).
export { openReference, type ReferenceFile, type ReferenceModule, renderOpenApi } from "./reference-files.ts";
