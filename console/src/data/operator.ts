import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { callService } from "./call-service.ts";
import { getClient, getConfig } from "./client.ts";
import { Failure } from "./failure.ts";
import { type Pages, type ReadResult, readAllPages, useLoadedPages, useReading } from "./rows.ts";
import { useUser } from "./session.ts";
import { useWrite, type Write } from "./write.ts";

/** What the session lacks for calls as an operator. */
type Lack = "operator" | "second_factor" | "recent_sign_in";

interface OperatorState {
  readonly isOperator: boolean;
  /** Null means that the user can call as an operator now. */
  readonly lacks: Lack | null;
}

const NAME = "operator";
const PATH = "/operator/v1";
const ME = [NAME, "me"];
const FIRST_PAGE: Readonly<Record<string, string>> = {};

/** Whether the user is an operator. Asked once, and again when a call was rejected. */
export function useOperator(): ReadResult<OperatorState> {
  const { id } = useUser();
  const query = useQuery<OperatorState, Failure>({
    queryKey: [...ME, id],
    queryFn: async ({ signal }) => {
      const response = await callService(getClient(), `${PATH}/me`, { signal });
      const { is_operator: isOperator, lacks } = (await response.json()) as {
        is_operator: boolean;
        lacks: Lack | null;
      };
      return { isOperator, lacks };
    },
    enabled: getConfig().hasOperatorView,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return useReading(query);
}

/** Asks again what the session lacks when a call says that it lacks something. */
function useCall(): (path: string, init?: RequestInit) => Promise<Response> {
  const queries = useQueryClient();
  return useCallback(
    async (path, init = {}) => {
      try {
        return await callService(getClient(), `${PATH}${path}`, init);
      } catch (error) {
        if (error instanceof Failure && error.fields["lacks"] !== undefined)
          void queries.invalidateQueries({ queryKey: ME });
        throw error;
      }
    },
    [queries],
  );
}

/** Reads below `/operator/v1`. The first part of the path is the noun, whose writes reload it. */
export function useOperatorRead<Data>(path: string, { isOn = true, everyMs = 0 } = {}): ReadResult<Data> {
  const call = useCall();
  const query = useQuery<Data, Failure>({
    queryKey: keyOf(path),
    queryFn: async ({ signal }) => (await (await call(path, { signal })).json()) as Data,
    enabled: isOn,
    staleTime: 0,
    ...(everyMs > 0 && { refetchInterval: everyMs }),
    placeholderData: keepPreviousData,
  });
  return useReading(query);
}

export interface OperatorPage<Row> {
  readonly rows: readonly Row[];
  /** The query that continues after the page; null for the last one. */
  readonly next: Readonly<Record<string, string>> | null;
}

/** A long list below `/operator/v1`. Pass a `read` that does not depend on anything else. */
export function useOperatorPages<Row>(
  path: string,
  query: Readonly<Record<string, string>>,
  read: (body: never) => OperatorPage<Row>,
): Pages<Row> {
  const call = useCall();
  const set = Object.entries(query).filter(([, value]) => value !== "");
  const readPage = async (from: Readonly<Record<string, string>>, init?: RequestInit) => {
    const search = new URLSearchParams([...set, ...Object.entries(from)]);
    return read((await (await call(`${path}?${search.toString()}`, init)).json()) as never);
  };
  const list = useInfiniteQuery({
    queryKey: [...keyOf(path), "pages", Object.fromEntries(set)],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, { signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page: OperatorPage<Row>) => page.next ?? undefined,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const { data } = list;
  const pages = useLoadedPages(
    list,
    useMemo(() => data?.pages.flatMap((page) => page.rows), [data]),
  );
  return {
    ...pages,
    readAll: () => readAllPages<Row, Readonly<Record<string, string>>>((from) => readPage(from ?? FIRST_PAGE)),
  };
}

export interface OperatorCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** A text is sent as CSV, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends a change below `/operator/v1`. */
export function useOperatorCall(): (change: OperatorCall) => Promise<Response> {
  const call = useCall();
  return ({ method, path, body }) => {
    const isText = typeof body === "string";
    return call(path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": isText ? "text/csv" : "application/json" },
        body: isText ? body : JSON.stringify(body),
      }),
    });
  };
}

/** A change below `/operator/v1`, after which the reads of the noun are repeated. */
export function useOperatorWrite<Input, Output = unknown>(
  noun: string,
  toCall: (input: Input) => OperatorCall,
  read: (response: Response) => Promise<Output> = async (response) => (await response.json()) as Output,
): Write<Input, Output> {
  const call = useOperatorCall();
  const queries = useQueryClient();
  return useWrite({
    tables: [],
    write: async (_client, input: Input) => {
      const result = await read(await call(toCall(input)));
      void queries.invalidateQueries({ queryKey: [NAME, noun] });
      return result;
    },
  });
}

function keyOf(path: string): QueryKey {
  const [, noun = "", ...rest] = path.split("/");
  return [NAME, noun, ...rest];
}
