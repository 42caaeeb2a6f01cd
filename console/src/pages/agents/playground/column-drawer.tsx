import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { findModel, useModels } from "../../../data/models.ts";
import { changeColumn } from "../../../data/playground.ts";
import type { Column, ColumnChanges } from "../../../data/playground-state.ts";
import { Button } from "../../../components/button.tsx";
import { Drawer } from "../../../components/drawer.tsx";
import { Field } from "../../../components/field.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { typed } from "../../../components/typed.ts";
import { findDropped } from "../dropped-settings.ts";
import { ModelFields } from "../model-fields.tsx";
import { SettingFields } from "../setting-fields.tsx";
import type { ReadyColumn } from "./column-state.ts";
import { listChanges } from "./column-values.ts";

interface ColumnDrawerProps extends Pick<ReadyColumn, "agent" | "base"> {
  readonly letter: string;
  readonly column: Column;
  onClose(): void;
}

/** The service reports errors in the column, with its answer. */
const NO_ERRORS = {};

/** What the column changes of its agent. The agent itself does not change. */
export function ColumnDrawer({ letter, column, agent, base, onClose }: ColumnDrawerProps) {
  const models = useModels();
  const { id, changes } = column;
  const values = { ...base, ...changes };
  const model = findModel(models.rows, values);
  const change = (part: ColumnChanges) => changeColumn(id, { changes: { ...changes, ...part } });
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={`Change column ${letter}`}
      description={`The next answers in this column have these values. ${agent.name} itself does not change until you save them as a version.`}
      footer={
        <>
          <Button disabled={listChanges(base, changes).length === 0} onClick={() => changeColumn(id, { changes: {} })}>
            Undo all changes
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-6">
        <Field label="Instructions" isOptional hint="The system prompt: purpose, tone and rules of the agent.">
          <TextArea
            rows={8}
            maxLength={FIELD_BOUNDS["agents.system_prompt"].max}
            {...typed(values.system_prompt, (system_prompt) => change({ system_prompt }))}
          />
        </Field>
        <ModelFields models={models} model={model} draft={values} onChange={change} errors={NO_ERRORS} />
        <SettingFields
          settings={values.settings}
          onChange={(settings) => change({ settings })}
          dropped={findDropped(values.settings, model)}
          errors={NO_ERRORS}
          longest={model?.max_output_tokens ?? null}
          hasSchema={false}
        />
      </div>
    </Drawer>
  );
}
