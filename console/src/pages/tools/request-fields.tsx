import type { Json } from "@swarmbase/sdk";
import type { Tool } from "../../data/tools.ts";
import { Banner } from "../../components/banner.tsx";
import { bindForm, type FieldsProps, SelectField, TextField } from "../../components/form-fields.tsx";
import { OptionalHeaders } from "../../components/headers-editor.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Switch } from "../../components/switch.tsx";
import { hasSecret } from "./auth-draft.ts";
import { AuthFields } from "./auth-fields.tsx";
import { Authorization } from "./authorization.tsx";
import { Choice } from "./choice.tsx";
import { METHODS, type ToolForm } from "./tool-draft.ts";

interface RequestFieldsProps extends FieldsProps<ToolForm> {
  onReadable(isReadable: boolean): void;
  /** The stored tool, if it exists. */
  readonly tool: Tool | undefined;
}

const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** URL, credentials, headers and body of the request. */
export function RequestFields(props: RequestFieldsProps) {
  const { form, onChange, onReadable, errors, tool } = props;
  const bind = bindForm(props, { remoteName: "remote_name", sendsAsker: "identity" });
  const isHttp = form.kind === "http";
  const movesHost =
    tool !== undefined && tool.secret_names.length > 0 && hostOf(form.url) !== hostOf(textOf(tool.config["url"]));
  return (
    <div className="grid gap-5">
      <div className={isHttp ? "grid gap-5 sm:grid-cols-[8.5rem_minmax(0,1fr)]" : "grid gap-5"}>
        {isHttp && (
          <SelectField label="Method" choices={METHODS.map((value) => ({ value, label: value }))} {...bind("method")} />
        )}
        <TextField
          label="Address"
          hint={
            isHttp
              ? "HTTPS. {name} inserts an argument into the path or the query."
              : "The HTTPS URL of the MCP server."
          }
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={isHttp ? "https://shop.example.com/api/orders/{number}" : "https://mcp.example.com/mcp"}
          {...bind("url")}
          error={errors["url"] ?? errors["config"]}
        />
      </div>
      {!isHttp && (
        <TextField label="Name on the server" autoComplete="off" spellCheck={false} {...bind("remoteName")} />
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
          {...bind("sendsAsker")}
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
