import { writeCurl } from "../../components/write-snippets.ts";
import { ShowCode } from "../../components/show-code.tsx";

/** Snippets that receive the same changes. */
export function EventsCode() {
  const curl = [
    "# changes arrive over realtime or at webhooks; earlier ones can be read",
    writeCurl({ path: "/rest/v1/messages?order=created_at.desc&limit=20" }),
    "",
    writeCurl({ path: "/rest/v1/webhook_delivery_attempts?order=created_at.desc&limit=20" }),
  ].join("\n");
  const supabaseJs = `// live changes of the rows that you may read
supabase
  .channel("events")
  .on("postgres_changes", { event: "*", schema: "public", table: "agents" }, ({ new: agent }) =>
    console.log(agent.name, agent.status),
  )
  .on("postgres_changes", { event: "INSERT", schema: "public", table: "messages" }, ({ new: message }) =>
    console.log(message.sender_name, message.content),
  )
  .on("postgres_changes", { event: "*", schema: "public", table: "runs" }, ({ new: run }) =>
    console.log(run.id, run.status),
  )
  .subscribe((status) => console.log(status));`;
  return <ShowCode title="Events from code" curl={curl} supabaseJs={supabaseJs} />;
}
