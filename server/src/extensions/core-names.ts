import { FUNCTION_TABLE } from "../functions/index.ts";
import { OWN_RELATIONS } from "../tables/index.ts";

/** Names that an extension must not take. */
export interface CoreNames {
  /** Under `/functions/v1/`. */
  readonly functions: ReadonlySet<string>;
  readonly relations: ReadonlySet<string>;
}

export const CORE_NAMES: CoreNames = {
  functions: new Set(FUNCTION_TABLE.map(({ name }) => name)),
  relations: OWN_RELATIONS,
};
