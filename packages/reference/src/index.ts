export { extension } from "./extension.ts";
export { renderOpenApi } from "./reference-files.ts";
