import { z } from "zod";
import { isRecord } from "../json/index.ts";
import { nearestNames } from "../rest/index.ts";

const MAX_NAMED = 20;
const MAX_NAME_CHARACTERS = 100;
/** A shorter prefix would match too many names. */
const MIN_PREFIX_LENGTH = 4;

interface UnknownMember {
  /** Dotted, empty or with a trailing dot. */
  readonly path: string;
  readonly name: string;
  /** Known members that the body lacks. */
  readonly unsent: readonly string[];
}

/** Returns a sentence for each member that the schema does not know: a misspelt member would be ignored silently. */
export function describeUnknownMembers(schema: z.ZodType, body: unknown): string[] {
  const members = findUnknown(schema, body, "");
  const sentences = members.slice(0, MAX_NAMED).map(({ path, name, unsent }) => {
    const meant = findMeant(name, unsent);
    const guess = meant === null ? "" : `; perhaps you meant \`${meant}\``;
    return `Unknown member \`${path}${name.slice(0, MAX_NAME_CHARACTERS)}\`${guess}.`;
  });
  const more = members.length - sentences.length;
  return more > 0 ? [...sentences, `${more} more members are unknown.`] : sentences;
}

function findUnknown(schema: z.ZodType, value: unknown, path: string): UnknownMember[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return findUnknown(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodDiscriminatedUnion || schema instanceof z.ZodUnion) {
    const option = chooseOption(schema, value);
    return option === undefined ? [] : findUnknown(option, value, path);
  }
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return [];
    const element = schema.element as z.ZodType;
    return value.flatMap((item: unknown, index) => findUnknown(element, item, `${path}${index}.`));
  }
  return schema instanceof z.ZodObject && isRecord(value) ? findInObject(schema, value, path) : [];
}

function findInObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: string): UnknownMember[] {
  const known = Object.keys(schema.shape);
  // A schema with a catchall accepts or rejects further members itself.
  const isOpen = schema.def.catchall === undefined;
  const unsent = known.filter((name) => !Object.hasOwn(value, name));
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
    if (inner !== undefined) return findUnknown(inner, member, `${path}${name}.`);
    return isOpen ? [{ path, name, unsent }] : [];
  });
}

/** Finds the option of a union by its discriminator, or by what parses. */
function chooseOption(schema: z.ZodUnion | z.ZodDiscriminatedUnion, value: unknown): z.ZodType | undefined {
  const options = schema.options as readonly z.ZodType[];
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return options.find((option) => option.safeParse(value).success);
  const { discriminator } = schema.def;
  const sent = isRecord(value) && Object.hasOwn(value, discriminator) ? value[discriminator] : undefined;
  return options.find((option) => {
    const inner = option instanceof z.ZodObject ? (option.shape[discriminator] as z.ZodType | undefined) : undefined;
    return inner?.safeParse(sent).success === true;
  });
}

/** `webhookId` for `webhook_id`, `grace_period` for `grace_period_seconds`, or a typing error. */
function findMeant(name: string, candidates: readonly string[]): string | null {
  if (name.length > MAX_NAME_CHARACTERS) return null;
  const wanted = toPlain(name);
  const alike = candidates.find((candidate) => toPlain(candidate) === wanted);
  const [near] = nearestNames(name, candidates);
  const begun = candidates.find((candidate) => isPrefix(wanted, toPlain(candidate)));
  return alike ?? near ?? begun ?? null;
}

function isPrefix(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= MIN_PREFIX_LENGTH && long.startsWith(short);
}

function toPlain(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}
