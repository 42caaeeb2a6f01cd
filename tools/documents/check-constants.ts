import type { DocumentRule } from "./rule.ts";

/** Not a variable of the reader, such as `${env:TOKEN_OF_YOURS}`. */
const CONSTANT = /(?<!\$\{(?:env:)?)\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
const FENCE = /^(```|~~~)[\s\S]*?^\1/gm;
const CODE = /`[^`\n]+`/g;
/** Decisions and the changelog say what was. */
const HISTORY = /^(?:docs\/decisions\/|CHANGELOG\.md$)/;
/** Of other programs, and of files that are not TypeScript. */
const FOREIGN: ReadonlySet<string> = new Set([
  "COMPOSE_FILE",
  "DATABASE_PASSWORD",
  "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
]);

/** Variables of a sign-in provider, which the operator names. */
const OF_PROVIDER = /^AUTH_[A-Z0-9_]+_(?:CLIENT_ID|CLIENT_SECRET|ISSUER)$/;
const isKnownElsewhere = (name: string): boolean => FOREIGN.has(name) || OF_PROVIDER.test(name);

/** Settings, error codes and constants that the prose of a page names are in the sources. */
export const checkConstants: DocumentRule = ({ pages, sources, isGenerated }) => {
  const generated = [...pages].filter(([path]) => isGenerated(path)).map(([, page]) => page);
  const known = new Set([...sources.values(), ...generated].flatMap((text) => text.match(CONSTANT) ?? []));
  return [...pages]
    .filter(([path]) => !HISTORY.test(path) && !isGenerated(path))
    .flatMap(([path, page]) => {
      const code = page.replace(FENCE, "").match(CODE)?.join(" ") ?? "";
      const unknown = [...new Set(code.match(CONSTANT))].filter((name) => !known.has(name) && !isKnownElsewhere(name));
      return unknown.map((name) => `${path}: no source has "${name}"`);
    });
};
