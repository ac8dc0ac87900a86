import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { only } from "../troubles/kind";
import { ResourceCase } from "./case";

const path = "/api/v2/admin/workspaces/ws-6jrRyVDv1J8zQMB5";

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:AdminWorkspace",
    inputs: () => ({ workspaceId: "ws-6jrRyVDv1J8zQMB5", destroyOnDelete: true }),
    replaced: () => ({ workspaceId: "ws-8kTbWqPzM2nXcR4d", destroyOnDelete: true }),
    prepare: async ({ sandbox }) =>
      sandbox.platform.seed({
        workspaces: [
          { id: "ws-6jrRyVDv1J8zQMB5", name: "faulty", organization: "acme" },
          { id: "ws-8kTbWqPzM2nXcR4d", name: "other", organization: "acme" },
        ],
      }),
    requests: () => ({ create: [`GET ${path}`], refresh: [`GET ${path}`], delete: [`GET ${path}`, `DELETE ${path}`] }),
    drifts: [{ change: ({ outOfBand }) => outOfBand("platform", "DELETE", path), shows: "gone" }],
    paths: () => [path],
    troubles: {
      parts: ["ws-acmeNetworkProd", "ws-acmeNetworkTest"],
      isNeverSecret: true,
      inputs: (parts) => ({ workspaceId: only(parts)[0], destroyOnDelete: true }),
      held: (workspaceId) => [`workspace/${workspaceId}`, "there"],
      keys: ({ workspaceId }) => [`workspace/${workspaceId}`],
    },
    arbitraries: { workspaceId: word, destroyOnDelete: fc.boolean() },
  },
];
