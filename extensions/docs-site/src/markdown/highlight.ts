import { escapeHtml } from "swarmbase/extension";
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import python from "highlight.js/lib/languages/python";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** Aliases such as `sh`, `js`, `ts`, `html` and `console` belong to these languages. */
const LANGUAGES = {
  bash,
  diff,
  dockerfile,
  go,
  http,
  ini,
  javascript,
  json,
  nginx,
  python,
  shell,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** Returns markup with `hljs-` classes; a language that is not known is only escaped. */
export function highlight(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
