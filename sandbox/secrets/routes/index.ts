// Written by `npm run generate`: a new file of this folder needs no other line.

import type { RouteFile } from "../route-file";
import * as configAccess from "./config-access";
import * as configLease from "./config-lease";
import * as creds from "./creds";
import * as leases from "./leases";
import * as mounts from "./mounts";
import * as openapi from "./openapi";
import * as policies from "./policies";
import * as rekeyBackup from "./rekey-backup";
import * as rekeyDisabled from "./rekey-disabled";
import * as rekeyInit from "./rekey-init";
import * as rekeyUpdate from "./rekey-update";
import * as rekeyVerify from "./rekey-verify";
import * as role from "./role";
import * as sealStatus from "./seal-status";
import * as token from "./token";
import * as tokenAccessors from "./token-accessors";
import * as tokenLookup from "./token-lookup";
import * as tokenRevoke from "./token-revoke";
import * as unseal from "./unseal";

export const routeFiles: readonly RouteFile[] = [
  configAccess,
  configLease,
  creds,
  leases,
  mounts,
  openapi,
  policies,
  rekeyBackup,
  rekeyDisabled,
  rekeyInit,
  rekeyUpdate,
  rekeyVerify,
  role,
  sealStatus,
  token,
  tokenAccessors,
  tokenLookup,
  tokenRevoke,
  unseal,
];
