import { createRequire } from "node:module";
import type { Input } from "@pulumi/pulumi/output";
import type * as Messages from "@pulumi/pulumi/proto/provider_pb";
import type * as Resource from "@pulumi/pulumi/resource";
import type { ComponentResource, ComponentResourceOptions } from "@pulumi/pulumi/resource";
import type * as Structs from "google-protobuf/google/protobuf/struct_pb";
import { StewardError } from "../errors";
import type * as Rekey from "../secrets/rekey";

// The components of the package for programs in other languages. This process declares their resources. The rest of the plugin needs no Pulumi SDK, so the
// first component loads it.

/** Internals of the SDK's provider server, which its types do not declare. */
interface Sdk {
  resource: typeof Resource;
  proto: typeof Messages;
  struct: typeof Structs.Struct;
  deserializeInputs(inputs: unknown, dependencies: unknown): Promise<Record<string, unknown>>;
  output(value: unknown): { promise(): Promise<string> };
  serializeResourceProperties(label: string, properties: object): Promise<[Record<string, never>, Map<string, Set<Resource.Resource>>]>;
  setAllConfig(config: Record<string, string>, secretKeys: string[]): void;
  settings: {
    resetOptions(...options: unknown[]): void;
    awaitFeatureSupport(): Promise<void>;
    waitForRPCs(): Promise<void>;
  };
  withLocalStorage<T>(work: () => Promise<T>): Promise<T>;
}

function load(): Sdk {
  const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return {
    resource: sdk("./resource"),
    proto: sdk("./proto/provider_pb.js"),
    struct: sdk("google-protobuf/google/protobuf/struct_pb.js").Struct,
    deserializeInputs: sdk("./provider/server").deserializeInputs,
    output: sdk("./output").output,
    serializeResourceProperties: sdk("./runtime/rpc").serializeResourceProperties,
    setAllConfig: sdk("./runtime/config").setAllConfig,
    settings: sdk("./runtime/settings"),
    withLocalStorage: sdk("./runtime/state").withLocalStorage,
  };
}

interface Component {
  outputs: readonly string[];
  create(name: string, args: Record<string, Input<unknown>>, options: ComponentResourceOptions): ComponentResource;
}

/** The components by type. */
const components: Record<string, Component> = {
  "steward:secrets:Rekey": {
    outputs: ["shares", "encryptedShares", "fingerprints", "complete"],
    create(name, args, options) {
      const { Rekey: Created }: typeof Rekey = require("../secrets/rekey");
      return new Created(name, args as unknown as Rekey.RekeyArgs, options);
    },
  },
};

/** The rejections of running requests, for errors that no promise of a component propagates. */
const failing = new Set<(error: Error) => void>();

function watchRejections(): void {
  if (!process.listeners("unhandledRejection").includes(failAll)) process.on("unhandledRejection", failAll);
}

function failAll(error: unknown): void {
  for (const fail of failing) fail(error instanceof Error ? error : new Error(String(error)));
}

export async function construct(engineAddress: string, request: Messages.ConstructRequest): Promise<Messages.ConstructResponse> {
  const type = request.getType();
  const component = components[type];
  if (!component)
    throw new StewardError({ code: "ERR_INVALID_INPUT", rule: "unknown-type", reason: `pulumi-steward has no component ${type}` });
  const sdk = load();
  watchRejections();
  return sdk.withLocalStorage(
    () =>
      new Promise((done, fail) => {
        failing.add(fail);
        register(sdk, engineAddress, request, component)
          .then(done, fail)
          .finally(() => failing.delete(fail));
      }),
  );
}

async function register(
  sdk: Sdk,
  engineAddress: string,
  request: Messages.ConstructRequest,
  { create, outputs }: Component,
): Promise<Messages.ConstructResponse> {
  const { settings, proto } = sdk;
  settings.resetOptions(
    request.getProject(),
    request.getStack(),
    request.getParallel(),
    engineAddress,
    request.getMonitorendpoint(),
    request.getDryrun(),
    request.getOrganization(),
  );
  await settings.awaitFeatureSupport();
  // The resources of a component always use this plugin.
  sdk.setAllConfig(
    { ...Object.fromEntries(request.getConfigMap().entries() as Iterable<[string, string]>), "steward:native": "true" },
    request.getConfigsecretkeysList(),
  );
  const inputs = await sdk.deserializeInputs(request.getInputs(), request.getInputdependenciesMap());
  const created = create(request.getName(), inputs as Record<string, Input<unknown>>, optionsOf(sdk, request));
  const response = new proto.ConstructResponse().setUrn(await sdk.output(created.urn).promise());
  const properties = Object.fromEntries(outputs.map((name) => [name, (created as unknown as Record<string, unknown>)[name]]));
  const [state, dependencies] = await sdk.serializeResourceProperties(`construct(${request.getType()}, ${request.getName()})`, properties);
  for (const [name, resources] of dependencies) {
    const urns = await Promise.all([...resources].map(({ urn }) => sdk.output(urn).promise()));
    response.getStatedependenciesMap().set(name, new proto.ConstructResponse.PropertyDependencies().setUrnsList(urns));
  }
  response.setState(sdk.struct.fromJavaScript(state));
  await settings.waitForRPCs();
  return response;
}

function optionsOf({ resource }: Sdk, request: Messages.ConstructRequest): ComponentResourceOptions {
  const existing = (urn: string): Resource.Resource => new resource.DependencyResource(urn);
  const providers = [...(request.getProvidersMap().entries() as Iterable<[string, string]>)].map(
    ([name, reference]) => [name, new resource.DependencyProviderResource(reference)] as const,
  );
  return {
    aliases: request.getAliasesList().map((alias) => aliasOf(resource, alias)),
    dependsOn: request.getDependenciesList().map(existing),
    protect: request.getProtect(),
    providers: Object.fromEntries(providers),
    parent: request.getParent() ? existing(request.getParent()) : undefined,
    ...(request.getDeletedwith() ? { deletedWith: existing(request.getDeletedwith()) } : {}),
    retainOnDelete: request.getRetainondelete(),
  };
}

type AliasMessage = ReturnType<Messages.ConstructRequest["getAliasesList"]>[number];

function aliasOf({ rootStackResource }: typeof Resource, alias: AliasMessage): Resource.Alias | string {
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
