import { existsSync, readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { StewardError } from "../contract/errors";
import { nonEmptyStr } from "../contract/inputs";
import { CredentialSettings, Credentials, credentialFields, pemFields } from "../contract/operation";
import { isVariableName } from "../contract/secret";

export const credentialShape: z.ZodRawShape = Object.fromEntries(credentialFields.map((field) => [field, nonEmptyStr.optional()]));

/** The settings of a server, and their names in messages. */
export interface NamedSettings<Settings> {
  settings: Settings;
  /** The name of a setting in messages, after "the": `variable VAULT_TOKEN`, or `token of secrets in the connection "default"`. */
  label(field: keyof Settings & string): string;
  /** True for settings of the configuration, false for those of the environment. */
  isConfigured: boolean;
  /** The way to set a missing token, as the end of a sentence. If omitted, the token is set in the configuration. */
  missingToken?: string;
}

type Settings = NamedSettings<CredentialSettings>;

export const credentialsOf = (settings: Settings, environment: NodeJS.ProcessEnv): Credentials => ({
  token: () => readToken(settings, environment),
  tokenSource: tokenSourceOf(settings),
  missingToken: settings.missingToken,
  tlsServerName: settings.settings.tlsServerName,
  ...Object.fromEntries(pemFields.map((field) => [field, pemOrFile(settings, field)])),
});

export const invalid = (rule: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", rule, reason, hint });

function readToken(settings: Settings, environment: NodeJS.ProcessEnv): string | undefined {
  const token = findToken(settings, environment)?.trim();
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw invalid(
      "token-characters",
      `The ${settings.label("token")} contains invalid characters`,
      "Remove spaces, line breaks and non-ASCII characters from it.",
    );
  return token || undefined;
}

/** Describes where the token comes from. Omits a variable or path that may itself be a misplaced token. */
function tokenSourceOf({ settings: { token, tokenEnv, tokenFile }, label, isConfigured }: Settings): string {
  const field = token ? "token" : tokenFile ? "tokenFile" : "tokenEnv";
  if (!isConfigured) return `the ${label(field)}`;
  const setting = `the setting ${field}`;
  if (tokenEnv && isVariableName(tokenEnv)) return `the variable ${tokenEnv}, ${setting}`;
  return tokenFile && isPath(tokenFile) ? `the file ${tokenFile}, ${setting}` : setting;
}

const isPath = (value: string): boolean => /^(\.{0,2}|~)\//.test(value);

function findToken(
  { settings: { token, tokenFile, tokenEnv }, label, isConfigured }: Settings,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (token) return token;
  // Some requests need no token, and a login in the middle of a run writes the file.
  if (tokenFile && !isConfigured && !existsSync(tokenFile)) return undefined;
  if (tokenFile) return readFile(tokenFile, label("tokenFile"), "the path of a readable file");
  if (!tokenEnv) return undefined;
  const value = environment[tokenEnv];
  if (value) return value;
  // A value that does not look like a name may be the token in the wrong setting.
  const variable = isVariableName(tokenEnv) ? `the variable ${tokenEnv}, which` : "a variable that";
  const hint = "Set it in the environment of pulumi, or correct the name. tokenEnv takes the name of a variable, not the token.";
  throw invalid("variable-unset", `The ${label("tokenEnv")} refers to ${variable} is not set`, hint);
}

function pemOrFile({ settings, label }: Settings, field: (typeof pemFields)[number]): string | undefined {
  const value = settings[field];
  if (value === undefined || value.includes("-----BEGIN")) return value;
  return readFile(value, label(field), "a PEM string or the path of a readable file");
}

function readFile(path: string, name: string, expected: string): string {
  try {
    // Reading a named pipe would block.
    if (!statSync(path).isFile()) throw Object.assign(new Error(), { code: "not a regular file" });
    return readFileSync(path, "utf8");
  } catch (cause) {
    // A value that does not look like a path may be the secret in the wrong setting.
    const place = isPath(path) ? ` from ${path}` : "";
    throw invalid(
      "unreadable-file",
      `The ${name} cannot be read${place} (${(cause as NodeJS.ErrnoException).code})`,
      `Set it to ${expected}.`,
    );
  }
}
