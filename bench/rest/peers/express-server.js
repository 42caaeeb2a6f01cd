// An interface for agents as it is written by hand. Plain JavaScript: its packages come with this folder's own package only.
import { createHmac, timingSafeEqual } from "node:crypto";
import https from "node:https";
import express from "express";
import pg from "pg";

const { PORT, DATABASE_URL, JWT_SECRET, TLS_CERT, TLS_KEY } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const app = express();

function verifyToken(header) {
  const [head, body, signature] = (header ?? "").replace(/^Bearer /, "").split(".");
  const expected = createHmac("sha256", JWT_SECRET).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature ?? "", "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  return claims.exp * 1000 > Date.now() ? claims : null;
}

app.use((request, response, next) => {
  const claims = verifyToken(request.headers.authorization);
  if (claims === null) return response.status(401).json({ message: "Unauthorized" });
  request.claims = claims;
  next();
});
app.use(express.json());

async function runAs(claims, text, values) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", [
      JSON.stringify(claims),
    ]);
    const { rows } = await client.query(text, values);
    await client.query("commit");
    client.release();
    return rows;
  } catch (error) {
    // Whatever state the transaction is in, the connection is not used again.
    client.release(true);
    throw error;
  }
}

app.get("/agents/:id", async ({ claims, params }, response) => {
  const rows = await runAs(claims, "select * from public.agents where id = $1", [params.id]);
  response.json(rows);
});

app.get("/agents", async ({ claims }, response) => {
  response.json(await runAs(claims, "select * from public.agents order by created_at desc limit 20", []));
});

app.get("/agents-with-tools", async ({ claims }, response) => {
  const text = `
    select a.*, coalesce((
      select json_agg(json_build_object('tool', to_json(t)))
      from public.agent_tools l join public.tools t on t.id = l.tool_id where l.agent_id = a.id
    ), '[]') as agent_tools
    from public.agents a order by a.created_at desc limit 20`;
  response.json(await runAs(claims, text, []));
});

app.post("/agents", async ({ claims, body }, response) => {
  const text = `insert into public.agents (user_id, name, role, framework, system_prompt)
    values ($1, $2, $3, $4, $5) returning *`;
  const values = [claims.sub, body.name, body.role, body.framework, body.system_prompt];
  response.status(201).json(await runAs(claims, text, values));
});

app.patch("/agents/:id", async ({ claims, params, body }, response) => {
  const text = "update public.agents set name = $2, role = $3 where id = $1 returning *";
  response.json(await runAs(claims, text, [params.id, body.name, body.role]));
});

https.createServer({ cert: TLS_CERT, key: TLS_KEY }, app).listen(Number(PORT), "127.0.0.1");
