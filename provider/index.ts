export { ErrorCode, StewardError } from "./errors";
export { Args, Connected, DeepInput, Getter, Outputs } from "./resource";
export * as secrets from "./secrets/index";
