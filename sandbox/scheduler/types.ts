/**
 * The fields of the full records and their Go types, by which a filter parses its values. An unset pointer, list or map is null in JSON. A type
 * without a line is opaque: a filter can only test it for null.
 */
const table = `
structs.Job: Stop bool, Region string, Namespace string, ID string, ParentID string, Name string, Type string, Priority int, AllAtOnce bool, Datacenters []string, NodePool string, Constraints []*structs.Constraint, Affinities []*structs.Affinity, Spreads []*structs.Spread, TaskGroups []*structs.TaskGroup, Update structs.UpdateStrategy, Multiregion *structs.Multiregion, Periodic *structs.PeriodicConfig, ParameterizedJob *structs.ParameterizedJobConfig, Dispatched bool, DispatchIdempotencyToken string, Payload []uint8, Meta map[string]string, ConsulNamespace string, VaultNamespace string, NomadTokenID string, Status string, StatusDescription string, Stable bool, Version uint64, SubmitTime int64, CreateIndex uint64, ModifyIndex uint64, JobModifyIndex uint64, UI *structs.JobUIConfig, VersionTag *structs.JobVersionTag
structs.Constraint: LTarget string, RTarget string, Operand string
structs.Affinity: LTarget string, RTarget string, Operand string, Weight int8
structs.Spread: Attribute string, Weight int8, SpreadTarget []*structs.SpreadTarget
structs.SpreadTarget: Value string, Percent uint8
structs.TaskGroup: Name string, Count int, Update *structs.UpdateStrategy, Migrate *structs.MigrateStrategy, Constraints []*structs.Constraint, Scaling *structs.ScalingPolicy, RestartPolicy *structs.RestartPolicy, Disconnect *structs.DisconnectStrategy, Tasks []*structs.Task, EphemeralDisk *structs.EphemeralDisk, Meta map[string]string, ReschedulePolicy *structs.ReschedulePolicy, Affinities []*structs.Affinity, Spreads []*structs.Spread, Networks structs.Networks, Consul *structs.Consul, Services []*structs.Service, Volumes map[string]*structs.VolumeRequest, ShutdownDelay *time.Duration, StopAfterClientDisconnect *time.Duration, MaxClientDisconnect *time.Duration, PreventRescheduleOnLost bool
structs.UpdateStrategy: Stagger time.Duration, MaxParallel int, HealthCheck string, MinHealthyTime time.Duration, HealthyDeadline time.Duration, ProgressDeadline time.Duration, AutoRevert bool, AutoPromote bool, Canary int
structs.MigrateStrategy: MaxParallel int, HealthCheck string, MinHealthyTime time.Duration, HealthyDeadline time.Duration
structs.RestartPolicy: Attempts int, Interval time.Duration, Delay time.Duration, Mode string, RenderTemplates bool
structs.Task: Name string, Driver string, User string, Config map[string]interface{}, Env map[string]string, Services []*structs.Service, Vault *structs.Vault, Secrets []*structs.Secret, Consul *structs.Consul, Templates []*structs.Template, Constraints []*structs.Constraint, Affinities []*structs.Affinity, Resources *structs.Resources, RestartPolicy *structs.RestartPolicy, DispatchPayload *structs.DispatchPayloadConfig, Lifecycle *structs.TaskLifecycleConfig, Meta map[string]string, KillTimeout time.Duration, LogConfig *structs.LogConfig, Artifacts []*structs.TaskArtifact, Leader bool, ShutdownDelay time.Duration, VolumeMounts []*structs.VolumeMount, ScalingPolicies []*structs.ScalingPolicy, KillSignal string, Kind structs.TaskKind, CSIPluginConfig *structs.TaskCSIPluginConfig, Identity *structs.WorkloadIdentity, Identities []*structs.WorkloadIdentity, Actions []*structs.Action, Schedule *structs.TaskSchedule
structs.Resources: CPU int, Cores int, MemoryMB int, MemoryMaxMB int, DiskMB int, IOPS int, Networks structs.Networks, Devices structs.ResourceDevices, NUMA *structs.NUMA, SecretsMB int
structs.NetworkResource: Mode string, Device string, CIDR string, IP string, Hostname string, MBits int, DNS *structs.DNSConfig, ReservedPorts []structs.Port, DynamicPorts []structs.Port, CNI *structs.CNIConfig
structs.LogConfig: MaxFiles int, MaxFileSizeMB int, Disabled bool
structs.EphemeralDisk: Sticky bool, SizeMB int, Migrate bool
structs.ReschedulePolicy: Attempts int, Interval time.Duration, Delay time.Duration, DelayFunction string, MaxDelay time.Duration, Unlimited bool
structs.Multiregion: Strategy *structs.MultiregionStrategy, Regions []*structs.MultiregionRegion
structs.MultiregionStrategy: MaxParallel int, OnFailure string
structs.MultiregionRegion: Name string, Count int, Datacenters []string, NodePool string, Meta map[string]string
structs.PeriodicConfig: Enabled bool, Spec string, Specs []string, SpecType string, ProhibitOverlap bool, TimeZone string
structs.ParameterizedJobConfig: Payload string, MetaRequired []string, MetaOptional []string
structs.Deployment: ID string, Namespace string, JobID string, JobVersion uint64, JobModifyIndex uint64, JobSpecModifyIndex uint64, JobCreateIndex uint64, IsMultiregion bool, TaskGroups map[string]*structs.DeploymentState, Status string, StatusDescription string, EvalPriority int, CreateIndex uint64, ModifyIndex uint64, CreateTime int64, ModifyTime int64
structs.DeploymentState: AutoRevert bool, AutoPromote bool, ProgressDeadline time.Duration, RequireProgressBy time.Time, Promoted bool, PlacedCanaries []string, DesiredCanaries int, DesiredTotal int, PlacedAllocs int, HealthyAllocs int, UnhealthyAllocs int
structs.Node: ID string, SecretID string, Datacenter string, Name string, CgroupParent string, HTTPAddr string, TLSEnabled bool, Attributes map[string]string, NodeResources *structs.NodeResources, ReservedResources *structs.NodeReservedResources, Links map[string]string, Meta map[string]string, NodeClass string, NodePool string, ComputedClass string, DrainStrategy *structs.DrainStrategy, SchedulingEligibility string, Status string, StatusDescription string, IdentitySigningKeyID string, StatusUpdatedAt int64, Events []*structs.NodeEvent, Drivers map[string]*structs.DriverInfo, CSIControllerPlugins map[string]*structs.CSIInfo, CSINodePlugins map[string]*structs.CSIInfo, HostVolumes map[string]*structs.ClientHostVolumeConfig, GCVolumesOnNodeGC bool, HostNetworks map[string]*structs.ClientHostNetworkConfig, LastDrain *structs.DrainMetadata, NodeMaxAllocs int, LastMissedHeartbeatIndex uint64, LastAllocUpdateIndex uint64, CreateIndex uint64, ModifyIndex uint64
structs.NodeResources: Cpu structs.LegacyNodeCpuResources, Processors structs.NodeProcessorResources, Memory structs.NodeMemoryResources, Disk structs.NodeDiskResources, Devices []*structs.NodeDeviceResource, NodeNetworks []*structs.NodeNetworkResource, Networks structs.Networks, MinDynamicPort int, MaxDynamicPort int
structs.NodeMemoryResources: MemoryMB int64
structs.NodeDiskResources: DiskMB int64
structs.DrainStrategy: DrainSpec structs.DrainSpec, ForceDeadline time.Time, StartedAt time.Time
structs.DrainSpec: Deadline time.Duration, IgnoreSystemJobs bool
structs.NodeEvent: Message string, Subsystem string, Details map[string]string, Timestamp time.Time, CreateIndex uint64
structs.DriverInfo: Attributes map[string]string, Detected bool, Healthy bool, HealthDescription string, UpdateTime time.Time
structs.ClientHostVolumeConfig: Name string, Path string, ReadOnly bool, ID string
structs.ClientHostNetworkConfig: Name string, CIDR string, Interface string, ReservedPorts string
structs.DrainMetadata: StartedAt time.Time, UpdatedAt time.Time, Status structs.DrainStatus, AccessorID string, Meta map[string]string
`;

/** Named types that are not structures. */
const named: Record<string, string> = {
  "time.Duration": "int64",
  "structs.TaskKind": "string",
  "structs.DrainStatus": "string",
  "structs.Networks": "[]*structs.NetworkResource",
  "structs.ResourceDevices": "[]*structs.RequestedDevice",
};

/** The types of the fields by structure. */
const structures: Map<string, Map<string, string>> = new Map(
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", fields = ""] = line.split(": ");
      return [name, new Map(fields.split(", ").map((field) => field.split(" ") as [string, string]))];
    }),
);

export type Kind = "string" | "bool" | "int" | "uint" | "float" | "list" | "map" | "struct" | "pointer" | "interface";

/** The kind of a type, as in Go's reflection. */
export function kindOf(type: string): Kind {
  const bare = named[type] ?? type;
  if (bare.startsWith("*")) return "pointer";
  if (bare.startsWith("[]")) return "list";
  if (bare.startsWith("map[")) return "map";
  if (bare === "interface{}") return "interface";
  if (bare === "string" || bare === "bool") return bare;
  if (/^int\d*$/.test(bare)) return "int";
  if (/^uint\d*$/.test(bare)) return "uint";
  return /^float\d+$/.test(bare) ? "float" : "struct";
}

/** The element type of a pointer, a list or a map. */
export function elementOf(type: string): string {
  return (named[type] ?? type).replace(/^(\*|\[\]|map\[string\])/, "");
}

/** The name of a type's kind in a message. */
export function kindName(type: string): string {
  const kind = kindOf(type);
  if (kind === "list") return "slice";
  return kind === "int" || kind === "uint" || kind === "float" ? (named[type] ?? type) : kind;
}

export function fieldsOf(type: string): Map<string, string> {
  return structures.get(type) ?? new Map();
}

/** A record with all its fields, in the order of the service. Unset fields are zero, empty or null. */
export function complete(type: string, value: unknown): unknown {
  switch (kindOf(type)) {
    case "struct": {
      const record = (value ?? {}) as Record<string, unknown>;
      const fields = fieldsOf(type);
      if (fields.size === 0) return value ?? (type === "time.Time" ? null : {});
      const names = [...new Set([...fields.keys(), ...Object.keys(record)])].sort();
      return Object.fromEntries(names.map((name) => [name, fields.has(name) ? complete(fields.get(name)!, record[name]) : record[name]]));
    }
    case "pointer":
      return value === undefined || value === null ? null : complete(elementOf(type), value);
    case "list":
      return Array.isArray(value) ? value.map((item) => complete(elementOf(type), item)) : (value ?? null);
    case "map":
      if (value === undefined || value === null) return null;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, complete(elementOf(type), item)]));
    case "string":
      return value ?? "";
    case "bool":
      return value ?? false;
    case "int":
    case "uint":
    case "float":
      return value ?? 0;
    default:
      return value ?? null;
  }
}
