/** A part of code with one colour. */
export interface Token {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword";
  readonly text: string;
}

interface Grammar {
  readonly comment: string;
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase?: boolean;
}

const LINE_SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const LINE_HASH = String.raw`#[^\n]*`;
const LINE_DASHES = String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const MARKUP = String.raw`<!--[\s\S]*?(?:-->|$)`;
const NOTHING = String.raw`$^`;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Enough words to tell structure from names; not the complete grammars. */
const CURLY: Grammar = {
  comment: LINE_SLASHES,
  keywords: words(
    "abstract as async await bool boolean break case catch char class const continue default defer delete do double else enum export extends false final finally float fn for foreach from func function go if impl implements import in instanceof int interface let long match mod mut namespace new nil null nullptr of override package private protected pub public range readonly return self static string struct super switch this throw throws trait true try type typeof undefined use using var void while yield",
  ),
};
const PYTHON: Grammar = {
  comment: LINE_HASH,
  keywords: words(
    "False None True and as assert async await break class continue def del elif else end except finally for from global if import in is lambda module nonlocal not or pass raise require return self then try unless while with yield",
  ),
};
const SHELL: Grammar = {
  comment: LINE_HASH,
  keywords: words("case do done echo elif else esac exit export fi for function if in local return set then while"),
};
const SQL: Grammar = {
  comment: LINE_DASHES,
  ignoresCase: true,
  keywords: words(
    "add alter and any as asc begin by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full function grant group having ilike in index inner insert into is join key left like limit not null offset on or order outer policy primary references returning revoke right rollback select set table then to true trigger union unique update using values view when where with",
  ),
};
const DATA: Grammar = { comment: NOTHING, keywords: words("true false null") };
const YAML: Grammar = { comment: LINE_HASH, keywords: words("true false null yes no on off") };
const TAGS: Grammar = { comment: MARKUP, keywords: words("") };

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  ...Object.fromEntries(
    "c cpp cs csharp css dart go java javascript js jsx kotlin kt php rust rs scala scss swift ts tsx typescript"
      .split(" ")
      .map((name) => [name, CURLY]),
  ),
  ...Object.fromEntries("bash sh shell zsh console curl dockerfile".split(" ").map((name) => [name, SHELL])),
  py: PYTHON,
  python: PYTHON,
  rb: PYTHON,
  ruby: PYTHON,
  sql: SQL,
  postgresql: SQL,
  json: DATA,
  jsonc: DATA,
  toml: YAML,
  yaml: YAML,
  yml: YAML,
  html: TAGS,
  xml: TAGS,
  svg: TAGS,
};

const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|` + "`(?:\\\\[\\s\\S]|[^`\\\\])*`?";
const NUMBER = String.raw`\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;
/** Colours in a long text cost more than they help. */
const MAX_LENGTH = 20_000;

/** Splits code into coloured parts. Code in an unknown language is one part. */
export function tokenize(code: string, language: string): readonly Token[] {
  const grammar = GRAMMARS[language.toLowerCase()];
  if (grammar === undefined || code.length > MAX_LENGTH) return [{ kind: "plain", text: code }];
  const pattern = new RegExp(`(${grammar.comment})|(${STRING})|(${NUMBER})|(${WORD})`, "g");
  const tokens: Token[] = [];
  let end = 0;
  for (const found of code.matchAll(pattern)) {
    const [text, comment, string, number, word] = found;
    if (text === "") continue;
    const kind =
      comment !== undefined
        ? "comment"
        : string !== undefined
          ? "string"
          : number !== undefined
            ? "number"
            : word !== undefined && isKeyword(grammar, word)
              ? "keyword"
              : "plain";
    if (kind === "plain") continue;
    if (found.index > end) tokens.push({ kind: "plain", text: code.slice(end, found.index) });
    tokens.push({ kind, text });
    end = found.index + text.length;
  }
  if (end < code.length) tokens.push({ kind: "plain", text: code.slice(end) });
  return tokens;
}

function isKeyword({ keywords, ignoresCase = false }: Grammar, word: string): boolean {
  return keywords.has(ignoresCase ? word.toLowerCase() : word);
}
