import { Sandbox } from "../../sandbox/index";
import { Context, Properties } from "../cases/case";
import { call } from "./call";

const systems = ["secrets", "platform", "scheduler"] as const;

/** The sandbox as the servers of a case. A rejected request outside Pulumi throws. A read of a missing object returns its status. */
export function contextOf(sandbox: Sandbox, dialect: Context["dialect"]): Context {
  return {
    dialect,
    sandbox,
    mount: dialect === "hashicorp" ? "nomad" : "scheduler",
    async outOfBand(system, method, path, body) {
      const { status, text, json } = await call(sandbox[system], method, path, body);
      if (method !== "GET" && status >= 300) throw new Error(`${method} ${path} answered ${status} ${text}`);
      return json === undefined ? status : json;
    },
  };
}

/** The configuration of a stack whose servers are the sandbox. */
export const configOf = ({ sandbox, dialect }: { sandbox: Sandbox; dialect: string }): Record<string, Properties> => ({
  "steward:default": Object.fromEntries(
    systems.map((system) => [system, { address: sandbox[system].url, token: sandbox[system].token, dialect }]),
  ),
});

/** A response without values that no client can undo or choose: an old certificate, ids and, in the standard dialect, the blank access configuration. */
export function comparable(response: unknown): unknown {
  const isBlank = (value: { data?: { address?: unknown } } | null): boolean => value?.data?.address === "";
  return JSON.parse(
    JSON.stringify(response, (key, value) => {
      // A revoked certificate stays in the list as the old one.
      if (Array.isArray(value)) return value.filter((each) => each?.attributes?.["cert-role"] !== "legacy_old");
      if (/^(request_id|old-idp-cert|created-at|published-at)$/.test(key) || (key === "id" && /^(ab|drp|idpc)-/.test(value)))
        return undefined;
      return isBlank(value) ? { errors: [] } : value;
    }),
  );
}

/** Resets the sandbox and disables its rate limit. */
export async function resetAll({ sandbox, outOfBand }: Context): Promise<void> {
  await sandbox.reset();
  const attributes = { "api-rate-limiting-enabled": false };
  await outOfBand("platform", "PATCH", "/api/v2/admin/general-settings", { data: { attributes } });
}
