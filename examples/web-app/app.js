/* global supabase */
const { url, anon_key } = await (await fetch("/settings.json")).json();
const client = supabase.createClient(url, anon_key);
const account = document.querySelector("#account");
const question = document.querySelector("#question");
const answer = document.querySelector("output");

client.auth.onAuthStateChange((_event, session) => {
  account.hidden = session !== null;
  question.hidden = session === null;
});

handle(account, async ({ email, password }, method) => {
  const { error } = await client.auth[method]({ email, password });
  if (error !== null) throw error;
});

handle(question, async ({ question: message }) => {
  answer.textContent = "";
  const { data, error } = await client.functions.invoke("agent-respond", {
    body: { agent_id: await findAgent(), message, stream: true },
  });
  if (error !== null) throw error;
  for await (const { type, content } of readEvents(data.body))
    if (type === "message.delta") answer.append(content.delta);
});

async function findAgent() {
  const { data: agents } = await client.from("agents").select("id").eq("name", "Guide").limit(1).throwOnError();
  if (agents.length > 0) return agents[0].id;
  const { data: agent } = await client.from("agents").insert({ name: "Guide" }).select("id").single().throwOnError();
  return agent.id;
}

/** The events of a stream of server-sent events; a comment has no type. */
async function* readEvents(body) {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const fields = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/)));
      if (fields.event !== undefined) yield { type: fields.event, content: JSON.parse(fields.data) };
    }
  }
}

/** Calls the action with the fields of the form and the value of the pressed button, and shows its error. */
function handle(form, action) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const show = (text) => (document.querySelector("[role=alert]").textContent = text);
    show("");
    action(Object.fromEntries(new FormData(form)), event.submitter.value).catch((error) => show(error.message));
  });
}
