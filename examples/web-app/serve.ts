import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const supabase = fileURLToPath(import.meta.resolve("@supabase/supabase-js"));
const { url, anon_key } = JSON.parse(readFileSync(".swarmbase/credentials.json", "utf8")) as Record<string, string>;

const pages: Readonly<Record<string, readonly [type: string, content: string | Buffer]>> = {
  "/": ["text/html", readFileSync(join(import.meta.dirname, "index.html"))],
  "/app.js": ["text/javascript", readFileSync(join(import.meta.dirname, "app.js"))],
  "/supabase.js": ["text/javascript", readFileSync(join(supabase, "../umd/supabase.js"))],
  // The key is public. credentials.json also has keys that must not leave this machine.
  "/settings.json": ["application/json", JSON.stringify({ url, anon_key })],
};

const server = createServer((request, response) => {
  const [type, content] = pages[request.url ?? ""] ?? [];
  if (type === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": type }).end(content);
});
const port = Number(process.env["PORT"] ?? 3000);
server.listen(port, "localhost", () => console.log(`Open http://localhost:${port}`));
