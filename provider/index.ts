export { ErrorCode, StewardError } from "./errors";
export { Args, Connected, DeepInput, Getter, Outputs, Resource } from "./resource";
export * as secrets from "./secrets/index";
