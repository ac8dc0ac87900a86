// Written by `npm run generate`: a new file of this folder needs no other line.

import type { RouteFile } from "../route-file";
import * as deployments from "./deployments";
import * as jobs from "./jobs";
import * as members from "./members";
import * as nodes from "./nodes";

export const routeFiles: readonly RouteFile[] = [deployments, jobs, members, nodes];
