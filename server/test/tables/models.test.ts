import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FRAMEWORKS } from "@swarmbase/sdk";
import pg from "pg";
import { catalogueOf, loadProviders } from "../../src/agents/index.ts";
import { describeModel, loadSettings, type ModelCatalogue, type OfferedModels } from "../../src/config/index.ts";
import { AppError } from "../../src/errors/index.ts";
import type { TableRules } from "../../src/rest/index.ts";
import { createTableRules, storeModels } from "../../src/tables/index.ts";
import { openStage, violates, rejects } from "../schema/support/stage.ts";
import { attempt } from "./support/attempts.ts";
import { rejectionOf } from "./support/rejections.ts";

/** The models of a service whose providers are not configured. */
const SHIPPED_MODELS = catalogueOf(loadProviders(loadSettings({ NODE_ENV: "production" })));
const UNSUPPORTED = violates("agents_model_offered");
const A = SHIPPED_MODELS.provider_a.defaultModel;
const B = SHIPPED_MODELS.provider_b.defaultModel;

const list = (defaultModel: string, ids: readonly string[], isOpen = false): OfferedModels => ({
  defaultModel,
  models: ids.map((id) => describeModel("openai", id)),
  isOpen,
  isSimulated: false,
});

describe("models of the frameworks", () => {
  const opened = openStage();
  let pool: pg.Pool;
  let rules: TableRules;
  before(() => {
    pool = new pg.Pool({ connectionString: opened.stage.database.url("sb_service"), max: 2 });
    pool.on("error", () => {});
    rules = createTableRules({ pool });
  });
  after(() => pool.end());

  const offer = (catalogue: Partial<ModelCatalogue> = {}) =>
    storeModels(opened.stage.database.owner, { ...SHIPPED_MODELS, ...catalogue });

  it("the shipped models include the default of each framework", () => {
    assert.deepEqual(Object.keys(SHIPPED_MODELS), FRAMEWORKS);
    for (const { models, defaultModel } of Object.values(SHIPPED_MODELS)) assert.equal(models[0]?.id, defaultModel);
  });

  it("the stored models are always the last list that was stored", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const read = async () =>
      (await stage.run(user, "select framework, id, is_default from models order by framework, position")).map(
        ({ framework, id, is_default }) => `${String(framework)} ${id} ${String(is_default)}`,
      );
    await offer({
      provider_c: list("b", ["a", "b", "a"]),
      provider_b: list("", []),
    });
    const first = await read();
    assert.deepEqual(first.slice(-2), ["provider_c a false", "provider_c b true"]);
    assert.ok(first.every((line) => !line.startsWith("provider_b")));
    await offer({ provider_c: list("a", ["b", "a"]) });
    assert.deepEqual((await read()).slice(-2), ["provider_c b false", "provider_c a true"]);
    await offer();
    await offer();
    const shipped = Object.entries(SHIPPED_MODELS).flatMap(([framework, { models, defaultModel }]) =>
      models.map(({ id }) => `${framework} ${id} ${id === defaultModel}`),
    );
    assert.deepEqual(await read(), shipped);
  });

  it("the name of a vendor before a model chooses the framework", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const insert = (row: Record<string, unknown>) =>
      stage.insert(user, "agents", { name: "Ada", user_id: user, ...row });
    const show = ({ framework, model }: Record<string, unknown>) => `${String(framework)} ${String(model)}`;
    const resolve = async (row: Record<string, unknown>) => show(await insert(row));
    const C = SHIPPED_MODELS.provider_c.defaultModel;
    // By the vendors that are configured, and while all are simulated by those of the keys.
    for (const names of [{}, { providerName: "simulated" }]) {
      const { provider_a, provider_b, provider_c } = SHIPPED_MODELS;
      await offer({
        provider_a: { ...provider_a, ...names },
        provider_b: { ...provider_b, ...names },
        provider_c: { ...provider_c, ...names },
      });
      assert.equal(await resolve({ model: `openai/${A}` }), `provider_a ${A}`);
      assert.equal(await resolve({ model: `anthropic/${B}` }), `provider_b ${B}`);
      assert.equal(await resolve({ model: `google/${C}` }), `provider_c ${C}`);
      assert.equal(await resolve({ model: `gemini/${C}` }), `provider_c ${C}`);
    }
    await offer();
    const { id } = await insert({ model: A });
    const changed = await stage.update(user, "agents", String(id), { model: `anthropic/${B}` });
    assert.deepEqual(changed.map(show), [`provider_b ${B}`]);
    for (const model of [`anthropic/${A}`, `mistral/${A}`, "openai/", `/${A}`, `openai//${A}`, `OpenAI/${A}`])
      await rejects(insert({ model }), UNSUPPORTED);
    // What the framework itself offers stays as it is.
    await offer({ provider_a: list("openai/gpt-4o", ["openai/gpt-4o"]) });
    assert.equal(await resolve({ model: "openai/gpt-4o" }), "provider_a openai/gpt-4o");
    await offer({ provider_a: list("a", ["a"], true) });
    assert.equal(await resolve({ model: `anthropic/${B}` }), `provider_a anthropic/${B}`);
    await offer({
      provider_b: { ...list("x", ["x"]), providerName: "openai" },
      provider_a: { ...list("y", ["y"]), providerName: "groq" },
    });
    assert.equal(await resolve({ model: "openai/x" }), "provider_b x");
    assert.equal(await resolve({ model: "groq/y" }), "provider_a y");
    await offer();
  });

  it("names the first framework that can answer; an agent without a framework gets provider_a all the same", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const namedWith = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
      await storeModels(stage.database.owner, catalogueOf(loadProviders(loadSettings(env), env)));
      const text = "select distinct framework from public.models where is_default_framework";
      return (await stage.run(user, text)).map(({ framework }) => framework);
    };
    const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ["provider_a", {}],
      ["provider_b", { ANTHROPIC_API_KEY: "sk-ant-1" }],
      ["provider_c", { GEMINI_API_KEY: "AIza-1" }],
      ["provider_b", { PROVIDER_B_API_KEY: "configured", NODE_ENV: "production" }],
      ["provider_a", { PROVIDER_A_API_KEY: "configured", PROVIDER_B_API_KEY: "configured" }],
    ];
    for (const [expected, env] of cases) {
      assert.deepEqual(await namedWith(env), [expected], JSON.stringify(env));
      assert.equal((await stage.insert(user, "agents", { name: "Ada", user_id: user }))["framework"], "provider_a");
    }
    await offer();
  });

  it("a model must belong to the agent's framework, whichever of the two changes", async () => {
    const { stage } = opened;
    await offer();
    const user = await stage.newUser();
    for (const caller of [user, "service_role"]) {
      const insert = (row: Record<string, unknown>) =>
        stage.insert(caller, "agents", { name: "Ada", user_id: user, ...row });
      const change = (id: string, row: Record<string, unknown>) => stage.update(caller, "agents", id, row);
      await insert({ model: null });
      await insert({ model: "" });
      await insert({ framework: "provider_b", model: B });
      await rejects(insert({ model: B }), UNSUPPORTED);
      await rejects(insert({ framework: "provider_b", model: A }), UNSUPPORTED);
      const { id } = await insert({ model: A });
      await rejects(change(id, { model: "gpt-2" }), UNSUPPORTED);
      await rejects(change(id, { framework: "provider_b" }), UNSUPPORTED);
      // The framework's own fault comes first.
      await rejects(change(id, { framework: "openai" }), violates("agents_framework_known"));
      await change(id, { framework: "provider_b", model: B });
      await change(id, { framework: "provider_c", model: "" });
      const [agent] = await change(id, { framework: "provider_a", model: A });
      assert.equal(agent?.["model"], A);
    }
  });

  it("one of two concurrent changes to an invalid pair is rejected", async () => {
    const { stage } = opened;
    await offer();
    const user = await stage.newUser();
    for (let round = 0; round < 10; round++) {
      const agent = await stage.newAgent(user);
      const outcomes = await Promise.allSettled([
        stage.update(user, "agents", agent, { model: A }),
        stage.update(user, "agents", agent, { framework: "provider_b" }),
      ]);
      assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 1);
    }
  });

  it("an agent whose model was removed from the list can still be changed", async () => {
    const { stage } = opened;
    await offer();
    const user = await stage.newUser();
    const agent = await stage.newAgent(user, { model: A });
    await offer({ provider_a: list("new", ["new"]) });
    await stage.update(user, "agents", agent, { name: "Bo" });
    await stage.update(user, "agents", agent, { name: "Bo", model: A, framework: "provider_a" });
    const upsert =
      "insert into agents (id, name, model) values ($1, 'Cy', $2) on conflict (id) do update set name = excluded.name, model = excluded.model returning name";
    assert.deepEqual(await stage.run(user, upsert, [agent, A]), [{ name: "Cy" }]);
    await rejects(stage.newAgent(user, { model: A }), UNSUPPORTED);
    await stage.update(user, "agents", agent, { model: "new" });
    await rejects(stage.update(user, "agents", agent, { model: A }), UNSUPPORTED);
  });

  it("a framework without a list accepts any model", async () => {
    const { stage } = opened;
    await offer({ provider_a: list("any", []) });
    await stage.newAgent(await stage.newUser(), { model: "llama-of-my-own" });
    await offer({ provider_a: list("known", ["known"], true) });
    await stage.newAgent(await stage.newUser(), { model: "llama-of-my-own" });
  });

  it("callers read the properties of models", async () => {
    const { stage } = opened;
    await offer({ provider_c: { ...list("mine", ["mine"]), isSimulated: true } });
    const rows = await stage.run(
      await stage.newUser(),
      "select * from models where is_default and framework <> 'provider_b' order by framework",
    );
    const known = {
      context_window: 1_047_576,
      max_output_tokens: 32_768,
      price_input: "0.4",
      price_cached_input: "0.1",
    };
    const supports = { temperature: true, temperature_max: 2, top_p: true, top_p_with_temperature: true };
    const [first, second] = rows.map((row) => ({ ...row }));
    assert.deepEqual(first, {
      ...known,
      framework: "provider_a",
      id: A,
      is_default: true,
      position: 0,
      is_simulated: false,
      is_list_open: false,
      is_default_framework: true,
      price_output: "1.6",
      supports: {
        ...supports,
        penalties: true,
        stop: 4,
        tools: true,
        response_schema: true,
        images: true,
        reasoning: false,
      },
    });
    assert.deepEqual([second?.["id"], second?.["is_simulated"], second?.["price_input"]], ["mine", true, null]);
  });

  it("an unknown model is INVALID_MODEL, with the available models and the row", async () => {
    const { stage } = opened;
    await offer();
    const user = await stage.newUser();
    const row = { name: "Ada", model: "gpt-2" };
    const rejection = await rejectionOf(stage, rules, user, { table: "agents", operation: "insert", row });
    assert.ok(rejection instanceof AppError);
    assert.equal(rejection.code, "INVALID_MODEL");
    assert.deepEqual(rejection.extra.details, { model: "is not offered by provider_a" });
    assert.match(rejection.extra.hint ?? "", new RegExp(A.replaceAll(".", "\\.")));

    const bulk = "insert into agents (name, model) values ('a', $1), ('b', 'gpt-2')";
    const error = await stage.run(user, bulk, [A]).catch((rejected: unknown) => rejected);
    assert.ok(error instanceof pg.DatabaseError);
    const rows = [
      { name: "a", model: A },
      { name: "b", model: "gpt-2" },
    ];
    const explained = await rules.explainRejection(error, attempt("agents", "insert", rows), 1);
    assert.deepEqual(explained?.extra.details, { "1.model": "is not offered by provider_a" });
  });
});
