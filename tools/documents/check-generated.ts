import type { DocumentRule } from "./rule.ts";

/** A generated page must equal the output of its generator. */
export const checkGenerated: DocumentRule = ({ pages, generated, readSource }) =>
  Object.entries(generated).flatMap(([path, render]) =>
    (pages.get(path) ?? readSource(path)) === render()
      ? []
      : [`${path}: differs from its source; run npm run generate -- reference`],
  );
