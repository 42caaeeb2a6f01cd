// The parts of the generator that `npm run generate -- sdk-types` writes the types of the SDK with.
export { renderDoc, withoutDocs } from "./render-doc.ts";
export { commentOf, renderFunction } from "./render-function.ts";
export { indent, renderRelationships, renderType, type TypeNames } from "./render-type.ts";
