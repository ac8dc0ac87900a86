import { Hono } from "hono";
import { AppEnv, errors } from "../answer";
import { Dialect } from "../dialect";
import { Described } from "../document";

export const below = "sys";
export const isServed = ({ disablesVaultsRekey }: Dialect): boolean => disablesVaultsRekey;

export const paths = (): Described[] => [];

/** The responses of an OpenBao listener that disables Vault's rekey. They need no token. */
export function routes(app: Hono<AppEnv>): void {
  for (const end of ["init", "update", "verify"]) {
    app.all(`/sys/rekey/${end}`, (c) => errors(c, 405, "unsupported operation"));
    app.all(`/sys/rekey-recovery-key/${end}`, (c) => errors(c, 404, "unsupported path"));
  }
}
