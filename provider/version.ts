/** The version of this package, and of the plugin in it. Pulumi warns of an older plugin, and the plugin warns of an older program. @internal */
export const packageVersion = (): string => (require("pulumi-steward/package.json") as { version: string }).version;
