import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useDeleteSigningSecret, useRenewSigningSecret } from "../../data/signing.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { Code, CodeBlock } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { useToast } from "../../components/toast.tsx";

const SIGN = `import { createHmac } from "node:crypto";

const body = JSON.stringify({ name: "Ada" });
const signature = createHmac("sha256", process.env.SIGNING_SECRET).update(body).digest("hex");

await fetch(\`\${url}/rest/v1/agents\`, {
  method: "POST",
  headers: {
    apikey: anonKey,
    authorization: \`Bearer \${accessToken}\`,
    "content-type": "application/json",
    "x-request-signature": signature,
  },
  body,
});`;

/** The secret is shown only when it is created. The API does not report whether one exists. */
export function SigningTab() {
  const [secret, setSecret] = useState<string | null>(null);
  const [asking, setAsking] = useState<"renew" | "delete" | null>(null);
  const renew = useRenewSigningSecret();
  const remove = useDeleteSigningSecret();
  const toast = useToast();
  const failure = renew.failure ?? remove.failure;
  const runRenew = async () => {
    setAsking(null);
    remove.reset();
    setSecret(await renew.run());
  };
  const runRemove = async () => {
    setAsking(null);
    renew.reset();
    if ((await remove.run()) === null) return;
    setSecret(null);
    toast({ text: "The secret is deleted. Signatures are no longer checked." });
  };
  return (
    <div className="grid gap-5">
      <CardSection
        title="Signing secret"
        description="A signature proves that the sender of a request has the secret, so that a stolen token alone is not enough."
      >
        <div className="grid gap-4">
          {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
          {secret !== null && (
            <div className="grid gap-2">
              <Banner tone="warning">Copy it now. It is not shown again.</Banner>
              <div className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-3">
                <span className="min-w-0 flex-1 py-2 font-mono text-sm wrap-anywhere">{secret}</span>
                <CopyButton text={secret} label="Copy the secret" />
              </div>
            </div>
          )}
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" icon={<KeyRound />} isBusy={renew.isBusy} onClick={() => setAsking("renew")}>
              Create new secret
            </Button>
            <Button isBusy={remove.isBusy} onClick={() => setAsking("delete")}>
              Delete secret
            </Button>
          </div>
        </div>
      </CardSection>
      <CardSection title="How to sign" description="The hex HMAC-SHA256 of the bytes of the body, in one header.">
        <div className="grid gap-3">
          <CodeBlock label="Node.js" code={SIGN} language="js" />
          <p className="text-sm text-ink-soft">
            This signature covers the body only, so a recorded request can be sent again. HTTP message signatures (RFC
            9421) with the same secret also cover method, path, query and time: <Code>createSignedFetch</Code> of the
            SDK makes them, and <Code>user_settings.require_message_signature</Code> requires them.
          </p>
          <p className="text-sm text-ink-soft">
            To reject all of your unsigned requests, set <Code>user_settings.require_request_signature</Code> from a
            program that signs. The console does not sign its requests, so it has no switch for this setting.
          </p>
        </div>
      </CardSection>
      <ActionDialog
        isOpen={asking !== null}
        onClose={() => setAsking(null)}
        title={asking === "delete" ? "Delete the secret?" : "Create a new secret?"}
        action={asking === "delete" ? "Delete secret" : "Create secret"}
        isDangerous={asking === "delete"}
        onAction={() => void (asking === "delete" ? runRemove() : runRenew())}
      >
        <p className="text-ink-soft">
          {asking === "delete"
            ? "Signatures of your requests are no longer checked."
            : "Requests that are signed with the current secret are rejected from now on."}
        </p>
      </ActionDialog>
    </div>
  );
}
