import { keptFor } from "./lifetime";

export interface ScimToken {
  description: string | null;
  token: string;
  createdAt: Date;
  expiredAt: Date;
}

/** The SCIM tokens by id. */
export const scimTokensOf: ReturnType<typeof keptFor<Map<string, ScimToken>>> = keptFor(() => new Map<string, ScimToken>());
