import { authEndpoints } from "../../server/src/auth/index.ts";
import { FUNCTION_TABLE } from "../../server/src/functions/index.ts";

/** Where a name is written that a hand-written reference page must list. The first group is the name. */
interface NameSource {
  readonly page: string;
  readonly files: RegExp;
  readonly pattern: RegExp;
}

const NAME_SOURCES: readonly NameSource[] = [
  // Codes of PostgREST.
  { page: "docs/reference/rest.md", files: /^server\/src\/(?:auth|db|rest)\/.*\.ts$/, pattern: /"(PGRST\d{3})"/g },
  // Frames of sockets.
  {
    page: "docs/reference/realtime.md",
    files: /^server\/src\/realtime\/(?:channels|requests|sockets|wire)\/.*\.ts$/,
    pattern: /\bevent(?::| ===) "([a-z_]+)"/g,
  },
  {
    page: "docs/reference/realtime.md",
    files: /^server\/src\/realtime\/requests\/channel-request\.ts$/,
    pattern: /\bcase "([a-z_]+)":/g,
  },
  // Actions of functions.
  {
    page: "docs/reference/functions.md",
    files: /^server\/src\/functions\/.*\.ts$/,
    pattern: /\baction: z\.literal\("([a-z_]+)"\)/g,
  },
  // Events of the stream of a run.
  {
    page: "docs/reference/functions.md",
    files: /^server\/functions\/run(?:s|-[a-z]+)\.sql$/,
    pattern: /'((?:run|turn|tool)\.[a-z_]+)'/g,
  },
  {
    page: "docs/reference/functions.md",
    files: /^server\/src\/agents\/(?:streams\/run-body|writer\/event-sequencer)\.ts$/,
    pattern: /"((?:run|message|reasoning)\.[a-z]+)"/g,
  },
];

/** Texts that hand-written pages of the reference must contain, by page. */
export function listMentions(files: ReadonlyMap<string, string>): Readonly<Record<string, readonly string[]>> {
  const mentions: Record<string, string[]> = {
    "docs/reference/functions.md": FUNCTION_TABLE.map(({ name }) => `\n## ${name}\n`),
    "docs/reference/auth.md": authEndpoints.map(({ method, path }) => `\`${method} ${path}\``),
  };
  for (const { page, files: named, pattern } of NAME_SOURCES) {
    const texts = [...files].filter(([path]) => named.test(path)).map(([, text]) => text);
    const names = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => `\`${name}\``));
    mentions[page] = [...new Set([...(mentions[page] ?? []), ...names])];
  }
  return mentions;
}
