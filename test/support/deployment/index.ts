import "../pauses";

export * from "./deployment";
export { changedLines, shownOutputs } from "./display";
export type { Verdict } from "./executor";
export { Monitor, stackUrn, urnPrefix } from "./monitor";
export * from "./program";
export type { Ending, Options, Script } from "./run";
export type { Resource } from "./state";
export type { Provider, Step } from "./steps";
export { resourceOf } from "./steps";
export * from "./values";
