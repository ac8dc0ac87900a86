import { AnyFields, Definition, Fields } from "../../contract/definition";
import { CheckFailure } from "../../contract/errors";
import { ConnectionArgs } from "../../contract/inputs";
import { Operation } from "../../contract/operation";
import { Retry } from "../../http";
import type { Args } from "../../program/resource";

// A page of Terraform Enterprise's settings, such as the SMTP settings, and the inputs and outputs that all pages share.

/** The effect of destroying a settings resource on its attributes: restore their original values, or retain the current ones. */
export type OnDelete = "restore" | "retain";
// `pulumi import` writes `platform.OnDelete.Restore` into a program, not the string.
export const OnDelete = { Restore: "restore", Retain: "retain" } as const;

/** Inputs of every settings resource besides its attributes. An attribute that was never declared keeps its value. */
export interface SettingsInputs extends ConnectionArgs {
  /**
   * The effect of destroying the resource on its attributes. "restore" writes back their original values, and "retain" leaves the current
   * ones. An attribute that is removed from the program is restored in either case. An original value that Terraform Enterprise did not
   * return, such as a password, cannot be restored. If the settings would stay enabled without it, the provider disables them, unless the
   * program declares `enabled`.
   * @change updates only the state
   * @default "restore"
   */
  onDelete?: OnDelete;
}

/** Arguments of every settings resource. */
export interface SettingsArgs extends Args<SettingsInputs> {}

/** Outputs of every settings resource besides its attributes. */
export interface SettingsState {
  /** The sorted names of the attributes that the provider manages. Only these show drift and are restored. */
  managed: string[];
}

/** Attributes by name. Null equals undefined. */
export type Values = Record<string, unknown>;

type Shared = keyof SettingsInputs | keyof SettingsState;

/** The fields of one page of settings. */
export type Attributes<Inputs, Outputs> = Omit<Fields<Inputs, Outputs, Outputs>, Shared>;

export interface SettingsPage {
  /** `GeneralSettings`. */
  type: string;
  displayName: string;
  /** The id of the resource and of its document: `general` of `general-settings`. */
  id: string;
  /** The last segment of the path, if it is not `<id>-settings`. */
  document?(operation: Operation): string;
  attributes: AnyFields;
  /** The attributes that must have a value if settings with these values are enabled. Those that have one are left out later. */
  requiredWhenEnabled?(values: Values): string[];
  /** The attribute that stands for an object of its own. A program may declare each only once, and the settings do not need it beside others. */
  object?: { attribute: string; path(value: string): string; hasOthers(operation: Operation): Promise<boolean> };
  /** The attributes whose change depends on the values on the server, which the state may not show. */
  readBefore?: string[];
  /** True if the server no longer accepts the original value of an attribute. A restore must not make it valid again. */
  isRevoked?(name: string, original: unknown, current: Values): boolean;
  /** The problems of these changes, given the current values. */
  conflicts?(changes: Values, current: Values): CheckFailure[];
  /** A warning about values that remain on the server after a restore. */
  residueWarning?(values: Values): string | undefined;
  /** True if null removes a string, as an empty one does on the other pages. */
  isClearedByNull?: true;
  /** The loss if `enabled` becomes false, with a `DELETE`. Only a program that declares it disables the settings. */
  lostWhenDisabled?: string;
  retry?: Retry;
  /** The meaning of each HTTP status with which Terraform Enterprise reports a failure of the mail server. */
  mailErrors?: Readonly<Record<number, string>>;
}

export interface SettingsPageOf<Inputs, Outputs extends object>
  extends Omit<SettingsPage, "attributes">,
    Pick<Definition<Inputs, Outputs>, "dialects" | "rules"> {
  attributes: Attributes<Inputs, Outputs>;
}
