import { changedLines, resourceOf, Step } from "./deployment";

// The terminal's output for the steps of an operation, as far as the tests read it.

type Kind = "create" | "update" | "delete" | "replace";

/** The kind under which the command line counts a step; undefined if nothing changes. */
export function kindOf(step: Step): Kind | undefined {
  if (step.kind === "refresh") return step.new ? "update" : "delete";
  if (step.kind === "create") return step.old && !step.old.external ? "replace" : "create";
  if (step.kind === "delete") return step.isReplaced || step.old.delete || step.old.external ? undefined : "delete";
  return step.kind === "update" ? "update" : undefined;
}

/** The first line of a resource in `--diff`. The engine has several forms for that of a refresh. */
export function headingOf(step: Step): string[] {
  if (step.kind === "refresh") return [];
  const kind = kindOf(step);
  return kind && kind !== "replace" ? [`${signs[kind]}${resourceOf(step).type}: (${kind})`] : [];
}

export function changesOf(step: Step): string[] {
  const { old, new: fresh } = step;
  if (!old || !fresh || fresh.isComponent) return [];
  if (step.kind === "refresh") return changedLines(old.outputs, fresh.outputs);
  return step.kind === "update" || step.kind === "create" ? changedLines(old.inputs, fresh.inputs) : [];
}

const signs: Record<Kind, string> = { create: "+ ", update: "~ ", delete: "- ", replace: "+-" };
const done: Record<Kind, string> = { create: "created", update: "updated", delete: "deleted", replace: "replaced" };

/** The operations, and the words for their counts. */
export const words = {
  up: done,
  preview: { create: "to create", update: "to update", delete: "to delete", replace: "to replace" },
  refresh: done,
  destroy: done,
} satisfies Record<string, Record<Kind, string>>;

export function counted(performed: readonly Step[], operation: keyof typeof words): string[] {
  const kinds = performed.filter((step) => !resourceOf(step).isComponent).map(kindOf);
  return (Object.keys(signs) as Kind[]).flatMap((kind) => {
    const count = kinds.filter((each) => each === kind).length;
    return count > 0 ? [`    ${signs[kind]}${count} ${words[operation][kind]}`] : [];
  });
}
