import { Variables } from "../contract/operation";
import { Log, warnOnce } from "../text/log";

/** The variables of a row, by their settings. */
export const namesIn = ({ prefix, address, more = [] }: Variables): Record<string, string> => ({
  address,
  token: `${prefix}_TOKEN`,
  caCert: `${prefix}_CACERT`,
  clientCert: `${prefix}_CLIENT_CERT`,
  clientKey: `${prefix}_CLIENT_KEY`,
  tlsServerName: `${prefix}_TLS_SERVER_NAME`,
  ...Object.fromEntries(more.map((field) => [field, `${prefix}_${field.toUpperCase()}`])),
});

/** Warns about the variables of other servers, which other tools may combine with the used ones. */
export function warnOfUnused(
  { name, variables: rows }: { name: string; variables: readonly Variables[] },
  used: Variables,
  { environment, log }: { environment: NodeJS.ProcessEnv; log: Log },
): void {
  const usedNames = namesIn(used);
  const unused = rows
    .filter((row) => row !== used)
    .flatMap((row) =>
      Object.entries(namesIn(row)).filter(([field, variable]) => isOther(environment[variable], environment[usedNames[field] ?? ""])),
    )
    .map(([, variable]) => variable);
  if (unused.length === 0) return;
  const are = unused.length === 1 ? "is" : "are";
  warnOnce(
    log,
    `${unused.join(", ")} ${are} set but not used: ${used.address} selects the server of ${name}, so only variables that begin with ${used.prefix}_ are used.`,
  );
}

/** True if the token file may contain the token of a different server whose address is set: two products write theirs to one file. */
export const sharesTokenFile = (rows: readonly Variables[], used: Variables, environment: NodeJS.ProcessEnv): boolean =>
  rows.some(({ tokenFile, address }) => tokenFile === used.tokenFile && isOther(environment[address], environment[used.address]));

const isOther = (value: string | undefined, used: string | undefined): boolean => Boolean(value) && value !== used;
