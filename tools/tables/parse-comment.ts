/** What the comment on a table of the service says, in the form that CONTRIBUTING.md describes. */
export interface TableText {
  readonly summary: string;
  readonly notes: readonly string[];
  /** By other name of a column in a written row. */
  readonly aliases: Readonly<Record<string, string>>;
  /** What raises the event, by its type. */
  readonly events: Readonly<Record<string, string>>;
  readonly guide: string;
}

const LABEL = /^(Alias|Event|Guide)(?: (\S+))?: /;

/** Throws when the summary or the guide is missing. */
export function parseTableComment(name: string, comment: string | null): TableText {
  const [summary, ...others] = paragraphsOf(comment);
  if (summary === undefined) throw new Error(`${name} has no comment`);
  const labels = splitLabels(others.at(-1) ?? "");
  const named = (kind: string): Record<string, string> =>
    Object.fromEntries(labels.filter((label) => label.kind === kind).map(({ key, text }) => [key, text]));
  const guide = named("Guide")[""];
  if (guide === undefined) throw new Error(`the comment on ${name} names no guide`);
  return {
    summary,
    notes: others.slice(0, -1),
    aliases: named("Alias"),
    events: named("Event"),
    guide,
  };
}

/** A line break within a paragraph is a space, unless a label follows. */
export function paragraphsOf(comment: string | null): readonly string[] {
  return (comment ?? "")
    .split(/\n{2,}/)
    .map((text) => text.trim().replaceAll(/\n(?!(?:Alias|Event) \S+: |Guide: )/g, " "))
    .filter((text) => text !== "");
}

interface Labelled {
  readonly kind: string;
  readonly key: string;
  readonly text: string;
}

function splitLabels(paragraph: string): readonly Labelled[] {
  return paragraph.split("\n").map((line) => {
    const [label = "", kind = "", key = ""] = LABEL.exec(line) ?? [];
    return { kind, key, text: line.slice(label.length) };
  });
}
