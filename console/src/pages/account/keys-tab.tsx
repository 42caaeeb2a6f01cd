import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useApiKeys, useRevokeApiKey } from "../../data/api-keys.ts";
import type { Row } from "../../data/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { Code } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { TakeBackButton } from "../../components/take-back-button.tsx";
import { KeyForm } from "./key-form.tsx";

export function KeysTab() {
  const [created, setCreated] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const { rows: keys, ...read } = useApiKeys();
  if (keys === undefined)
    return <NotLoaded title="Your API keys could not be loaded" read={read} skeleton={<ListSkeleton rows={3} />} />;
  return (
    <CardSection
      title="API keys"
      description="A key stands for you in scripts and other programs, with only the rights that you give to it. It cannot change your account."
    >
      <div className="grid gap-4">
        {created !== null && (
          <div className="grid gap-2">
            <Banner tone="warning">Copy the key now. It is not shown again.</Banner>
            <div className="flex items-center gap-1 rounded-md border border-line bg-sunken pl-3">
              <span className="min-w-0 flex-1 py-2 font-mono text-sm wrap-anywhere">{created}</span>
              <CopyButton text={created} label="Copy the key" />
            </div>
          </div>
        )}
        {keys.length === 0 ? (
          <p className="text-sm text-ink-soft">You have no API keys.</p>
        ) : (
          <ul className="divide-y divide-line rounded-md border border-line">
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </ul>
        )}
        <div>
          <Button variant="primary" icon={<KeyRound />} onClick={() => setCreating(true)}>
            Create API key
          </Button>
        </div>
      </div>
      <KeyForm isOpen={isCreating} onClose={() => setCreating(false)} onCreated={setCreated} />
    </CardSection>
  );
}

function KeyRow({ apiKey }: { readonly apiKey: Row<"api_keys"> }) {
  const { id, name, prefix, scopes, created_at: createdAt, expires_at: expiresAt, last_used_at: usedAt } = apiKey;
  const revoke = useRevokeApiKey();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-3 sm:flex-nowrap">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <div className="flex flex-wrap items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </div>
        <div className="flex flex-wrap gap-x-3 text-sm text-ink-faint">
          <Code>{`${prefix}…`}</Code>
          <span className="whitespace-nowrap">
            created <RelativeTime at={createdAt} />
          </span>
          <span className="whitespace-nowrap">
            {usedAt === null ? (
              "not used yet"
            ) : (
              <>
                used <RelativeTime at={usedAt} />
              </>
            )}
          </span>
          <span className="whitespace-nowrap">
            {expiresAt === null ? (
              "does not expire"
            ) : (
              <>
                expires <RelativeTime at={expiresAt} />
              </>
            )}
          </span>
        </div>
      </div>
      <TakeBackButton
        label="Revoke"
        name={name}
        write={{ isBusy: revoke.isBusy, run: () => revoke.run(id) }}
        done={`${name} is revoked.`}
        failed="The key could not be revoked."
      >
        Programs that use the key are rejected at once. This cannot be undone.
      </TakeBackButton>
    </li>
  );
}
