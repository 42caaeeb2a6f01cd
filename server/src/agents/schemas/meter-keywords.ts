import { type Ajv2020, _, type Code, type KeywordCxt, type Name } from "ajv/dist/2020.js";

/** A step takes about a microsecond at most. An ordinary value of 5,000 values takes some ten thousand. */
const MAX_STEPS = 250_000;

/** Thrown by `spend`. */
export class TooManySteps extends Error {}

/** Counts the work of one validation at a time. */
export interface StepMeter {
  reset(): void;
  spend(steps: number): void;
}

export function createStepMeter(): StepMeter {
  let left = 0;
  return {
    reset() {
      left = MAX_STEPS;
    },
    spend(steps) {
      left -= steps;
      // Also for NaN, which would switch the limit off.
      if (!(left >= 0)) throw new TooManySteps();
    },
  };
}

type StepsOf = (cxt: KeywordCxt, count: Name) => Code;

const oncePerSchema: StepsOf = (cxt) => _`${countMembers(schemaOf(cxt))}`;
const once: StepsOf = () => _`1`;
const perItem: StepsOf = ({ data }) => _`${data}.length / 4`;
const perName: StepsOf = ({ data }, count) => _`${count}(${data}) / 4`;
const perCharacter: StepsOf = ({ data }) => _`${data}.length / 100`;

/**
 * Keywords that evaluate other schemas or take longer for a longer value. Patterns and `uniqueItems` count their steps
 * themselves.
 */
const STEPS: Readonly<Record<string, StepsOf>> = {
  $ref: once,
  allOf: oncePerSchema,
  anyOf: oncePerSchema,
  oneOf: oncePerSchema,
  not: once,
  if: once,
  dependentSchemas: oncePerSchema,
  dependencies: oncePerSchema,
  properties: once,
  prefixItems: oncePerSchema,
  items: perItem,
  unevaluatedItems: perItem,
  // Ajv keeps the errors of all items, and copies them for each item that a reference describes.
  contains: ({ data }) => _`${data}.length * (1 + ${data}.length / 50)`,
  additionalProperties: perName,
  patternProperties: perName,
  propertyNames: perName,
  unevaluatedProperties: perName,
  minLength: perCharacter,
  maxLength: perCharacter,
  format: perCharacter,
  enum: (cxt) => _`${countMembers(schemaOf(cxt)) / 50}`,
};

/**
 * Makes the validators that the compiler generates count their steps. The static limits of a schema and the limits of a
 * value bound only their product, which is more than the event loop can wait for.
 */
export function meterKeywords(ajv: Ajv2020, meter: StepMeter): void {
  for (const [keyword, stepsOf] of Object.entries(STEPS)) {
    const definition = ajv.getKeyword(keyword);
    if (typeof definition !== "object" || !("code" in definition)) throw new Error(`Ajv has no keyword ${keyword}`);
    const { code } = definition;
    definition.code = (cxt, type) => {
      const { gen } = cxt;
      const spend = gen.scopeValue("func", { ref: meter.spend });
      const count = gen.scopeValue("func", { ref: countMembers });
      gen.code(_`${spend}(${stepsOf(cxt, count)})`);
      code(cxt, type);
    };
  }
}

/** A list, or schemas by name. */
function schemaOf({ schema }: KeywordCxt): object {
  return schema as object;
}

/** Items of an array, names of an object. */
function countMembers(value: object): number {
  return Object.keys(value).length;
}
