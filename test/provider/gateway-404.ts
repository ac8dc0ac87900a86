/** Bodies of a 404 that a gateway sends, and neither the secrets service nor the platform. */
export const bodies = ['{"message":"no Route matched with those values"}', "{}", "", '{"error":"Not Found"}'];

/** The command that a refresh or a destroy names when it keeps a resource, because such a 404 proves nothing. */
export const letGo = "pulumi state delete";
