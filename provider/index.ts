export { ErrorCode, StewardError } from "./errors";
export * as platform from "./platform/index";
export { Adopt, Args, Connected, DeepInput, Getter, Outputs } from "./resource";
export * as scheduler from "./scheduler/index";
export * as secrets from "./secrets/index";
