import { isIn } from "../cases/case";
import { Declaration, urnOf } from "../support/deployment";
import { Value } from "./kind";
import { declarationOf, expected, Item, isSamePlace, KindName, kindOf, objectsOf, Place } from "./kinds";
import { World } from "./world";

// A program that changes over time.

/** The edits. Numbers select from the existing items. */
export type Edit =
  | { edit: "add"; kind: KindName; part: number; place: Place; level: number; isSecret: boolean; adopt: boolean; exists?: boolean }
  | { edit: "set part" | "drop part"; item: number; part: number; level: number; isSecret: boolean }
  | { edit: "rename"; item: number; isAliased: boolean }
  | { edit: "move"; item: number; parent: number; isAliased: boolean }
  | { edit: "between types"; item: number; adopt: boolean }
  | { edit: "place"; item: number; place: Place }
  | { edit: "twice" | "remove" | "adopt" | "trigger"; item: number };

/** A role alone or a set, which can take over each other's objects. */
export const isRole = ({ kind }: Pick<Item, "kind">): boolean => kind === "SchedulerRole" || kind === "SchedulerRoles";

const groups = ["g", "h"];
const groupType = "story:Group";
const groupUrn = (name: string): string => urnOf(groupType, name);

export class Program {
  items: Item[] = [];
  /** Every secret that was ever declared. */
  readonly canaries: number[] = [];
  /** Those that were declared by reference. */
  readonly referenced: number[] = [];
  /** Parts that were plain at some time. On a refresh, the state may not know yet that a part is secret now, and the engine marks nothing. */
  private readonly open = new Set<string>();
  /** Workspaces with `destroyOnDelete`. */
  readonly condemned = new Set<string>();
  /** Objects that existed before their import. */
  readonly imported = new Set<string>();
  private names = 0;

  constructor(
    private readonly world: World,
    private readonly mechanism: "dynamic" | "native",
  ) {}

  declarations(items: readonly Item[] = this.items): Declaration[] {
    const parents = groups.map((name): Declaration => ({ name, type: groupType, isComponent: true, inputs: {} }));
    const own = items.map((item) => {
      const declaration = declarationOf(item, this.world, this.mechanism);
      const access = items.find(({ kind, place }) => kind === "SchedulerAccess" && isSamePlace(place, item.place));
      return item.kind === "SchedulerToken" && access ? { ...declaration, dependsOn: [access.name] } : declaration;
    });
    // Dependencies come first.
    return [...parents, ...own.filter(({ dependsOn }) => !dependsOn), ...own.filter(({ dependsOn }) => dependsOn)];
  }

  urn = (item: Item): string => urnOf(kindOf(item).type, item.name, item.parent && groupUrn(item.parent));

  /** The later declarations of objects that are declared twice. */
  duplicates(): Item[] {
    const seen = new Set<string>();
    return this.items.filter((item) => {
      const objects = objectsOf(item, this.world);
      const isDuplicate = objects.some((object) => seen.has(object));
      for (const object of objects) seen.add(object);
      return isDuplicate;
    });
  }

  /** The objects that the servers should hold. */
  expected = (): Map<string, string> => new Map(this.items.flatMap((item) => [...expected(item, this.world)]));

  async apply(edit: Edit): Promise<void> {
    if (edit.edit === "add") await this.add(edit);
    else {
      const item = this.items[edit.item % Math.max(1, this.items.length)];
      if (item) this.edit(item, edit);
    }
  }

  private edit(item: Item, edit: Exclude<Edit, { edit: "add" }>): void {
    switch (edit.edit) {
      case "set part":
        this.setPart(item, edit.part, edit);
        break;
      case "drop part":
        if (item.parts.size > 1) item.parts.delete([...item.parts.keys()][edit.part % item.parts.size] as string);
        break;
      case "rename":
        this.readdress(item, edit.isAliased, { name: this.newName() });
        break;
      case "move":
        this.readdress(item, edit.isAliased, { parent: [undefined, ...groups][edit.parent % 3] });
        break;
      case "between types":
        this.retype(item, edit.adopt);
        break;
      case "place":
        // Vault revokes a token through the access configuration, which the engine would delete first.
        if (item.kind === "SchedulerAccess" && this.endTokens(item)) break;
        if (item.kind === "SchedulerToken" && !this.hasAccess(edit.place)) break;
        if (this.isFree({ ...item, place: edit.place }, item)) Object.assign(item, { place: edit.place, import: undefined });
        break;
      case "twice":
        this.items.push({ ...item, name: this.newName(), aliases: [], parts: new Map(item.parts) });
        break;
      case "remove":
        this.remove(item);
        break;
      case "adopt":
        item.adopt = true;
        break;
      case "trigger":
        item.trigger++;
    }
  }

  remove(item: Item): void {
    this.items = this.items.filter((each) => each !== item);
    if (item.kind === "SchedulerAccess") this.endTokens(item);
  }

  /** Removes tokens, which cannot be revoked without the access configuration. Returns true if there were any. */
  private endTokens(access: Item): boolean {
    const before = this.items.length;
    this.items = this.items.filter(({ kind, place }) => kind !== "SchedulerToken" || !isSamePlace(place, access.place));
    return this.items.length < before;
  }

  private hasAccess = (to: Place): boolean => this.items.some(({ kind, place }) => kind === "SchedulerAccess" && isSamePlace(place, to));

  private newName = (): string => `r${++this.names}`;

  private value(item: Pick<Item, "kind">, part: string, { level, isSecret }: { level: number; isSecret: boolean }): Value {
    const { isNeverSecret, definition } = kindOf(item);
    // The class marks it.
    const isAlwaysSecret = definition.fields[part]?.secret;
    if (!isAlwaysSecret && (!isSecret || isNeverSecret || this.open.has(part))) {
      this.open.add(part);
      return { level };
    }
    const canary = this.canaries.length + 1;
    this.canaries.push(canary);
    const isReference = isAlwaysSecret && level > 0;
    if (isReference) this.referenced.push(canary);
    return { level, canary, isReference };
  }

  private async add(edit: Edit & { edit: "add" }): Promise<void> {
    const kind = kindOf(edit);
    if (!isIn(this.world.dialect)(kind)) return;
    const { parts } = kind;
    const part = parts[edit.part % parts.length] as string;
    if (edit.kind === "AdminWorkspace" && !this.world.platform.records.workspaces.has(part)) return;
    const item: Item = {
      name: this.newName(),
      kind: edit.kind,
      parts: new Map([[part, this.value(edit, part, edit)]]),
      place: edit.place,
      adopt: edit.adopt,
      aliases: [],
      trigger: 0,
    };
    if (edit.kind === "SchedulerToken" && !this.hasAccess(edit.place)) return;
    if (!this.isFree(item)) return;
    this.items.push(item);
    // An import uses the default connection.
    if (edit.exists && edit.kind === "SchedulerRole" && ["home", "second"].includes(edit.place)) await this.import(item);
    if (edit.kind === "AdminWorkspace") this.condemned.add(`workspace/${part}`);
  }

  /** Another client creates the declared object. Only the native plugin can import it. */
  private async import(item: Item): Promise<void> {
    for (const [key, text] of this.mechanism === "native" ? expected(item, this.world) : []) {
      if ((await this.world.held()).has(key)) continue;
      const [server, mount, , name] = key.split("/") as ["home", string, string, string];
      this.world.mountOf(server, mount).roles.set(name, { policies: [text], global: false, type: "client" });
      item.import = `${mount}/role/${name}`;
      this.imported.add(key);
    }
  }

  private setPart(item: Item, number: number, given: { level: number; isSecret: boolean }): void {
    const { parts, hasManyParts } = kindOf(item);
    const part = (hasManyParts ? parts[number % parts.length] : [...item.parts.keys()][0]) as string;
    const changed = { ...item, parts: new Map([...item.parts, [part, { level: 0 }]]) };
    if (this.isFree(changed, item)) item.parts.set(part, this.value(item, part, given));
  }

  /** Turns a role into a set or moves it into the existing set, and a set into roles. */
  private retype(item: Item, adopt: boolean): void {
    if (!isRole(item)) return;
    const rest = this.items.filter((each) => each !== item);
    const set = rest.find(({ kind, place }) => kind === "SchedulerRoles" && place === item.place);
    const made: Item = { ...item, name: this.newName(), aliases: [], adopt: adopt || item.adopt, import: undefined };
    if (item.kind === "SchedulerRoles") {
      this.items = [
        ...rest,
        ...[...item.parts].map((part) => ({ ...made, kind: "SchedulerRole", name: this.newName(), parts: new Map([part]) })),
      ];
    } else if (set) {
      for (const [part, value] of item.parts) set.parts.set(part, value);
      set.adopt ||= adopt;
      this.items = rest;
    } else this.items = [...rest, { ...made, kind: "SchedulerRoles" }];
  }

  private readdress(item: Item, isAliased: boolean, changed: Partial<Pick<Item, "name" | "parent">>): void {
    const before = this.urn(item);
    Object.assign(item, changed);
    item.aliases = isAliased ? [...item.aliases, before].filter((urn) => urn !== this.urn(item)) : [];
  }

  private isFree(item: Item, except?: Item): boolean {
    const taken = new Set(this.items.filter((each) => each !== except).flatMap((each) => objectsOf(each, this.world)));
    return !objectsOf(item, this.world).some((object) => taken.has(object));
  }
}
