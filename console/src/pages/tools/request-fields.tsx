import type { Json } from "@swarmbase/sdk";
import type { Tool } from "../../data/tools.ts";
import { Banner } from "../../components/banner.tsx";
import { Field } from "../../components/field.tsx";
import { OptionalHeaders } from "../../components/headers-editor.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { hasSecret } from "./auth-draft.ts";
import { AuthFields } from "./auth-fields.tsx";
import { Authorization } from "./authorization.tsx";
import { Choice } from "./choice.tsx";
import { METHODS, type ToolForm } from "./tool-draft.ts";

export interface RequestFieldsProps {
  readonly form: ToolForm;
  onChange(part: Partial<ToolForm>): void;
  onReadable(isReadable: boolean): void;
  readonly errors: Readonly<Record<string, string>>;
  /** The stored tool, if it exists. */
  readonly tool: Tool | undefined;
}

const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** URL, credentials, headers and body of the request. */
export function RequestFields({ form, onChange, onReadable, errors, tool }: RequestFieldsProps) {
  const isHttp = form.kind === "http";
  const movesHost =
    tool !== undefined && tool.secret_names.length > 0 && hostOf(form.url) !== hostOf(textOf(tool.config["url"]));
  return (
    <div className="grid gap-5">
      <div className={isHttp ? "grid gap-5 sm:grid-cols-[8.5rem_minmax(0,1fr)]" : "grid gap-5"}>
        {isHttp && (
          <Field label="Method" error={errors["method"]}>
            <Select
              value={form.method}
              choices={METHODS.map((value) => ({ value, label: value }))}
              onChange={(method) => onChange({ method })}
            />
          </Field>
        )}
        <Field
          label="Address"
          error={errors["url"] ?? errors["config"]}
          hint={
            isHttp
              ? "HTTPS. {name} inserts an argument into the path or the query."
              : "The HTTPS URL of the MCP server."
          }
        >
          <TextInput
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={isHttp ? "https://shop.example.com/api/orders/{number}" : "https://mcp.example.com/mcp"}
            {...typed(form.url, (url) => onChange({ url }))}
          />
        </Field>
      </div>
      {!isHttp && (
        <Field label="Name on the server" error={errors["remote_name"]}>
          <TextInput
            autoComplete="off"
            spellCheck={false}
            {...typed(form.remoteName, (remoteName) => onChange({ remoteName }))}
          />
        </Field>
      )}
      <AuthFields
        auth={form.auth}
        onChange={(auth) => onChange({ auth })}
        isStored={!movesHost && tool?.secret_names.includes(form.auth.secretName) === true}
        kind={isHttp ? "http" : "mcp"}
        errors={errors}
      />
      {form.auth.type === "oauth" && tool !== undefined && (
        <Authorization url={form.url.trim()} returnTo={`/tools/${tool.id}/edit`} />
      )}
      {isHttp && (
        <Choice
          label="Send who asked"
          hint="The server learns who asks, and the tool acts for that person."
          isOn={form.sendsAsker}
          error={errors["identity"]}
          onChange={(sendsAsker) => onChange({ sendsAsker })}
        />
      )}
      {movesHost && hasSecret(form.auth) && form.auth.value === "" && (
        <Banner tone="warning">The stored secret is not sent to another host. Enter it again.</Banner>
      )}
      <OptionalHeaders arePublic lines={form.headers} onChange={(headers) => onChange({ headers })} errors={errors} />
      {isHttp && BODY_METHODS.has(form.method) && (
        <BodyFields form={form} onChange={onChange} onReadable={onReadable} error={errors["body"]} />
      )}
    </div>
  );
}

interface BodyFieldsProps extends Pick<RequestFieldsProps, "form" | "onChange" | "onReadable"> {
  readonly error: string | undefined;
}

function BodyFields({ form, onChange, onReadable, error }: BodyFieldsProps) {
  const isOwn = form.body !== undefined;
  return (
    <div className="grid gap-3">
      <div className="flex items-start justify-between gap-4">
        <div className="grid gap-0.5">
          <span className="text-sm font-medium">Custom body</span>
          <span className="text-sm text-ink-faint">
            By default the body contains the arguments that the URL does not use.
          </span>
        </div>
        <Switch
          label="Custom body"
          isOn={isOwn}
          onChange={(isOn) => {
            onReadable(true);
            onChange({ body: isOn ? {} : undefined });
          }}
        />
      </div>
      {isOwn && (
        <JsonEditor
          label="Body"
          hint={'A text that is only "{name}" is replaced by the argument with its type.'}
          value={form.body}
          error={error}
          onChange={(read) => {
            onReadable(read !== null);
            if (read !== null) onChange({ body: read.parsed as Json });
          }}
        />
      )}
    </div>
  );
}

function hostOf(url: string): string {
  return /^https:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase() ?? "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
