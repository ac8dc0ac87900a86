import { output } from "@pulumi/pulumi/output";
import { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import {
  Alias,
  ComponentResourceOptions,
  DependencyProviderResource,
  DependencyResource,
  Resource,
  rootStackResource,
} from "@pulumi/pulumi/resource";
import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { serializeResourceProperties } from "@pulumi/pulumi/runtime/rpc";
import * as settings from "@pulumi/pulumi/runtime/settings";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Properties } from "../lifecycle/properties";
import { Rekey, RekeyArgs } from "../secrets/rekey";
import { unknownType } from "./plugin";

// The component of the package for programs in other languages. This process declares its resources. The rest of the plugin needs no Pulumi SDK, so it loads
// this file with the first component.

// Internals of the SDK's provider server, which its types do not declare.
const { deserializeInputs }: { deserializeInputs(inputs: unknown, dependencies: unknown): Promise<object> } =
  require("@pulumi/pulumi/provider/server");
const { awaitFeatureSupport, waitForRPCs } = settings as unknown as Record<"awaitFeatureSupport" | "waitForRPCs", () => Promise<void>>;
const { withLocalStorage }: { withLocalStorage<T>(work: () => Promise<T>): Promise<T> } = require("@pulumi/pulumi/runtime/state");

/** The rejections of running requests, for errors that no promise of a component propagates. */
const failing = new Set<(error: Error) => void>();
process.on("unhandledRejection", (error) => {
  for (const fail of failing) fail(error instanceof Error ? error : new Error(String(error)));
});

export async function construct(...args: Parameters<typeof register>): Promise<ConstructResponse> {
  const type = args[1].getType();
  if (type !== "steward:secrets:Rekey") throw unknownType("component", type);
  return withLocalStorage(
    () =>
      new Promise((done, fail) => {
        failing.add(fail);
        register(...args)
          .then(done, fail)
          .finally(() => failing.delete(fail));
      }),
  );
}

type ToStruct = (properties: Properties) => Struct;

/** `struct`: the class of the SDK's own copy of protobuf. */
async function register(engineAddress: string, request: ConstructRequest, struct: ToStruct): Promise<ConstructResponse> {
  settings.resetOptions(
    request.getProject(),
    request.getStack(),
    request.getParallel(),
    engineAddress,
    request.getMonitorendpoint(),
    request.getDryrun(),
    request.getOrganization(),
  );
  await awaitFeatureSupport();
  // The resources of a component always use this plugin.
  setAllConfig({ ...Object.fromEntries(entriesOf(request.getConfigMap())), "steward:native": "true" }, request.getConfigsecretkeysList());
  const inputs = await deserializeInputs(request.getInputs(), request.getInputdependenciesMap());
  const { urn, shares, encryptedShares, fingerprints, progress, complete, record } = new Rekey(
    request.getName(),
    inputs as RekeyArgs,
    optionsOf(request),
  );
  const response = new ConstructResponse().setUrn(await urnOf({ urn }));
  const outputs = { shares, encryptedShares, fingerprints, progress, complete, record };
  const [state, dependencies] = await serializeResourceProperties(`construct(${request.getType()}, ${request.getName()})`, outputs);
  for (const [name, resources] of dependencies) {
    const urns = await Promise.all([...resources].map(urnOf));
    response.getStatedependenciesMap().set(name, new ConstructResponse.PropertyDependencies().setUrnsList(urns));
  }
  response.setState(struct(state));
  await waitForRPCs();
  return response;
}

const urnOf = ({ urn }: Pick<Resource, "urn">): Promise<string> => (output(urn) as unknown as { promise(): Promise<string> }).promise();

const entriesOf = (map: { entries(): unknown }): [string, string][] => [...(map.entries() as Iterable<[string, string]>)];

function optionsOf(request: ConstructRequest): ComponentResourceOptions {
  const existing = (urn: string): Resource => new DependencyResource(urn);
  const providers = entriesOf(request.getProvidersMap()).map(([name, reference]) => [name, new DependencyProviderResource(reference)]);
  return {
    aliases: request.getAliasesList().map(aliasOf),
    dependsOn: request.getDependenciesList().map(existing),
    protect: request.getProtect(),
    providers: Object.fromEntries(providers),
    parent: request.getParent() ? existing(request.getParent()) : undefined,
    ...(request.getDeletedwith() ? { deletedWith: existing(request.getDeletedwith()) } : {}),
    retainOnDelete: request.getRetainondelete(),
  };
}

type AliasMessage = ReturnType<ConstructRequest["getAliasesList"]>[number];

function aliasOf(alias: AliasMessage): Alias | string {
  const spec = alias.getSpec();
  if (!spec) return alias.getUrn();
  return {
    ...(spec.getName() ? { name: spec.getName() } : {}),
    ...(spec.getProject() ? { project: spec.getProject() } : {}),
    ...(spec.getStack() ? { stack: spec.getStack() } : {}),
    ...(spec.getType() ? { type: spec.getType() } : {}),
    ...(spec.hasParenturn() ? { parent: spec.getParenturn() } : {}),
    ...(spec.hasNoparent() && spec.getNoparent() ? { parent: rootStackResource } : {}),
  };
}
