// The package has no types. These are the parts that the tests use.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Token {
    readonly accountId: string;
    readonly aud?: string | readonly string[];
    readonly isValid: boolean;
    destroy(): Promise<void>;
  }

  interface Grant {
    addResourceScope(resource: string, scope: string): void;
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly AccessToken: { find(token: string): Promise<Token | undefined> };
    readonly Grant: new (of: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, string>> }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    on(event: "access_token.saved" | "refresh_token.saved", listener: (token: Token) => void): void;
    on(
      event: "registration_create.success" | "grant.error" | "server_error",
      listener: (...given: unknown[]) => void,
    ): void;
  }
}
