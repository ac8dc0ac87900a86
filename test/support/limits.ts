import { providerWith } from "../../provider/adapters/dynamic-runtime";
import { programSources } from "../../provider/invoke";
import { defaultLimits, Limits } from "../../provider/limits";

/** The limits of a suite's connections: as many retries as a user has, in less time. A suite has modules of its own, and may change them. */
export const limits: Limits = { ...defaultLimits, initialBackoff: 5 };

/** A provider with these limits. */
export const provider = (token: string): ReturnType<typeof providerWith> => providerWith({ limits }, token);

/** Runs what calls functions of the package, with these limits. */
export const limited = <T>(work: () => T): T => programSources.run({ limits }, work);
