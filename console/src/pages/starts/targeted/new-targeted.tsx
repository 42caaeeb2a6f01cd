import { type ComponentType, useState } from "react";
import { useInsertRow } from "../../../data/changed-rows.ts";
import { toRunTarget, useRunTargets } from "../../../data/run-targets.ts";
import { Card } from "../../../components/card.tsx";
import { PickerField } from "../../../components/form-fields.tsx";
import { NewRow, type RowForm } from "../../../components/row-form.tsx";
import type { TargetedFieldsProps } from "./targeted-fields.tsx";

interface NewTargetedProps<Row, Form, Draft> {
  readonly table: "schedules" | "triggers";
  readonly noun: string;
  readonly kind: RowForm<Row, Form, Draft>;
  readonly fields: ComponentType<TargetedFieldsProps<Form>>;
}

/** The page that makes a row which starts an agent or a swarm that the user chooses, such as a schedule. */
export function NewTargeted<Row, Form extends object, Draft>(props: NewTargetedProps<Row, Form, Draft>) {
  const { table, noun, kind, fields: Fields } = props;
  const create = useInsertRow(table);
  const [value, setValue] = useState("");
  const { targets, search } = useRunTargets(value);
  const chosen = targets?.find(({ id }) => id === value) ?? targets?.[0];
  return (
    <NewRow
      {...{ noun, kind, create }}
      list={{ label: table === "schedules" ? "Schedules" : "Triggers", to: `/${table}` }}
      isLoading={targets === undefined}
      onCreate={async (draft) => (chosen === undefined ? null : create.run({ ...draft, ...toRunTarget(chosen) }))}
    >
      {(fields) => (
        <>
          <Card>
            <PickerField
              label="Agent or swarm"
              hint={`An agent answers in a conversation of the ${noun}, which is not your chat with it.`}
              error={
                targets?.length === 0
                  ? "Create an agent or a swarm first."
                  : (fields.errors["agent_id"] ?? fields.errors["swarm_id"])
              }
              value={chosen?.id ?? ""}
              choices={(targets ?? []).map(({ id, label }) => ({ value: id, label }))}
              onChange={setValue}
              onSearch={search}
            />
          </Card>
          <Fields {...fields} isOfAgent={chosen?.kind !== "swarms"} />
        </>
      )}
    </NewRow>
  );
}
