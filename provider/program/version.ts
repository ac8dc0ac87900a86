/** The version of this package and its plugin. Pulumi warns about an older plugin, and the plugin warns about an older program. */
export const packageVersion = (): string => (require("pulumi-steward/package.json") as { version: string }).version;
