export { ErrorCode, StewardError } from "./errors";
export { Args, Connected, DeepInput, Getter, Outputs, Recorded } from "./resource";
export * as secrets from "./secrets/index";
