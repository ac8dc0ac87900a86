import { Operation, Turn } from "./history";
import { CaseKind, hasMount, KindName, kindNames, kindOf, Place } from "./kinds";
import { Edit } from "./program";
import { Trouble } from "./wire";

// The table: what a program changes, and the trouble of the run that changes it. Each row is tested for each kind of resource.

const add = (kind: KindName, part = 0, more: { isSecret?: boolean; adopt?: boolean; place?: Place; level?: number } = {}): Edit => ({
  edit: "add",
  kind,
  part,
  place: "home",
  level: 0,
  isSecret: false,
  adopt: true,
  ...more,
});
const set = (item: number, part: number, level: number, isSecret = false): Edit => ({ edit: "set part", item, part, level, isSecret });
const drop = (item: number, part: number): Edit => ({ edit: "drop part", item, part, level: 0, isSecret: false });
const rename = (item: number): Edit => ({ edit: "rename", item, isAliased: false });
const move = (item: number): Edit => ({ edit: "move", item, parent: 1, isAliased: false });
const place = (item: number, to: Place): Edit => ({ edit: "place", item, place: to });
const retype = (item: number): Edit => ({ edit: "between types", item, adopt: true });
const up = (edits: Edit[], run: Partial<Operation> = {}): Turn => ({ edits, run: { operation: "up", troubles: [], ...run } });

/** All kinds but the token, which needs the access configuration of its mount. */
const alone = kindNames.filter((kind) => kind !== "SchedulerToken");
const among = (names: readonly KindName[], has: (kind: CaseKind) => unknown): readonly KindName[] =>
  names.filter((kind) => has(kindOf({ kind })));
const withObjects = among(alone, (kind) => kind.keys ?? kind.isOneObject);
const withUpdates = among(alone, (kind) => kind.case.changed);
const withSecrets = among(withUpdates, (kind) => !kind.isNeverSecret);
const withParts = among(alone, (kind) => kind.hasManyParts && kind.parts.length > 1);
const settings = among(withParts, (kind) => kind.isOneObject);
const withMounts = among(alone, hasMount);
const withServers = among(alone, ({ type }) => type.startsWith("secrets:"));

interface Change {
  kinds?: readonly KindName[];
  /** The program of the first run, which succeeds. */
  before(kind: KindName): Edit[];
  /** The change, and the operation that applies it. `item` is the number of the resource. */
  edits(item: number): Edit[];
  run?(item: number): Partial<Operation>;
}

/** A token needs the access configuration of its mount, which is then item 0. */
const itself = (kind: KindName): Edit[] => [...(kind === "SchedulerToken" ? [add("SchedulerAccess")] : []), add(kind)];
const secretly = (kind: KindName): Edit[] => [add(kind, 0, { isSecret: true })];
const inParts = (kind: KindName): Edit[] => [add(kind, 0, { isSecret: true }), set(0, 1, 0)];
const sibling = add("SchedulerRole", 2);

/** The changes of a run. */
export const changes: Record<string, Change> = {
  "is created": { before: () => [], edits: () => [] },
  "is renamed without an alias": { before: itself, edits: (item) => [rename(item), sibling] },
  "is renamed without an alias and without adopt": {
    before: (kind) => [add(kind, 0, { adopt: false })],
    kinds: alone,
    edits: (item) => [rename(item), sibling],
    run: () => ({ continueOnError: true }),
  },
  "moves into a component": { before: itself, edits: (item) => [move(item), sibling] },
  "moves to another mount": { kinds: withMounts, before: itself, edits: (item) => [place(item, "second")] },
  "moves to another server": { kinds: withServers, before: itself, edits: (item) => [place(item, "other")] },
  "gets another connection to its server": { before: itself, edits: (item) => [place(item, "twin")] },
  "gets another value": { before: itself, edits: (item) => [set(item, 0, 1)] },
  "gets a secret in place of a secret": { kinds: withSecrets, before: secretly, edits: (item) => [set(item, 0, 1, true)] },
  "gets a plain value in place of a secret": { kinds: withSecrets, before: secretly, edits: (item) => [set(item, 0, 1)] },
  "gets a secret in place of a plain value": { kinds: withSecrets, before: itself, edits: (item) => [set(item, 0, 1, true)] },
  "loses a secret part": { kinds: withParts, before: inParts, edits: (item) => [drop(item, 0), set(item, 1, 1)] },
  "loses a part and is renamed": { kinds: withParts, before: inParts, edits: (item) => [drop(item, 0), rename(item)] },
  "moves between SchedulerRole and SchedulerRoles": {
    kinds: ["SchedulerRole", "SchedulerRoles"],
    before: (kind) => [add(kind), add("SchedulerRole", 1)],
    edits: (item) => [retype(item), retype(item)],
  },
  "gives a role to a single resource": {
    kinds: ["SchedulerRoles"],
    before: () => [add("SchedulerRoles", 0), set(0, 1, 0)],
    edits: (item) => [drop(item, 0), add("SchedulerRole", 0)],
  },
  "takes a role from a single resource": {
    kinds: ["SchedulerRoles"],
    before: () => [add("SchedulerRoles", 0), add("SchedulerRole", 1)],
    edits: () => [retype(1)],
  },
  "leaves the program": { before: itself, edits: (item) => [{ edit: "remove", item }] },
  "is destroyed": { before: itself, edits: () => [], run: () => ({ operation: "destroy" }) },
  "is replaced by --replace": { before: itself, edits: () => [], run: (item) => ({ replace: item }) },
  "is replaced by its trigger": {
    before: (kind) => [...itself(kind), { edit: "trigger", item: kind === "SchedulerToken" ? 1 : 0 }],
    edits: (item) => [{ edit: "trigger", item }],
  },
  "is renamed and replaced by --replace": { before: itself, edits: (item) => [rename(item)], run: (item) => ({ replace: item }) },
  "is refreshed": { before: itself, edits: () => [], run: () => ({ operation: "refresh" }) },
};

const write = (trouble: Trouble, request = 1): Partial<Operation> => ({ troubles: [[request, trouble]] });
const read = (trouble: Trouble, request = 1): Partial<Operation> => ({ troubles: [[request, trouble, "read"]] });

/** The troubles of the run of a change. */
export const troubles: Record<string, Partial<Operation>> = {
  nothing: {},
  "its first write is refused": write("refused"),
  "its second write is refused": write("refused", 2),
  "its first write is refused under --continue-on-error": { ...write("refused"), continueOnError: true },
  "its first write is lost before it arrives": write("lost before"),
  "the response to its first write is lost": write("lost after"),
  "the response to its first write is lost, and no read succeeds": write("lost after, and all that follow"),
  "the response to its second write is lost": write("lost after", 2),
  "its first write gets an internal error": write("an internal error"),
  "a gateway answers its first write with 404": write("a gateway's 404"),
  "a gateway answers its first write with 200": write("a gateway's 200"),
  "a gateway answers its second write with 200": write("a gateway's 200", 2),
  "its first read is refused": read("refused"),
  "its first read is lost": read("lost before"),
  "a gateway answers its first read with 404": read("a gateway's 404"),
  "a gateway answers its first read with 200": read("a gateway's 200"),
  "it is interrupted at its second step": { stop: { at: 2, how: "interrupt", isSentAll: true } },
  "it is killed at its first step, whose requests arrive": { stop: { at: 1, how: "kill", isSentAll: true } },
  "it is killed at its first step": { stop: { at: 1, how: "kill", isSentAll: false } },
  "it is killed at its second step, whose requests arrive": { stop: { at: 2, how: "kill", isSentAll: true } },
  "its only target is the resource": { targets: [0] },
};

/** The history of a row: the resource exists, the change meets the trouble, and another run follows. */
export function historyOf({ before, edits, run }: Change, trouble: Partial<Operation>, kind: KindName): Turn[] {
  const first = before(kind);
  const item = kind === "SchedulerToken" ? 1 : 0;
  const operation = { ...run?.(item), ...trouble, ...(trouble.targets && { targets: [item] }) };
  return first.length > 0 ? [up(first), up(edits(item), operation), up([])] : [up(itself(kind), operation), up([])];
}

const destroy: Turn = { edits: [], run: { operation: "destroy", troubles: [] } };
const unfinished = up([rename(0), sibling], { troubles: [[2, "refused"]] });
const three = [add("SchedulerRole", 0), add("SchedulerRole", 1), add("SchedulerRole", 2)];
const setOfThree = [add("SchedulerRoles", 0), set(0, 1, 0), set(0, 2, 0)];

interface Found {
  kinds: readonly KindName[];
  turns(kind: KindName): Turn[];
}
const history = (kinds: Found["kinds"], turns: Found["turns"]): Found => ({ kinds, turns });

/** Failures that random histories and attacks have found and the table does not contain, reduced, in many orders of their concurrent steps. */
export const found: Record<string, Found> = {
  "both resources of an unfinished rename are destroyed": history(alone, (kind) => [up([add(kind)]), unfinished, destroy]),
  "the new resource of an unfinished rename is replaced by --replace": history(alone, (kind) => [
    up([add(kind)]),
    unfinished,
    up([], { replace: 0 }),
    up([]),
  ]),
  "the state of an unfinished rename has no instances": history(alone, (kind) => [
    up([add(kind)]),
    unfinished,
    { ...up([]), forgetsInstances: true },
  ]),
  "the state of an unfinished rename has no instances, and the new resource is replaced": history(alone, (kind) => [
    up([add(kind)]),
    unfinished,
    { ...up([], { replace: 0 }), forgetsInstances: true },
  ]),
  "a resource whose state has no instance is replaced": history(alone, (kind) => [
    up([add(kind)]),
    { ...up([], { replace: 0 }), forgetsInstances: true },
  ]),
  "a resource whose state has no instance is replaced by its trigger": history(alone, (kind) => {
    const trigger: Edit = { edit: "trigger", item: 0 };
    return [up([add(kind), trigger]), { ...up([trigger]), forgetsInstances: true }];
  }),
  "up rejects a program that declares an object twice": history(withObjects, (kind) => [
    up([add(kind, 0, { adopt: false }), { edit: "twice", item: 0 }]),
  ]),
  "an up without the change follows a killed update": history(withUpdates, (kind) => [
    up([add(kind)]),
    up([set(0, 0, 1)], { stop: { at: 1, how: "kill", isSentAll: true } }),
    up([set(0, 0, 0)]),
  ]),
  "an up without the change follows an update with an unknown outcome": history(withUpdates, (kind) => [
    up([add(kind)]),
    up([set(0, 0, 1)], write("lost after, and all that follow")),
    up([set(0, 0, 0)]),
  ]),
  "a resource whose creation has an unknown outcome is destroyed": history(withUpdates, (kind) => [
    up([add(kind)], write("lost after, and all that follow")),
    destroy,
  ]),
  "an attribute joins settings in an update whose response is lost, and leaves": history(settings, (kind) => [
    up([add(kind)]),
    up([set(0, 1, 0)], write("lost after")),
    up([drop(0, 1)]),
  ]),
  "an attribute joins settings in an update whose response is lost, and all are destroyed": history(settings, (kind) => [
    up([add(kind)]),
    up([set(0, 1, 0)], write("lost after, and all that follow")),
    destroy,
  ]),
  "an attribute leaves settings in an update whose response is lost, and then only the connection changes": history(settings, (kind) => [
    up([add(kind), set(0, 1, 0)]),
    up([drop(0, 0)], write("lost after, and all that follow")),
    up([place(0, "twin")]),
  ]),
  "a secret is replaced in an update whose response is lost, and then by a plain value in one whose request is lost": history(
    withSecrets,
    (kind) => [
      up(secretly(kind)),
      up([set(0, 0, 1, true)], write("lost after, and all that follow")),
      up([set(0, 0, 2)], write("lost before")),
      { edits: [], run: { operation: "refresh", troubles: [] } },
      up([]),
    ],
  ),
  "a lease moves to another mount, and another resource takes over the old object": history(["SchedulerLease"], () => [
    up([add("SchedulerLease")]),
    up([place(0, "second"), add("SchedulerLease")], { targets: [1] }),
    up([]),
  ]),
  "three roles move into a new set": history(["SchedulerRole"], () => [up(three), up([retype(0), retype(0), retype(0)]), up([])]),
  "a whole set moves into single roles": history(["SchedulerRoles"], () => [up(setOfThree), up([retype(0)]), up([])]),
  "the private key of SAML settings leaves in an update whose response is lost": history(["SamlSettings"], () => [
    up([add("SamlSettings", 2), set(0, 0, 0)]),
    up([drop(0, 0), set(0, 0, 1)], write("lost after")),
    up([]),
  ]),
  "a reason is secret, and the platform publishes it": history(["ModuleVersionDeprecation"], () => [
    up([add("ModuleVersionDeprecation", 0, { isSecret: true })]),
  ]),
  "the deletion of a replacement is refused, and another resource holds the role": history(["SchedulerRole"], () => [
    up([add("SchedulerRole", 0, { adopt: false })]),
    up([retype(0)], { targets: [0] }),
    up([], { troubles: [[1, "refused"]], continueOnError: true, replace: 0 }),
    up([]),
  ]),
  "a secret of a killed creation is captured as an original value": history(["SamlSettings"], () => [
    up([add("SamlSettings", 0, { isSecret: true })], { stop: { at: 1, how: "kill", isSentAll: true } }),
    up([set(0, 0, 0)]),
    up([], { troubles: [[1, "lost after"]], replace: 0 }),
  ]),
  "an attribute leaves renamed settings whose creation is lost": history(["SamlSettings"], () => [
    up([add("SamlSettings", 2)]),
    up([set(0, 0, 0)]),
    up([drop(0, 1), rename(0)], { troubles: [[1, "lost before"]], continueOnError: true }),
    up([]),
  ]),
  "an object whose creation is lost gets another connection": history(withUpdates, (kind) => [
    up([add(kind, 0, { adopt: false })], write("lost before")),
    up([place(0, "twin")]),
  ]),
};
