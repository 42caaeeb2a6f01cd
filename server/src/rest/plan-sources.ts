import { hasScope, hiddenColumnsOf, type Principal } from "../db/index.ts";
import type { Catalogue, Relation } from "./catalogue/catalogue.ts";
import type { PlanSource, RequestShape } from "./prepare-request.ts";
import { RequestShapeCache } from "./request-shape-cache.ts";

/** What requests are planned with: API keys without the scope `secrets` have a catalogue, and so plans, of their own. */
export class PlanSources {
  readonly #shapes = new RequestShapeCache<RequestShape>();
  readonly #shapesWithoutSecrets = new RequestShapeCache<RequestShape>();
  readonly #withoutSecrets = new WeakMap<Catalogue, Catalogue>();

  of(principal: Principal, catalogue: Catalogue): PlanSource {
    if (hasScope(principal, "secrets")) return { catalogue, shapes: this.#shapes };
    const hidden = this.#withoutSecrets.get(catalogue) ?? hideSecrets(principal, catalogue);
    this.#withoutSecrets.set(catalogue, hidden);
    return { catalogue: hidden, shapes: this.#shapesWithoutSecrets };
  }
}

function hideSecrets(principal: Principal, catalogue: Catalogue): Catalogue {
  const hide = (relation: Relation): Relation => {
    const hidden = hiddenColumnsOf(principal, relation.schema, relation.name);
    return hidden.length === 0 ? relation : { ...relation, hiddenColumns: new Set(hidden) };
  };
  const schemas = Array.from(catalogue.schemas, ([name, schema]) => {
    const relations = new Map(Array.from(schema.relations, ([key, relation]) => [key, hide(relation)]));
    return [name, { ...schema, relations }] as const;
  });
  return { ...catalogue, schemas: new Map(schemas) };
}
