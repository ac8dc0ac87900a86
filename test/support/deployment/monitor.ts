import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import {
  ReadResourceRequest,
  ReadResourceResponse,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  RegisterResourceResponse,
  Result,
  SupportsFeatureRequest,
  SupportsFeatureResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { decoded, encoded } from "./marks";
import { Declaration, urnOf } from "./program";
import { Script } from "./run";
import { marked, Properties } from "./values";

/** The prefix of the engine's URNs, which those of this stand-in lack. */
export const urnPrefix = "urn:pulumi:dev::story::";
const stackType = "pulumi:pulumi:Stack";
export const stackUrn = `${urnPrefix}${stackType}::story-dev`;
const short = (urn: string): string => urn.replace(urnPrefix, "");

type Callback<Response> = (error: unknown, response?: Response) => void;
type Engine = Parameters<Script>[0];

/** The engine for the SDK in this process. It passes on the registrations of the program. */
export class Monitor {
  /** The stack's outputs, after the program has ended. */
  outputs: Properties = {};

  constructor(private readonly engine: Engine) {}

  supportsFeature(request: SupportsFeatureRequest, callback: Callback<SupportsFeatureResponse>): void {
    const response = new SupportsFeatureResponse();
    // Without output values, an output in an input is its plain value, and the request lists its dependencies separately.
    response.setHassupport(!["outputValues", "transforms", "invokeTransforms"].includes(request.getId()));
    callback(null, response);
  }

  async registerResource(request: RegisterResourceRequest, callback: Callback<RegisterResourceResponse>): Promise<void> {
    const response = new RegisterResourceResponse();
    if (request.getType() === stackType) {
      response.setUrn(stackUrn);
      return callback(null, response);
    }
    const unsupported = [request.getIgnorechangesList(), request.getProtect(), request.getRetainondelete()];
    if (unsupported.some((option) => (Array.isArray(option) ? option.length > 0 : option)) || request.getDeletedwith())
      throw new Error("a resource option that the stand-in of the engine does not know");
    const base = declared(request.getName(), request.getType(), request.getParent(), request.getObject());
    const dependencies = request.getPropertydependenciesMap().getEntryList();
    await this.answer(
      {
        ...base,
        isComponent: !request.getCustom(),
        aliases: request.getAliasesList().map((alias) => formerUrn(alias, base)),
        dependsOn: known(request.getDependenciesList()),
        propertyDependencies: Object.fromEntries(
          dependencies.map(([name]) => [name, known(request.getPropertydependenciesMap().get(name)?.getUrnsList() ?? [])]),
        ),
        replaceOnChanges: request.getReplaceonchangesList(),
        replacementTrigger: request.getReplacementTrigger()?.toJavaScript(),
        deleteBeforeReplace: request.getDeletebeforereplacedefined() ? request.getDeletebeforereplace() : undefined,
        secretOutputs: request.getAdditionalsecretoutputsList(),
      },
      (urn, id, outputs, result) => {
        response.setUrn(urn);
        response.setId(id);
        response.setObject(outputs);
        response.setResult(result);
        callback(null, response);
      },
    );
  }

  async readResource(request: ReadResourceRequest, callback: Callback<ReadResourceResponse>): Promise<void> {
    const response = new ReadResourceResponse();
    const base = declared(request.getName(), request.getType(), request.getParent(), request.getProperties());
    const secretOutputs = request.getAdditionalsecretoutputsList();
    await this.answer(
      { ...base, get: request.getId(), dependsOn: known(request.getDependenciesList()), secretOutputs },
      (urn, _id, outputs) => {
        response.setUrn(urn);
        response.setProperties(outputs);
        callback(null, response);
      },
    );
  }

  private async answer(
    declaration: Declaration,
    respond: (urn: string, id: string, outputs: Struct, result: 0 | 1 | 2) => void,
  ): Promise<void> {
    const outcome = await this.engine.register(declaration);
    // The engine has ended, so the program never gets a response.
    if (!outcome) return;
    const { resource, result } = outcome;
    const outputs = marked(resource.outputs, resource.inputs, resource.secretOutputs);
    respond(
      urnPrefix + resource.urn,
      resource.id,
      Struct.fromJavaScript(encoded(outputs) as Record<string, JavaScriptValue>),
      { done: Result.SUCCESS, failed: Result.FAIL, skipped: Result.SKIP }[result],
    );
  }

  registerResourceOutputs(request: RegisterResourceOutputsRequest, callback: Callback<object>): void {
    const outputs = read(request.getOutputs());
    if (request.getUrn() === stackUrn) this.outputs = outputs;
    else this.engine.registerOutputs(short(request.getUrn()), outputs);
    callback(null, {});
  }
}

const read = (struct: Struct | undefined): Properties => decoded((struct?.toJavaScript() ?? {}) as Properties);

const declared = (name: string, type: string, parent: string, object: Struct | undefined): Declaration => ({
  name,
  type,
  inputs: read(object),
  parent: parent && parent !== stackUrn ? short(parent) : undefined,
});

const known = (urns: readonly string[]): string[] => urns.filter((urn) => urn !== stackUrn).map(short);

/** The URN of an alias. Missing parts are those of the resource. */
function formerUrn(alias: Alias, { name, type, parent }: Declaration): string {
  if (alias.hasUrn()) return short(alias.getUrn());
  const spec = alias.getSpec() as Alias.Spec;
  const formerParent = spec.getNoparent() ? undefined : spec.getParenturn() ? short(spec.getParenturn()) : parent;
  const isStack = formerParent?.startsWith(`${stackType}::`);
  return urnOf(spec.getType() || type, spec.getName() || name, isStack ? undefined : formerParent);
}
