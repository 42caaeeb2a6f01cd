import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { Plan, ReadNode, Source } from "./plan.ts";
import { type Use, usesOf, usesOfPredicate } from "./uses-of.ts";

/** A name that may refer to SQL that is not part of the service. */
export interface TouchedName extends QualifiedName {
  readonly kind: "relation" | "function" | "type";
}

/** Every relation, function and type that a plan uses; may contain duplicates. */
export function namesOf(plan: Plan): readonly TouchedName[] {
  const { body } = plan.answer;
  return body.kind === "handler"
    ? [nameOf("function", body.handler.function), ...namesOfPlan(plan)]
    : namesOfPlan(plan);
}

function namesOfPlan(plan: Plan): readonly TouchedName[] {
  switch (plan.kind) {
    case "read":
      return namesOfNode(plan.root);
    case "write": {
      const { write, shown } = plan;
      const where = write.kind === "insert" ? [] : write.where.flatMap(usesOfPredicate).flatMap(namesOfUse);
      const columns = write.kind === "delete" ? [] : write.rows.columns;
      const readers = columns.flatMap(({ type }) => type.representation?.fromJson ?? []);
      return [
        nameOf("relation", write.relation),
        ...readers.map((reader) => nameOf("function", reader)),
        ...where,
        ...(shown === null ? [] : namesOfNode(shown)),
      ];
    }
    case "call":
      return [nameOf("function", plan.call.function), ...(plan.shown === null ? [] : namesOfNode(plan.shown))];
  }
}

function namesOfNode(node: ReadNode): readonly TouchedName[] {
  return [
    ...namesOfSource(node.source),
    ...usesOf(node).flatMap(namesOfUse),
    ...node.outputs.flatMap((output) => (output.kind === "aggregate" ? namesOfCast(output.cast) : [])),
    ...node.order.flatMap(({ by }) => (by.kind === "related" ? namesOfUse(by.value) : [])),
  ];
}

function namesOfSource(source: Source): readonly TouchedName[] {
  switch (source.kind) {
    case "relation":
      return [nameOf("relation", source.relation)];
    case "computed":
      return [nameOf("function", source.function)];
    case "written":
    case "call":
      return [];
  }
}

function namesOfUse(use: Use): readonly TouchedName[] {
  if ("relationship" in use) {
    const { relationship, node } = use;
    const junction = relationship.kind === "many-to-many" ? [nameOf("relation", relationship.junction.relation)] : [];
    return [...junction, ...namesOfNode(node)];
  }
  const { of, cast } = use;
  const { toJson = null, fromText = null } = of.type?.representation ?? {};
  const casts = [toJson, fromText].flatMap((name) => (name === null ? [] : [nameOf("function", name)]));
  if (of.kind === "computed") return [nameOf("function", of.function), ...casts, ...namesOfCast(cast)];
  // PostgreSQL resolves an unknown column as a call of a function that takes the row.
  const isUnknown = of.kind === "column" && of.type === null;
  const unknown = isUnknown ? [nameOf("function", { schema: "", name: of.name })] : [];
  return [...unknown, ...casts, ...namesOfCast(cast)];
}

/** A cast can run a function that the creator of the type defined. */
function namesOfCast(cast: string | null): readonly TouchedName[] {
  return cast === null ? [] : [nameOf("type", { schema: "", name: cast })];
}

function nameOf(kind: TouchedName["kind"], { schema, name }: QualifiedName): TouchedName {
  return { kind, schema, name };
}
