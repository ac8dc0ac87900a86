import { defaultLimits, Limits } from "../../provider/contract/limits";
import { providerWith } from "../../provider/engine/dynamic-runtime";
import { programSources } from "../../provider/program/invoke";

/** The limits of a suite's connections: the default retries in less time. Each suite has separate modules, and may change them. */
export const limits: Limits = { ...defaultLimits, initialBackoff: 5 };

export const provider = (token: string): ReturnType<typeof providerWith> => providerWith({ limits }, token);

/** Calls functions of the package with these limits. */
export const limited = <T>(work: () => T): T => programSources.run({ limits }, work);
