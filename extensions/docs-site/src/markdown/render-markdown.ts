import { createHash } from "node:crypto";
import { escapeHtml, type Html, raw } from "swarmbase/extension";
import { Marked, type Tokens } from "marked";
import type { Content } from "../content/content.ts";
import { highlight } from "./highlight.ts";
import type { ParsedPage } from "./parse-page.ts";
import { joinText } from "./plain-text.ts";
import { resolveLink, toUrl } from "./resolve-link.ts";

/** Renders the page of `file` below its title. */
export function renderMarkdown(content: Content, file: string, { tokens, anchors }: ParsedPage): Html {
  const marked = new Marked({
    renderer: {
      heading(token) {
        if (token.depth === 1) return "";
        const id = escapeHtml(anchors.get(token) ?? "");
        const label = `Link to “${joinText(token.tokens)}”`;
        const link = `<a class="anchor" href="#${id}" aria-label="${escapeHtml(label)}">#</a>`;
        return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}${link}</h${token.depth}>\n`;
      },
      link(token) {
        const inner = this.parser.parseInline(token.tokens);
        const target = resolveLink(content, file, token.href);
        if (target.kind === "link") return `<a href="${escapeHtml(target.href)}">${inner}</a>`;
        return isPathShown(token) ? inner : `${inner} (<code>${escapeHtml(target.path)}</code>)`;
      },
      image(token) {
        const target = resolveLink(content, file, token.href);
        if (target.kind === "file") return escapeHtml(token.text);
        const source = escapeHtml(target.href);
        return `<a class="picture" href="${source}"><img src="${source}" alt="${escapeHtml(token.text)}" loading="lazy"></a>`;
      },
      code({ text, lang = "" }) {
        const language = lang.split(/\s/, 1)[0] ?? "";
        const drawing = language === "mermaid" ? findDrawing(content, text) : null;
        return drawing === null ? renderCode(text, language) : renderDiagram(text, drawing);
      },
      table(token) {
        const head = token.header
          .map((cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`)
          .join("");
        const rows = token.rows.map((row) => {
          const id = anchors.get(row);
          const cells = row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`);
          if (id !== undefined) cells[0] = addRowLink(cells[0] ?? "", id);
          return `<tr${id === undefined ? "" : ` id="${escapeHtml(id)}"`}>${cells.join("")}</tr>\n`;
        });
        return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join("")}</tbody></table></div>\n`;
      },
      // The pages are plain Markdown; the only HTML in them are comments for those who edit them.
      html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? "" : escapeHtml(text)),
    },
  });
  return raw(marked.parser(tokens));
}

function addRowLink(cell: string, id: string): string {
  return cell.replace(/^<td>(.*)<\/td>$/s, `<td><a class="row-anchor" href="#${escapeHtml(id)}">$1</a></td>`);
}

/** Whether the text of a link to a source file is its path, as code. */
function isPathShown({ tokens }: Tokens.Link): boolean {
  return tokens.some(({ type }) => type === "codespan");
}

/** `npm run generate -- diagrams` draws the diagrams, each into a file that is named by the digest of its source. */
function findDrawing({ attachments }: Content, source: string): string | null {
  const digest = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const path = attachments.get(`docs/pictures/diagrams/${digest}.svg`);
  return path === undefined ? null : toUrl(path);
}

/** The source is the text of the diagram for those who cannot see it. */
function renderDiagram(text: string, url: string): string {
  const picture = `<a class="picture" href="${escapeHtml(url)}"><img src="${escapeHtml(url)}" alt="Diagram; its source follows" loading="lazy"></a>`;
  return `${picture}<details class="diagram"><summary>Source of the diagram</summary>${renderCode(text, "mermaid")}</details>\n`;
}

function renderCode(text: string, language: string): string {
  const caption = language === "" ? "text" : language;
  return `<figure class="code" data-language="${escapeHtml(caption)}"><figcaption>${escapeHtml(caption)}</figcaption><pre tabindex="0"><code>${highlight(text, language)}</code></pre></figure>\n`;
}
