// `pulumi-steward/sandbox` is the package `pulumi-steward-sandbox`, where that is installed.
import type * as sandbox from "pulumi-steward-sandbox";
import { loadSandbox } from "./load";

export type {
  Fault,
  Mail,
  Options,
  PlatformService,
  Sandbox,
  SchedulerMember,
  SchedulerPlace,
  SchedulerPolicy,
  SchedulerRecord,
  SchedulerRecords,
  SchedulerSeed,
  SchedulerService,
  SchedulerTokenRequest,
  SecretsService,
  Seed,
  Service,
  TextMessage,
} from "pulumi-steward-sandbox";

// Not `export *`: a program in ES modules would then hear that a name is missing, and not which package.
export const start: typeof sandbox.start = loadSandbox(() => require("pulumi-steward-sandbox") as typeof sandbox).start;
