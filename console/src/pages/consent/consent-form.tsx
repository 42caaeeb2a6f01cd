import { useState } from "react";
import { toBound, useKeyResources } from "../../data/api-keys.ts";
import { type Answering, type Authorization, leaveToOther } from "../../data/connected-programs.ts";
import { describeReach, describeScope, isAccessScope } from "../../components/access-texts.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { Facts } from "../../components/facts.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { toProgramName } from "../../components/program-name.ts";
import { ResourcePicker } from "../../components/resource-picker.tsx";

export function ConsentForm({ asked, answer }: { readonly asked: Authorization; readonly answer: Answering }) {
  const { authorization_id: id, client, user, previous } = asked;
  const before = previous?.resources ?? null;
  const [scopes, setScopes] = useState(asked.scopes);
  const [picked, setPicked] = useState<readonly string[] | null>(before && [...before.agents, ...before.swarms]);
  const hasAccess = asked.scopes.some(isAccessScope);
  const { rows: choices = [], search } = useKeyResources(hasAccess, picked);
  // What was chosen before may have been deleted since.
  const chosen = picked && choices.filter((choice) => picked.includes(choice.id));
  const target = describeTarget(asked);
  const changes = describeChanges(asked);
  const less = {
    ...(scopes.length < asked.scopes.length && { scopes }),
    ...(chosen !== null && { resources: toBound(chosen) }),
  };
  return (
    <>
      <PageHeader title="Let a program in?" description="It asks to act for you, within what you allow here." />
      <div className="grid grid-cols-1 gap-4">
        <Card className="grid grid-cols-1 gap-4">
          <p className="text-xl font-semibold wrap-anywhere">{toProgramName(client.name)}</p>
          <Facts
            rows={[
              ["Registered by", <Origin key="origin" client={client} />],
              ["Answer goes to", <bdi key="target">{target.address}</bdi>],
              ["Reaches", describeReach(asked.resource)],
              ["Signed in as", <bdi key="user">{user.email}</bdi>],
            ]}
          />
          <Button size="small" className="justify-self-start" onClick={() => void leaveToOther(id)}>
            Use another account
          </Button>
          {target.warning !== null && <Banner tone="warning">{target.warning}</Banner>}
        </Card>
        {changes !== "" && <Banner tone="warning">You let this program in before. {changes}</Banner>}
        <Card className="grid grid-cols-1 gap-3">
          <h2 className="text-lg font-semibold">What it may do</h2>
          {asked.scopes.map((scope) => (
            <Checkbox
              key={scope}
              {...describeScope(scope)}
              isChecked={scopes.includes(scope)}
              onChange={(isOn) =>
                setScopes(asked.scopes.filter((one) => (one === scope ? isOn : scopes.includes(one))))
              }
            />
          ))}
        </Card>
        {hasAccess && (
          <Card className="grid grid-cols-1 gap-3">
            <h2 className="text-lg font-semibold">With which agents and swarms</h2>
            <ResourcePicker choices={choices} picked={picked} onPick={setPicked} onSearch={search} />
          </Card>
        )}
        <p className="text-sm text-pretty text-ink-soft">
          It can never change your account, your keys or how you sign in. You can disconnect it at any time under
          Account.
        </p>
        {answer.failure !== null && <Banner tone="bad">{answer.failure.message}</Banner>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button size="large" disabled={answer.isBusy} onClick={() => void answer.run({ action: "deny" })}>
            Deny
          </Button>
          <Button
            size="large"
            variant="primary"
            isBusy={answer.isBusy}
            disabled={scopes.length === 0 || chosen?.length === 0}
            onClick={() => void answer.run({ action: "approve", ...less })}
          >
            Allow
          </Button>
        </div>
      </div>
    </>
  );
}

/** Only a document proves the host. Anybody can claim a name and a website. */
function Origin({ client: { host, registration } }: Pick<Authorization, "client">) {
  const shown = host !== null && <bdi className="font-semibold">{host}</bdi>;
  switch (registration) {
    case "document":
      return <>its own description at {shown}</>;
    case "manual":
      return <>an administrator of this service{shown && <>, for {shown}</>}</>;
    case "dynamic":
      return <>itself{shown && <>, for {shown}</>}. Nobody has checked this, nor its name.</>;
  }
}

interface Target {
  readonly address: string;
  readonly warning: string | null;
}

/** Where the answer goes, in words, and what to think of before. */
function describeTarget({ redirect_uri: uri, is_loopback_redirect: isLoopback }: Authorization): Target {
  const { protocol = "", host = "" } = URL.parse(uri) ?? {};
  if (protocol === "https:" && !isLoopback) return { address: host, warning: null };
  return {
    address: `a program on this computer (${protocol === "http:" ? host : protocol})`,
    warning:
      "Any program on this computer could receive the answer. Allow this only if you have just begun to connect the program yourself.",
  };
}

/** How the request differs from what the person agreed to before. */
function describeChanges({ client, scopes, redirect_uri: uri, previous, ...asked }: Authorization): string {
  if (previous === null) return "";
  const more = scopes.filter((scope) => !previous.scopes.includes(scope)).map((scope) => describeScope(scope).label);
  const name = toProgramName(previous.client_name);
  return [
    ...(more.length > 0 ? [`Now it asks for more: ${more.join(", ")}.`] : []),
    ...(name === toProgramName(client.name) ? [] : [`Its name was ${name}.`]),
    // The port of a program on this computer is another one each time.
    ...(asked.is_loopback_redirect || previous.redirect_uris.includes(uri) ? [] : ["The answer went elsewhere."]),
  ].join(" ");
}
