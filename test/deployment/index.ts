export * from "./deployment";
export type { Verdict } from "./executor";
export * from "./program";
export type { Resource } from "./state";
export type { Provider, Step } from "./steps";
export { resourceOf } from "./steps";
export * from "./values";
