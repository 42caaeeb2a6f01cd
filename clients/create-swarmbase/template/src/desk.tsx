import { type Database, invokeFunction } from "@swarmbase/sdk";
import { useEffect, useState } from "react";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { Notice } from "./notice.tsx";
import { supabase } from "./supabase.ts";

type Agent = Database["public"]["Views"]["published_agents"]["Row"];

/** The agent of the app, and the customer's own conversations with it. */
export function Desk({ userId }: { readonly userId: string }) {
  const [agent, setAgent] = useState<Agent | null>();
  const [conversations, setConversations] = useState<readonly { readonly id: string; readonly name: string }[]>([]);
  const [openId, setOpenId] = useState<string | null>(null);
  const [error, setError] = useState("");
  const show = (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason));

  async function load() {
    const { data: agents } = await supabase.from("published_agents").select("*").order("name").limit(1).throwOnError();
    const [found] = agents;
    if (found === undefined) return setAgent(null);
    const { data: swarms } = await supabase
      .from("swarms")
      .select("id, name")
      .filter("private_agent_id", "eq", found.id)
      .order("created_at", { ascending: false })
      .throwOnError();
    setConversations(swarms);
    setOpenId(swarms[0]?.id ?? null);
    setAgent(found);
  }
  useEffect(() => {
    load().catch(show);
  }, []);

  /** The first message creates the conversation; from then on it is an ordinary swarm of the customer. */
  async function begin(message: string) {
    setError("");
    const body = { agent_id: agent?.id ?? "", message, conversation: "new", background: true } as const;
    const { swarm_id: id } = await invokeFunction(supabase, "agent-respond", body);
    setConversations([{ id, name: message }, ...conversations]);
    setOpenId(id);
  }

  if (agent === undefined) return <Notice text={error === "" ? "Opening…" : error} />;
  if (agent === null) return <Notice text="No agent is published yet. `npx swarmbase apply` publishes it." />;
  return (
    <div className="desk">
      <header>
        <h1>
          <img src="/icon.svg" alt="" /> Corner shop
        </h1>
        <button className="link" onClick={() => void supabase.auth.signOut()}>
          Sign out
        </button>
      </header>
      <nav aria-label="Conversations">
        <button onClick={() => setOpenId(null)}>New conversation</button>
        {conversations.map(({ id, name }) => (
          <button key={id} className="link" aria-current={id === openId} onClick={() => setOpenId(id)}>
            {name}
          </button>
        ))}
      </nav>
      {openId === null ? (
        <>
          <main>
            <div className="empty">
              <p>
                <b>{agent.name}</b> {agent.description}
              </p>
              <p>
                {agent.transcripts === "private"
                  ? "Only you can read what you write here."
                  : "The shop can read what you write here."}
              </p>
              {agent.starter_questions.map((question) => (
                <button key={question} onClick={() => void begin(question).catch(show)}>
                  {question}
                </button>
              ))}
            </div>
            <p role="alert">{error}</p>
          </main>
          <Composer onSend={(text) => void begin(text).catch(show)} />
        </>
      ) : (
        <Conversation key={openId} swarmId={openId} userId={userId} />
      )}
    </div>
  );
}
