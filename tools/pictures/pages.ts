import { createHash, randomBytes } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import type { Instance } from "../../console/test/support/instance.ts";
import { signIn } from "../../console/test/support/people.ts";
import { sendMessage } from "../../console/test/support/swarms.ts";
import type { Camera, Page } from "./camera.ts";
import type { Model } from "./model.ts";
import { AGENTS, COMPARED_INSTRUCTIONS, COMPARED_QUESTION, GRACE, HELD_AT, QUESTION, TRY_QUESTION } from "./story.ts";
import type { Workspace } from "./workspace.ts";

export interface Stage {
  readonly page: Page;
  readonly camera: Camera;
  readonly workspace: Workspace;
  readonly model: Model;
  readonly instance: Instance;
}

/** The beginning of a question, by which its run is found in the list, which truncates it. */
const RECOGNISED = 40;
const NOTES = "https://notes.example/callback";

/** Visits the pages and stores a picture of each. */
export async function takePages(stage: Stage): Promise<void> {
  // While there are few deliveries, one of each kind is visible.
  await takeWebhooks(stage);
  await takeSwarms(stage);
  await takeAgent(stage);
  await takeTools(stage);
  await takeTheRest(stage);
  await takePlayground(stage);
  await takePrograms(stage);
}

async function takeSwarms({ page, camera, workspace, model }: Stage): Promise<void> {
  const path = `/swarms/${workspace.swarmId}`;
  await page.goto(path);
  await sendMessage(page, QUESTION);
  await page.getByText(HELD_AT).first().waitFor();
  await camera.take(page, "room");
  // The run continues without the page, so the picture shows agents at work.
  await page.goto("/agents");
  for (const { name } of AGENTS) await page.getByRole("heading", { name }).waitFor();
  await camera.take(page, "agents");
  model.release();
  await page.getByRole("list", { name: "Agents" }).getByText("Responding").waitFor({ state: "detached" });
  await page.goto("/swarms");
  await page.getByText("Launch of the beehive app").first().waitFor();
  await camera.take(page, "swarms");
  await page.goto(`${path}/runs`);
  await page.getByRole("button", { name: `Open the run: ${QUESTION.slice(0, RECOGNISED)}` }).click();
  const parts = page.getByRole("list", { name: "Trace" });
  const call = parts.getByRole("button", { name: /^Tool call count_waiting_list/u });
  await call.first().waitFor();
  // Markdown is shown as text until its module is loaded, which makes the page longer.
  await page.getByRole("list", { name: "Conversation" }).locator("blockquote").waitFor();
  await page.getByRole("list", { name: "Legend" }).evaluate((legend) => legend.closest("section")?.scrollIntoView());
  await camera.take(page, "run");
}

async function takeAgent({ page, camera, workspace }: Stage): Promise<void> {
  const path = `/agents/${workspace.agentIds.get("Otto") ?? ""}`;
  await page.goto(`${path}/settings`);
  await page.getByLabel("Maximum output").first().waitFor();
  await camera.take(page, "agent-settings");
  await page.goto(`${path}/try`);
  await page.getByLabel(/^Message to /).fill(TRY_QUESTION);
  await page.keyboard.press("Enter");
  await page.getByText("64.6 %").waitFor();
  await page
    .getByText(/^Tokens: /)
    .first()
    .waitFor();
  await camera.take(page, "agent-try");
}

async function takePlayground({ page, camera, workspace }: Stage): Promise<void> {
  await page.goto(`/playground?agent=${workspace.agentIds.get("Ines") ?? ""}`);
  await page.getByLabel("Agent of column B").selectOption("Maya");
  await page.getByRole("button", { name: "Change column B" }).click();
  await page.getByLabel("Instructions").fill(COMPARED_INSTRUCTIONS);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByLabel("Message to all columns").fill(COMPARED_QUESTION);
  await page.keyboard.press("Enter");
  for (const letter of ["A", "B"])
    await page
      .getByRole("region", { name: `Column ${letter}` })
      .getByRole("button", { name: "Add as eval case …" })
      .waitFor();
  await camera.take(page, "playground");
}

async function takeTools({ page, camera }: Stage): Promise<void> {
  await page.goto("/tools");
  await page.getByText("count_waiting_list").first().waitFor();
  await camera.take(page, "tools");
  await page.getByRole("link", { name: "count_waiting_list" }).click();
  await page.getByRole("tab", { name: "Test" }).click();
  await page.getByLabel("Region").fill("all");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("Succeeded").waitFor();
  await camera.take(page, "tool-test");
}

async function takeWebhooks({ page, camera, workspace }: Stage): Promise<void> {
  const path = `/webhooks/${workspace.webhookId}`;
  await page.goto("/webhooks");
  await page.getByText("Launch board").first().waitFor();
  await camera.take(page, "webhooks");
  await page.goto(path);
  await page
    .getByRole("button", { name: /retrying/ })
    .first()
    .waitFor();
  await camera.take(page, "webhook");
  await page.goto(`${path}/deliveries/${workspace.deliveryId}`);
  await page.getByText("the last attempt succeeded").waitFor();
  await camera.take(page, "delivery");
}

async function takeTheRest({ page, camera, workspace: { grace, swarmId } }: Stage): Promise<void> {
  await page.goto("/events");
  await page.getByText("Live", { exact: true }).waitFor();
  const { error } = await grace.from("messages").insert({ swarm_id: swarmId, content: "Perfect. Until Monday, then." });
  if (error !== null) throw error;
  await page
    .getByRole("button", { name: /Until Monday/ })
    .first()
    .waitFor();
  await camera.take(page, "events");
  await page.goto("/usage");
  await page.getByRole("img", { name: "Tokens each day" }).waitFor();
  await camera.take(page, "usage");
  await page.goto("/account");
  await page.getByLabel("Name").first().waitFor();
  await camera.take(page, "account");
  await page.goto("/api");
  await page.getByRole("heading", { name: "Limits" }).waitFor();
  await camera.take(page, "api");
}

async function takePrograms({ page, camera, instance: { url, service_role_key: key } }: Stage): Promise<void> {
  const { data: client, error } = await createClient(url, key).auth.admin.oauth.createClient({
    client_name: "Hive Notes",
    client_uri: "https://notes.example",
    redirect_uris: [NOTES],
    token_endpoint_auth_method: "none",
  });
  if (error !== null) throw error;
  await page.route(`${NOTES}*`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Connected</h1>" }));
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: NOTES,
    scope: "read run",
    resource: `${url}/mcp`,
    code_challenge: createHash("sha256").update(randomBytes(32).toString("base64url")).digest("base64url"),
    code_challenge_method: "S256",
  });
  await page.goto(`/auth/v1/oauth/authorize?${query.toString()}`);
  await page.getByRole("heading", { level: 1, name: "Let a program in?" }).waitFor();
  await camera.take(page, "consent");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Connected" }).waitFor();
  await page.goto("/account/programs");
  await page.getByRole("listitem", { name: "Hive Notes" }).waitFor();
  await camera.take(page, "programs");
}

/** The same workspace on two narrow screens, in the dark theme. */
export async function takeNarrow(pages: readonly [Page, Page], { camera, workspace }: Stage): Promise<void> {
  const { swarmId, webhookId, deliveryId } = workspace;
  const paths = [`/swarms/${swarmId}`, `/webhooks/${webhookId}/deliveries/${deliveryId}`];
  for (const [at, page] of pages.entries()) {
    await page.goto(paths[at] ?? "/");
    await signIn(page, GRACE);
  }
  for (const page of pages) await page.getByRole("button", { name: "Not now" }).click();
  const [room, delivery] = pages;
  await room.getByText(HELD_AT).first().waitFor();
  await delivery.getByText("the last attempt succeeded").waitFor();
  await camera.takeTogether(pages, "narrow");
}
