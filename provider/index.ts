export { Adopt } from "./adoption";
export { ErrorCode, StewardError } from "./errors";
export { ConnectionArgs } from "./inputs";
export * as platform from "./platform/index";
export { Dialect, Provider, ProviderArgs, SchedulerServer, SecretsDialect, SecretsServer, Server } from "./provider";
export { Args, DeepInput, Getter, Outputs } from "./resource";
export * as scheduler from "./scheduler/index";
export * as secrets from "./secrets/index";
