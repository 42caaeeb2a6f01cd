import { useAgentVersions } from "../../data/agent-versions.ts";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";

export interface VersionFieldProps {
  readonly agentId: string;
  /** Empty for the latest. */
  readonly value: string;
  onChange(version: string): void;
}

export function VersionField({ agentId, value, onChange }: VersionFieldProps) {
  const { rows: versions = [] } = useAgentVersions(agentId);
  return (
    <Field label="Version">
      <Select
        value={value}
        choices={[
          { value: "", label: "The latest" },
          ...versions.map(({ number }) => ({ value: String(number), label: `Version ${number}` })),
        ]}
        onChange={onChange}
      />
    </Field>
  );
}
