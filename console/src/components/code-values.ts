import { createContext, useContext } from "react";

/** What a snippet needs to reach the service it was copied from. Nothing in it is secret. */
export interface CodeValues {
  readonly url: string;
  readonly anonKey: string;
}

export const CodeValuesContext = createContext<CodeValues>({ url: "https://localhost:8443", anonKey: "" });

export function useCodeValues(): CodeValues {
  return useContext(CodeValuesContext);
}
