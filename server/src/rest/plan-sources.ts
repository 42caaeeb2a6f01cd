import { hasScope, hiddenColumnsOf, isPortal, type Principal } from "../db/index.ts";
import type { Catalogue, Relation } from "./catalogue/catalogue.ts";
import type { PlanSource, RequestShape } from "./prepare-request.ts";
import type { TouchedName } from "./plan/names-of.ts";
import { RequestShapeCache } from "./request-shape-cache.ts";

/** A catalogue without the columns that a kind of caller must not read, and the plans made with it. */
interface Restricted {
  readonly shapes: RequestShapeCache<RequestShape>;
  readonly catalogues: WeakMap<Catalogue, Catalogue>;
}

/**
 * What requests are planned with: API keys without the scope `secrets`, and the portal, have catalogues, and so plans, of their own.
 */
export class PlanSources {
  readonly #isOwn: (name: TouchedName) => boolean;
  readonly #shapes = new RequestShapeCache<RequestShape>();
  readonly #ofKeys: Restricted = { shapes: new RequestShapeCache(), catalogues: new WeakMap() };
  readonly #ofPortal: Restricted = { shapes: new RequestShapeCache(), catalogues: new WeakMap() };

  constructor(isOwn: (name: TouchedName) => boolean) {
    this.#isOwn = isOwn;
  }

  of(principal: Principal, catalogue: Catalogue): PlanSource {
    if (hasScope(principal, "secrets")) return { catalogue, shapes: this.#shapes };
    const { shapes, catalogues } = isPortal(principal) ? this.#ofPortal : this.#ofKeys;
    const hidden = catalogues.get(catalogue) ?? this.#hideSecrets(principal, catalogue);
    catalogues.set(catalogue, hidden);
    return { catalogue: hidden, shapes };
  }

  #hideSecrets(principal: Principal, catalogue: Catalogue): Catalogue {
    const schemas = Array.from(catalogue.schemas, ([name, schema]) => {
      const relations = new Map(
        Array.from(schema.relations, ([key, relation]) => [key, this.#hide(principal, relation)]),
      );
      return [name, { ...schema, relations }] as const;
    });
    return { ...catalogue, schemas: new Map(schemas) };
  }

  #hide(principal: Principal, relation: Relation): Relation {
    const hidden = hiddenColumnsOf(principal, relation.schema, relation.name);
    if (hidden.length === 0) return relation;
    // A function that takes the row can return what is hidden; those of the service do not.
    const computedFields = new Map(
      Array.from(relation.computedFields).filter(([, field]) => this.#isOwn({ kind: "function", ...field.function })),
    );
    const restricted = { ...relation, computedFields, hiddenColumns: new Set(hidden) };
    if (!isPortal(principal)) return restricted;
    // Whoever makes a row sees its secret once.
    return {
      ...restricted,
      inserted: { ...restricted, hiddenColumns: new Set(hidden.filter((name) => name !== "secret")) },
    };
  }
}
