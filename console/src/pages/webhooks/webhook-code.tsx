import type { ComponentProps } from "react";
import type { Delivery } from "../../data/deliveries.ts";
import { isPortal } from "../../data/portal.ts";
import type { Webhook } from "../../data/webhooks.ts";
import { writeCurl } from "../../components/write-snippets.ts";
import { ShowCode } from "../../components/show-code.tsx";

/** Snippets that list webhooks and create one. */
export function WebhooksCode() {
  const body = { name: "My app", url: "https://app.example.com/hook", events: ["message.created", "agent.error"] };
  const curl = [
    "# your webhooks, each with its last delivery",
    writeCurl({
      path: "/rest/v1/webhooks?select=*,webhook_deliveries(id,status,created_at)&webhook_deliveries.limit=1",
    }),
    "",
    "# a new one; the response has its secret",
    writeCurl({ method: "POST", path: "/rest/v1/webhooks", body, returnsRows: true }),
  ].join("\n");
  const supabaseJs = `// your webhooks
const { data: webhooks } = await supabase.from("webhooks").select("*").order("created_at", { ascending: false });

// a new one; the response has its secret
const { data: webhook, error } = await supabase
  .from("webhooks")
  .insert({
    name: "My app",
    url: "https://app.example.com/hook",
    events: ["message.created", "agent.error"],
  })
  .select()
  .single();
console.log(webhook?.secret ?? error);`;
  return <Snippets title="Webhooks from code" curl={curl} supabaseJs={supabaseJs} />;
}

/** Snippets that test a webhook, read its deliveries and recover failed ones. */
export function WebhookCode({ webhook }: { readonly webhook: Webhook }) {
  const { id, name } = webhook;
  const eventType = webhook.events[0] ?? "message.created";
  const curl = [
    "# its deliveries, the newest first",
    writeCurl({ path: `/rest/v1/webhook_deliveries?webhook_id=eq.${id}&order=created_at.desc&limit=50` }),
    "",
    "# a test",
    writeCurl({
      method: "POST",
      path: "/functions/v1/test-webhook",
      body: { webhook_id: id, event_type: eventType },
    }),
    "",
    "# send all failed deliveries since then again",
    writeCurl({
      method: "POST",
      path: "/functions/v1/webhook-dispatcher",
      body: { action: "recover_since", webhook_id: id, since: webhook.created_at },
    }),
  ].join("\n");
  const supabaseJs = `const webhookId = ${JSON.stringify(id)};

// its deliveries, the newest first
const { data: deliveries } = await supabase
  .from("webhook_deliveries")
  .select("id, event_type, status, status_code, attempts, next_retry_at, created_at")
  .eq("webhook_id", webhookId)
  .order("created_at", { ascending: false })
  .limit(50);

// a test
const { data: answer } = await supabase.functions.invoke("test-webhook", {
  body: { webhook_id: webhookId, event_type: ${JSON.stringify(eventType)} },
});
console.log(answer.success, answer.status_code);

// a new secret; the previous one also signs for a day
await supabase.functions.invoke("webhooks", {
  body: { action: "regenerate_secret", webhook_id: webhookId, grace_period_seconds: 86400 },
});`;
  return <Snippets title={`${name} from code`} curl={curl} supabaseJs={supabaseJs} />;
}

/** Snippets that read the attempts of a delivery and send it again. */
export function DeliveryCode({ delivery }: { readonly delivery: Delivery }) {
  const { id, event_id: eventId } = delivery;
  const dispatch = (body: Readonly<Record<string, string>>) =>
    writeCurl({ method: "POST", path: "/functions/v1/webhook-dispatcher", body });
  const curl = [
    "# all attempts with their responses",
    writeCurl({ path: `/rest/v1/webhook_delivery_attempts?delivery_id=eq.${id}&order=created_at.desc` }),
    "",
    "# retry a failed delivery",
    dispatch({ action: "retry", delivery_id: id }),
    "",
    "# replay the event as a new delivery",
    dispatch({ action: "replay", event_id: `evt_${eventId}` }),
  ].join("\n");
  const supabaseJs = `// all attempts with their responses
const { data: attempts } = await supabase
  .from("webhook_delivery_attempts")
  .select("attempt, status_code, error, response_body, response_time_ms, created_at")
  .eq("delivery_id", ${JSON.stringify(id)})
  .order("created_at", { ascending: false });

// retry a failed delivery
await supabase.functions.invoke("webhook-dispatcher", {
  body: { action: "retry", delivery_id: ${JSON.stringify(id)} },
});

// replay the event as a new delivery
await supabase.functions.invoke("webhook-dispatcher", {
  body: { action: "replay", event_id: ${JSON.stringify(`evt_${eventId}`)} },
});`;
  return <Snippets title="This delivery from code" curl={curl} supabaseJs={supabaseJs} />;
}

/** Customers of an app, who see the portal, have no key for the API. */
function Snippets(props: ComponentProps<typeof ShowCode>) {
  return isPortal() ? null : <ShowCode {...props} />;
}
