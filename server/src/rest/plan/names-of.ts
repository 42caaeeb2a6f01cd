import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { ColumnOf, Embed, Expression, Plan, Predicate, ReadNode, Source } from "./plan.ts";

/** A name that may refer to SQL that is not part of the service. */
export interface TouchedName extends QualifiedName {
  readonly kind: "relation" | "function" | "type";
}

/** Every relation, function and type that a plan uses; may contain duplicates. */
export function namesOf(plan: Plan): readonly TouchedName[] {
  switch (plan.kind) {
    case "read":
      return namesOfNode(plan.root);
    case "write": {
      const { write, shown } = plan;
      const where = write.kind === "insert" ? [] : write.where.flatMap(namesOfPredicate);
      return [relationName(write.relation), ...where, ...(shown === null ? [] : namesOfNode(shown))];
    }
    case "call":
      return [functionName(plan.call.function), ...(plan.shown === null ? [] : namesOfNode(plan.shown))];
  }
}

function namesOfNode(node: ReadNode): readonly TouchedName[] {
  const { source, outputs, where, order } = node;
  return [
    ...namesOfSource(source),
    ...outputs.flatMap((output) => {
      switch (output.kind) {
        case "star":
          return [];
        case "value":
          return namesOfExpression(output.value);
        case "aggregate":
          return [...namesOfCast(output.cast), ...(output.value === null ? [] : namesOfExpression(output.value))];
        case "embed":
        case "spread":
          return namesOfEmbed(output.embed);
      }
    }),
    ...where.flatMap(namesOfPredicate),
    ...order.flatMap(({ by }) => {
      switch (by.kind) {
        case "own":
          return namesOfExpression(by.value);
        case "related":
          return [...namesOfEmbed(by.embed), ...namesOfExpression(by.value)];
        case "output":
          return [];
      }
    }),
  ];
}

function namesOfSource(source: Source): readonly TouchedName[] {
  switch (source.kind) {
    case "relation":
      return [relationName(source.relation)];
    case "computed":
      return [functionName(source.function)];
    case "written":
    case "call":
      return [];
  }
}

function relationName({ schema, name }: QualifiedName): TouchedName {
  return { kind: "relation", schema, name };
}

function functionName({ schema, name }: QualifiedName): TouchedName {
  return { kind: "function", schema, name };
}

function namesOfEmbed({ relationship, node }: Embed): readonly TouchedName[] {
  const junction = relationship.kind === "many-to-many" ? [relationName(relationship.junction.relation)] : [];
  return [...junction, ...namesOfNode(node)];
}

function namesOfPredicate(predicate: Predicate): readonly TouchedName[] {
  switch (predicate.kind) {
    case "logic":
      return predicate.parts.flatMap(namesOfPredicate);
    case "exists":
      return namesOfEmbed(predicate.embed);
    default:
      return namesOfExpression(predicate.left);
  }
}

/** A cast can run a function that the creator of the type defined. */
function namesOfExpression({ of, cast }: Expression): readonly TouchedName[] {
  return [...namesOfColumn(of), ...namesOfCast(cast)];
}

/** PostgreSQL resolves an unknown column as a call of a function that takes the row. */
function namesOfColumn(of: ColumnOf): readonly TouchedName[] {
  if (of.kind === "computed") return [functionName(of.function)];
  return of.kind === "column" && of.type === null ? [functionName({ schema: "", name: of.name })] : [];
}

function namesOfCast(cast: string | null): readonly TouchedName[] {
  return cast === null ? [] : [{ kind: "type", schema: "", name: cast }];
}
