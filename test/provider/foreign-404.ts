/** Bodies of a 404 that come from a gateway, not from Vault or the platform. */
export const bodies = ['{"message":"no Route matched with those values"}', "{}", "", '{"error":"Not Found"}'];

/** The command that a refresh or a destroy names when it keeps a resource, because the 404 proves nothing. */
export const letGo = "pulumi state delete";
