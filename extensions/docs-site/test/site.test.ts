import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ERROR_CODES } from "@swarmbase/sdk";
import type { ErrorCode, ExtensionContext, ExtensionResponse } from "swarmbase/extension";
import { describeInterface } from "../../../server/test/support/interface.ts";
import { runHere } from "../../../server/test/support/run-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { loadContent, REPOSITORY } from "../src/content/content.ts";
import { extension } from "../src/extension.ts";
import { loadSite, type Site } from "../src/load-site.ts";
import { resolveLink } from "../src/markdown/resolve-link.ts";
import { SYNONYMS } from "../src/search/synonyms.ts";

const { authErrors } = await describeInterface();
const VERSION = "1.2.3";

interface RenderedPage {
  readonly html: string;
  readonly ids: ReadonlySet<string>;
}

let site: Site;
/** By path on the origin. */
const pages = new Map<string, RenderedPage>();
/** Paths of pictures and other files. */
const files = new Set<string>();

before(async () => {
  site = await loadSite();
  const content = await loadContent();
  for (const path of [...content.pages.values(), "contents"]) {
    const file = (await site.render(path, VERSION)) ?? assert.fail(`there is no page at ${path}`);
    const html = file.content.toString();
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id);
    assert.equal(new Set(ids).size, ids.length, `ids of ${path} repeat`);
    pages.set(path === "" ? "/docs" : `/docs/${path}`, { html, ids: new Set(ids) });
  }
  for (const path of content.attachments.values()) files.add(`/docs/${path}`);
});

describe("the pages", () => {
  it("link only to pages, sections and files that exist", () => {
    const assets = /^\/docs\/assets\/(?:docs\.css|docs\.js|theme\.js|mark\.svg)$/;
    const ofTheService = new Set(["/", "/reference"]);
    for (const [path, { html }] of pages) {
      for (const [, address = ""] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
        const href = address.replaceAll("&amp;", "&");
        if (/^(?:https?|mailto|wss):/.test(href) || assets.test(href) || ofTheService.has(href)) continue;
        const [target = "", fragment] = href.split("#", 2);
        const page = pages.get((target === "" ? path : target).replace(/\.md$/, ""));
        assert.ok(page !== undefined || files.has(target), `${path} links to ${href}, which does not exist`);
        if (fragment !== undefined)
          assert.ok(page?.ids.has(fragment), `${path} links to ${href}, which has no such section`);
      }
    }
  });

  it("are all in the navigation of every page", () => {
    const [, menu = ""] = /<nav id="_menu"[^>]*>([\s\S]*?)<\/nav>/.exec(pages.get("/docs")?.html ?? "") ?? [];
    const linked = new Set([...menu.matchAll(/href="([^"]+)"/g)].map(([, href]) => href));
    const missing = [...pages.keys()].filter(
      (path) => path !== "/docs" && path !== "/docs/contents" && !linked.has(path),
    );
    assert.deepEqual(missing, []);
  });

  it("contain no script and no style of their own, as their policy requires", () => {
    for (const [path, { html }] of pages) {
      assert.doesNotMatch(
        html,
        /<script(?![^>]*\ssrc=)|<style|<[^>]*\s(?:style|on[a-z]+)=|(?:href|src)="javascript:/i,
        path,
      );
      assert.doesNotMatch(html, /<!--/, path);
    }
  });

  it("explain every error code at the address that the error names", () => {
    const codes = [...Object.keys(ERROR_CODES), ...Object.keys(authErrors), null] as (ErrorCode | null)[];
    for (const code of codes) {
      const [path = "", anchor = ""] = (extension.findHelp?.(code) ?? assert.fail(String(code))).split("#");
      assert.ok(pages.get(path)?.ids.has(anchor), `${path}#${anchor} does not exist`);
    }
  });

  it("show every diagram as a drawing (npm run generate -- diagrams makes them)", () => {
    for (const [path, { html }] of pages) {
      const sources = html.match(/data-language="mermaid"/g) ?? [];
      const drawings = html.match(/<img src="\/docs\/pictures\/diagrams\//g) ?? [];
      assert.equal(drawings.length, sources.length, `${path} has a diagram without a drawing`);
    }
    assert.match(pages.get("/docs/concepts")?.html ?? "", /<img src="\/docs\/pictures\/diagrams\//);
  });

  it("resolve links as a code host does, and show the path of a file that is not on the site", async () => {
    const content = await loadContent();
    const resolve = (href: string) => resolveLink(content, "docs/guides/agents.md", href);
    assert.deepEqual(resolve("tools.md#secrets"), { kind: "link", href: "/docs/guides/tools#secrets" });
    assert.deepEqual(resolve("../../README.md"), { kind: "link", href: "/docs/readme" });
    assert.deepEqual(resolve("../README.md"), { kind: "link", href: "/docs" });
    assert.deepEqual(resolve("../../acceptance/"), { kind: "link", href: "/docs/acceptance" });
    assert.deepEqual(resolve("../pictures/whole.svg"), { kind: "link", href: "/docs/pictures/whole.svg" });
    assert.deepEqual(resolve("#status"), { kind: "link", href: "#status" });
    assert.deepEqual(resolve("https://example.com/a.md"), { kind: "link", href: "https://example.com/a.md" });
    assert.deepEqual(resolve("../../server/src/main.ts"), { kind: "file", path: "server/src/main.ts" });
  });

  it("have highlighted code", () => {
    assert.match(pages.get("/docs/guides/agents")?.html ?? "", /<span class="hljs-keyword">const<\/span>/);
  });
});

describe("the search index", () => {
  it("has each error code, each setting and each section as an entry of its own", async () => {
    const { content = "" } = (await site.render("search.json", VERSION)) ?? {};
    const index = JSON.parse(content.toString()) as { pages: { url: string; sections: [string, string, string][] }[] };
    const sectionsOf = (url: string) => index.pages.find((page) => page.url === url)?.sections ?? [];
    const busy = sectionsOf("/docs/reference/errors").find(([anchor]) => anchor === "swarm_busy");
    assert.deepEqual(busy?.slice(0, 2), ["swarm_busy", "SWARM_BUSY"]);
    assert.match(busy?.[2] ?? "", /run in progress/);
    assert.ok(sectionsOf("/docs/reference/configuration").some(([, heading]) => heading === "EXTENSIONS"));
    for (const { url, sections } of index.pages)
      for (const [anchor] of sections) assert.ok(anchor === "" || pages.get(url)?.ids.has(anchor), `${url}#${anchor}`);
  });

  const firstResults: Readonly<Record<string, RegExp>> = {
    pricing: /running-costs$/,
    price: /running-costs$|models/,
    oauth: /tools#servers-with-oauth$/,
    image: /#images$/,
    images: /#images$/,
    "container image": /deploying/,
    docker: /deploying/,
    langchain: /guides\/openai/,
    langch: /guides\/openai/,
    k8s: /deploying#kubernetes$/,
    "rate limit": /limit/,
    "getting started": /guides\/getting-started$/,
    login: /accounts|sign-in|browser-apps/,
    webhooks: /guides\/webhooks$/,
    backups: /guides\/backups/,
    swarm_busy: /errors#swarm_busy$/,
    "verify a webhook": /verify-a-webhook$|guides\/webhooks/,
  };
  for (const [query, expected] of Object.entries(firstResults))
    it(`leads from "${query}" to the page about it first`, async () => {
      const { findSections, index } = await openSearch();
      assert.match(findSections(index, query).results[0]?.href ?? "", expected);
    });

  it("finds something for every synonym, and nothing for words that no page has", async () => {
    const { findSections, index } = await openSearch();
    for (const word of SYNONYMS.flat())
      assert.notEqual(findSections(index, word).results.length, 0, `nothing is found for ${word}`);
    assert.deepEqual(findSections(index, "webhook xyzzy").results, []);
  });
});

interface Search {
  findSections(index: unknown, query: string): { readonly results: readonly { readonly href: string }[] };
  openIndex(json: unknown): unknown;
}

/** The script of the pages. */
async function openSearch() {
  const script = new URL("../src/assets/find-sections.js", import.meta.url).href;
  const { findSections, openIndex } = (await import(script)) as Search;
  const { content = "" } = (await site.render("search.json", VERSION)) ?? {};
  return { findSections, index: openIndex(JSON.parse(content.toString())) };
}

describe("the routes", () => {
  it("serve pages that are revalidated, and compressed for clients that accept it", async () => {
    const plain = await get("/docs/guides/agents");
    assert.equal(plain.headers?.["content-type"], "text/html; charset=utf-8");
    assert.match(
      plain.headers?.["content-security-policy"] ?? "",
      /^default-src 'none'; script-src 'self';.*trusted-types 'none'$/,
    );
    assert.equal(plain.headers?.["cache-control"], "no-cache");
    assert.equal(plain.headers?.["content-encoding"], undefined);
    const br = await get("/docs/guides/agents", { "accept-encoding": "gzip, br" });
    assert.equal(br.headers?.["content-encoding"], "br");
    assert.deepEqual(brotliDecompressSync(br.body as Buffer), plain.body);
    const gzip = await get("/docs/guides/agents", { "accept-encoding": "gzip, br;q=0" });
    assert.equal(gzip.headers?.["content-encoding"], "gzip");
    assert.deepEqual(gunzipSync(gzip.body as Buffer), plain.body);
    const again = await get("/docs/guides/agents", { "if-none-match": `W/${plain.headers?.["etag"]}` });
    assert.deepEqual([again.status, again.body], [304, undefined]);
  });

  it("serve Markdown, pictures, schemas and assets with their types", async () => {
    const types = {
      "/docs/guides/agents.md": "text/markdown; charset=utf-8",
      "/docs/pictures/whole.svg": "image/svg+xml",
      "/docs/pictures/console-home.webp": "image/webp",
      "/docs/reference/openapi.json": "application/json; charset=utf-8",
      "/docs/reference/events/agent.created.json": "application/json; charset=utf-8",
      "/docs/assets/docs.css": "text/css; charset=utf-8",
      "/docs/assets/docs.js": "text/javascript; charset=utf-8",
      "/docs/assets/search.js": "text/javascript; charset=utf-8",
      "/docs/assets/find-sections.js": "text/javascript; charset=utf-8",
      "/docs/search.json": "application/json; charset=utf-8",
      "/docs/": "text/html; charset=utf-8",
      "/llms.txt": "text/plain; charset=utf-8",
      "/llms-full.txt": "text/plain; charset=utf-8",
    };
    for (const [path, type] of Object.entries(types))
      assert.equal((await get(path)).headers?.["content-type"], type, path);
  });

  it("answer 404 for everything else: as a page to browsers, as an error to programs", async () => {
    const paths = ["nowhere", "guides", "README.md", "../package.json", "..%2fpackage.json", "assets/../extension.ts"];
    for (const path of [...paths, "assets/nothing.js", "guides/agents.ts", "__proto__", "docs/README.md", "404"]) {
      await assert.rejects(get(`/docs/${path}`), { code: "NOT_FOUND" }, path);
    }
    const page = await get("/docs/nowhere", { accept: "text/html,*/*" });
    assert.equal(page.status, 404);
    assert.match(String(page.body), /<h1>Page not found<\/h1>/);
  });
});

describe("the texts for programs", () => {
  it("have a title, a summary, and sections of links to Markdown that exists, each with one sentence", async () => {
    const text = String((await get("/llms.txt")).body);
    const [title, , summary] = text.split("\n");
    assert.equal(title, "# Swarmbase");
    assert.match(summary ?? "", /^> Swarmbase is a backend /);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections, ["Start", "Build", "Connect", "Operate", "Reference", "Tables", "Optional"]);
    const lines = text.split("\n").filter((line) => line.startsWith("- "));
    for (const line of lines) {
      const [, path = "", sentence = ""] = /^- \[[^\]]+\]\(([^)]+)\): (.+)$/.exec(line) ?? assert.fail(line);
      assert.match(sentence, /[^.]\.$/, line);
      const { headers } = await get(path);
      assert.match(headers?.["content-type"] ?? "", /^(?:text\/markdown|application\/json);/, line);
    }
    for (const page of ["/docs/readme.md", "/docs/guides/agents.md", "/docs/reference/tables/runs.md"])
      assert.equal(lines.filter((line) => line.includes(`(${page})`)).length, 1, page);
  });

  it("contain every guide as it is, once", async () => {
    const text = String((await get("/llms-full.txt")).body);
    const content = await loadContent();
    const guides = [...content.pages.keys()].filter((file) => file.startsWith("docs/guides/"));
    assert.ok(guides.length > 30);
    for (const file of guides) {
      const guide = (await content.read(file)).toString().trim();
      assert.equal(text.split(guide).length, 2, file);
      assert.ok(text.includes(`<!-- /docs/${content.pages.get(file)}.md -->\n\n${guide}\n`), file);
    }
  });

  it("are revalidated and compressed like pages", async () => {
    for (const path of ["/llms.txt", "/llms-full.txt"]) {
      const { headers } = await get(path, { "accept-encoding": "br" });
      assert.deepEqual([headers?.["cache-control"], headers?.["content-encoding"]], ["no-cache", "br"]);
      assert.equal((await get(path, { "if-none-match": headers?.["etag"] ?? "" })).status, 304);
    }
  });
});

describe("swarmbase docs", () => {
  it("finds sections by words, and prints them and pages as Markdown", async () => {
    const found = await runHere(["docs", "verify", "webhook"]);
    assert.equal(found.code, 0);
    const [, page = ""] = /^ {2}(\S+#\S+)$/m.exec(found.stdout) ?? assert.fail(found.stdout);
    const section = await runHere(["docs", "--page", page]);
    assert.equal(section.code, 0, section.stderr);
    const whole = await runHere(["docs", "--page", "/docs/guides/agents.md"]);
    assert.equal(whole.stdout, await readFile(join(REPOSITORY, "docs/guides/agents.md"), "utf8"));
    const streaming = await runHere(["docs", "--page", "guides/agents#streaming"]);
    assert.match(streaming.stdout, /^## Streaming\n/);
    assert.ok(whole.stdout.includes(streaming.stdout));
    assert.equal(streaming.stdout.match(/^## /gm)?.length, 1);
    const code = await runHere(["docs", "--page", "reference/errors#swarm_busy"]);
    assert.match(code.stdout, /^SWARM_BUSY: .*run in progress/);
  });

  it("says what it does not find, and what it needs", async () => {
    for (const args of [
      ["xyzzy"],
      ["--page", "nowhere"],
      ["--page", "../package.json"],
      ["--page", "guides/agents#no"],
    ]) {
      const { code, stdout, stderr } = await runHere(["docs", ...args]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^(?:No page has these words|There is no page .+)\.\n$/);
    }
    for (const args of [[], ["--page", "guides/agents", "words"]])
      assert.equal((await runHere(["docs", ...args])).code, 2);
  });
});

describe("a published package", () => {
  it("renders the same pages from the copied files", async (t) => {
    const folder = await createTemporaryFolder(t, "swarmbase-docs-");
    for (const path of ["README.md", "docs/README.md", "docs/concepts.md"])
      await cp(join(REPOSITORY, path), join(folder, path), { recursive: true });
    const copied = await loadSite(folder);
    const file = await copied.render("concepts", VERSION);
    assert.match(file?.content.toString() ?? "", /<h1>Concepts<\/h1>/);
    assert.equal(await copied.render("guides/agents", VERSION), null);
  });
});

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ExtensionResponse> {
  const handler = extension.routes?.[0]?.handler ?? assert.fail();
  const caller = { role: "anon", userId: null, claims: {} } as const;
  const { signal } = new AbortController();
  const notUsed = (): never => {
    throw new Error("the site does not call the core");
  };
  const request = {
    id: "1",
    method: "GET",
    path,
    params: {},
    query: {},
    search: "",
    headers,
    body: undefined,
    caller,
    countRejection: notUsed,
    core: {
      functions: { invoke: notUsed },
      rest: notUsed,
      hasScope: notUsed,
      requireScope: notUsed,
      recordExport: notUsed,
    },
    signal,
  };
  return Promise.resolve(handler(request, { version: VERSION } as ExtensionContext<never>));
}
