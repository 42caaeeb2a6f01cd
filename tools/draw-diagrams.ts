import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findDiagrams } from "./documents/find-diagrams.ts";
import { readTexts } from "./read-texts.ts";

/**
 * Draws the Mermaid diagrams of the documents into docs/pictures/diagrams, where the documentation site finds them. The renderer is
 * installed for the run only: nothing else needs it, and its layout engine is larger than all other tools.
 */
const RENDERER = "beautiful-mermaid@1.1.3";
const COLOURS = {
  bg: "#ffffff",
  fg: "#15161c",
  accent: "#5151cd",
  line: "#8a8c9a",
  border: "#c9cad6",
  surface: "#f4f4fb",
  muted: "#5f6170",
};
const SPACING = { nodeSpacing: 28, layerSpacing: 44, padding: 16, font: "system-ui" };

interface Renderer {
  renderMermaidSVG(source: string, options: object): string;
}

const root = resolve(`${import.meta.dirname}/..`);
const folder = join(root, "docs/pictures/diagrams");
const temporary = mkdtempSync(join(tmpdir(), "swarmbase-diagrams-"));
try {
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--prefix", temporary, RENDERER], {
    stdio: "inherit",
  });
  const module = join(temporary, "node_modules/beautiful-mermaid/dist/index.js");
  const { renderMermaidSVG } = (await import(pathToFileURL(module).href)) as Renderer;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, source } of findDiagrams(readTexts(root, ["README.md", "docs/**/*.md"]).values())) {
    // Text columns are narrow, so that a diagram is drawn from top to bottom.
    const drawn = renderMermaidSVG(source.replace(/^flowchart LR/, "flowchart TD"), { ...COLOURS, ...SPACING });
    // The renderer imports a font from another host.
    writeFileSync(join(folder, name), `${drawn.replace(/^\s*@import .*$/m, "").trim()}\n`);
    process.stdout.write(`wrote docs/pictures/diagrams/${name}\n`);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
