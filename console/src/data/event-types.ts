import { type AppEventType, EVENT_DESCRIPTIONS, EVENT_TYPES, type EventType } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Row } from "./client.ts";
import { type ReadResult, useRows } from "./rows.ts";

/** A type that a webhook can subscribe to. */
export type AnyEventType = EventType | AppEventType;

/** The listed types of the app's own events. */
export function useAppEventTypes(): ReadResult<readonly Row<"event_types">[]> {
  return useRows({
    table: "event_types",
    key: [],
    read: (client) => client.from("event_types").select("*").order("name").limit(1_000),
  });
}

export interface DescribedEventType {
  readonly type: AnyEventType;
  readonly summary: string;
}

/** All types, those of the app last. */
export function useEventTypes(): readonly DescribedEventType[] {
  const { rows = [] } = useAppEventTypes();
  return useMemo(
    () => [
      ...EVENT_TYPES.map((type) => ({ type, summary: EVENT_DESCRIPTIONS[type].summary.replaceAll("`", "") })),
      ...rows.map(({ name, description }) => ({ type: name, summary: description ?? "" })),
    ],
    [rows],
  );
}

/** As choices of a select, the given ones first. */
export function useEventChoices(
  first: readonly AnyEventType[] = [],
): readonly { readonly value: AnyEventType; readonly label: string }[] {
  const types = useEventTypes().map(({ type }) => type);
  return [...first, ...types.filter((type) => !first.includes(type))].map((value) => ({ value, label: value }));
}
