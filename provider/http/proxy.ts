import { invalidInput } from "../contract/errors";
import { isLoopback } from "../contract/operation";

/** The proxy to a server. */
export interface ProxyServer {
  /** Without its credentials, for messages. */
  name: string;
  /** The environment variable that sets it. */
  variable: string;
  uri: string;
}

/**
 * The proxy that the environment sets for an address. A loopback address has none. Throws if a proxy variable of either scheme is invalid.
 */
export function proxyFor(address: string, environment: NodeJS.ProcessEnv): ProxyServer | undefined {
  const url = new URL(address);
  if (isLoopback(address)) return undefined;
  const [http, https] = [proxyVariable("http", environment), proxyVariable("https", environment)];
  const wrong = [http, https].flatMap((variable) => (variable && !isProxy(environment[variable] as string) ? [variable] : []));
  if (wrong.length > 0)
    throw invalidInput(
      wrong.map((path) => ({ path, rule: "proxy", reason: "must be the URL of a proxy" })),
      {
        about: "The environment is invalid, and nothing was sent: ",
        hint: `Set ${wrong.join(" and ")} to a URL such as http://proxy.example.com:3128. Write a percent sign in its password as %25.`,
      },
    );
  const variable = (url.protocol === "https:" && https) || http;
  if (!variable || isExcepted(url, environment.no_proxy ?? environment.NO_PROXY ?? "")) return undefined;
  const uri = environment[variable] as string;
  const { protocol, host } = new URL(uri);
  return { variable, uri, name: `the proxy ${protocol}//${host} in ${variable}` };
}

/** The variable with the proxy of a scheme. A variable in lower case hides the other one, even if it is empty. */
function proxyVariable(scheme: "http" | "https", environment: NodeJS.ProcessEnv): string | undefined {
  const lower = `${scheme}_proxy`;
  const variable = environment[lower] === undefined ? lower.toUpperCase() : lower;
  return environment[variable] ? variable : undefined;
}

/** True if a list of no_proxy has the server's host, a domain above it, or `*`. An entry with a port is only for that port. */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  const covers = (entry: string): boolean => {
    const [, host = entry, onlyPort = ownPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    return (
      (Number(onlyPort) === 0 || Number(onlyPort) === Number(ownPort)) &&
      `.${hostname}`.endsWith(`.${host.replace(/^\*?\./, "").toLowerCase()}`)
    );
  };
  return list === "*" || list.split(/[,\s]/).some((entry) => entry !== "" && covers(entry));
}

function isProxy(value: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(value);
    for (const part of [username, password]) decodeURIComponent(part);
    return hostname !== "" && ["http:", "https:", "socks5:", "socks:"].includes(protocol);
  } catch {
    return false;
  }
}
