// The parts of the generator that `npm run generate -- sdk-types` writes the types of the SDK with.
export { renderFunction } from "./render-function.ts";
export { indent, renderRelationships, renderType, type TypeNames } from "./render-type.ts";
