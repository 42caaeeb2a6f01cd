import { type Catalogue, findRelation, type QualifiedName, type Relation } from "../catalogue/catalogue.ts";
import { nearestNames } from "../catalogue/nearest-names.ts";
import { restError } from "../rest-error.ts";

export function getRelation(catalogue: Catalogue, { schema, name }: QualifiedName): Relation {
  const relation = findRelation(catalogue, { schema, name });
  if (relation !== null) return relation;
  const [nearest] = nearestNames(name, catalogue.schemas.get(schema)?.relations.keys() ?? []);
  throw restError("PGRST205", `Could not find the table '${schema}.${name}' in the schema cache`, {
    hint: nearest === undefined ? null : `Perhaps you meant the table '${schema}.${nearest}'`,
  });
}
