export { Adopt, ConnectionArgs, EnvironmentReference, FileReference, SecretReference } from "./contract/inputs";
export { ErrorCode, StewardError } from "./contract/steward-error";
export * as platform from "./platform/index";
export { Dialect, Login, Provider, ProviderArgs, SchedulerServer, SecretsDialect, SecretsServer, Server } from "./program/provider";
export { Args, DeepInput, Getter, Outputs } from "./program/resource";
export * as scheduler from "./scheduler/index";
export * as secrets from "./secrets/index";
