import { createElement, Fragment } from "react";
import { type ServiceSetting, useServiceSettings } from "../../../data/operator-operations.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";

const SOURCES = ["set", "default"] as const;
const CHOICES = [
  { value: "set", label: "Set" },
  { value: "default", label: "Defaults" },
];

export function SettingsPage() {
  const { rows: loaded, ...read } = useServiceSettings();
  const filters = useFilters();
  const source = filters.choice("source", SOURCES);
  const words = filters.search.toLowerCase().split(/\s+/);
  const found = loaded?.settings.filter(({ name, description, is_set: isSet }) => {
    const text = `${name} ${description}`.toLowerCase();
    return (source === null || isSet === (source === "set")) && words.every((word) => text.includes(word));
  });
  return (
    <ListPage
      title="Settings"
      description="The values in force. They are environment variables, which the service reads at its start; values of secrets are never shown."
      noun="settings"
      one="setting"
      filters={filters}
      searchLabel="Search settings"
      choices={[{ name: "source", label: "Source", choices: CHOICES }]}
      pages={{ ...read, rows: found, hasMore: false, isLoadingMore: false, loadMore: () => {} }}
      noMatchHint="The search compares names and descriptions."
      empty={null}
    >
      {(rows) => (
        <div className="grid grid-cols-1 gap-5">
          {[...Map.groupBy(rows, nameGroup)].map(([title, settings]) => (
            <CardSection key={title} title={title}>
              <ul className="divide-y divide-line rounded-md border border-line">
                {settings.map((row) => (
                  <SettingRow key={row.name} row={row} />
                ))}
              </ul>
            </CardSection>
          ))}
        </div>
      )}
    </ListPage>
  );
}

function nameGroup({ group, is_of_extension: isOfExtension }: ServiceSetting): string {
  return isOfExtension ? `Extension ${group}` : group;
}

function SettingRow({ row }: { readonly row: ServiceSetting }) {
  const { name, description, accepts, is_set: isSet } = row;
  return (
    <li className="grid gap-1 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-mono text-sm font-medium wrap-anywhere">{name}</span>
        <Badge tone={isSet ? "accent" : "neutral"}>{isSet ? "Set" : "Default"}</Badge>
        {row.is_secret && <Badge tone="thinking">Secret</Badge>}
      </div>
      <div className="font-mono text-sm wrap-anywhere">{showValue(row)}</div>
      <p className="text-sm text-pretty wrap-anywhere text-ink-soft">
        <Description text={description} />
      </p>
      <p className="text-sm wrap-anywhere text-ink-faint">
        Accepts <Description text={accepts} />
      </p>
    </li>
  );
}

function showValue({ is_secret: isSecret, is_set: isSet, value, fallback }: ServiceSetting): string {
  if (isSecret) return isSet ? "set" : fallback === null ? "not set" : `not set: the value of ${fallback} applies`;
  return value === null || value === "" ? "none" : value;
}

const LINK = /\[([^\]]*)\]\([^)]*\)/g;

/** Descriptions have code between backticks, and links within the documentation. */
function Description({ text }: { readonly text: string }) {
  const parts = text.replaceAll(LINK, "$1").split("`");
  const code = (part: string) => createElement("code", { className: "font-mono" }, part);
  return createElement(Fragment, null, ...parts.map((part, index) => (index % 2 === 1 ? code(part) : part)));
}
