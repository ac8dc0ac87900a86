import { Attack } from "./attack";

export const objects: readonly Attack[] = [
  {
    attack: "Rename without an alias, and a run that fails, is interrupted, is killed or has targets",
    result: "the next `pulumi up` keeps the object for the new resource",
    proofs: [
      ["provider/secrets/ownership", "$type: a rename in one run keeps the object for the new resource"],
      ["provider/platform/ownership", "a workspace whose resource was renamed is not destroyed, in that run or a later one"],
      ["provider/platform/ownership", "a deprecation whose resource was renamed stays until both resources are deleted"],
      ["provider/platform/ownership", "settings whose resource was renamed keep the declared values"],
      ["end-to-end/rename", "a program whose resources are all renamed without an alias"],
      ["histories/found", "a resource renamed without an alias keeps its object: %s"],
    ],
    mutants: [
      "a deletion removes an object that another resource holds",
      "a state without an instance owns the object of another resource",
    ],
  },
  {
    attack: "Rename that is refused, with `--continue-on-error`",
    result: "the deletion of the old resource fails, and its state stays",
    proofs: [
      ["provider/secrets/ownership", "$type: the old resource keeps the object for a new one that stays"],
      ["provider/platform/ownership", "a declared workspace is not destroyed if its new resource was not created"],
      ["end-to-end/rename", "survives a run that rejects each of them under --continue-on-error"],
      ["histories/found", "when the new resource is rejected under --continue-on-error"],
    ],
    mutants: ["the old resource deletes the object after a rejected rename"],
  },
  {
    attack: "Workspace whose new resource was skipped",
    result: "it is not destroyed",
    proofs: [["provider/platform/ownership", "a declared workspace is not destroyed if its new resource was not created"]],
    mutants: [
      "a declared workspace is destroyed if its new resource was skipped",
      "check does not record which objects the program declares",
    ],
  },
  {
    attack: "Roles move into or out of a set",
    result: "no role is lost, in any order",
    proofs: [
      ["provider/secrets/ownership", "moves between roles and sets of roles"],
      ["stories/everything/moves", "roles that move between SchedulerRole and SchedulerRoles"],
      ["end-to-end/rename", "the next run also moves roles into a set"],
    ],
    mutants: ["a deletion removes an object that another resource holds", "a role that this run removed is not in doubt"],
  },
  {
    attack: "Two resources for one object",
    result: "the preview fails and names both; only one creation in a run succeeds",
    proofs: [
      ["stories/everything/duplicates", "%s: the preview rejects it, names the other resource and writes nothing"],
      ["provider/secrets/ownership", "$type: the second creation of the same object in one run fails, also with adopt"],
    ],
    mutants: ["a program can declare an object twice", "two resources create the same object"],
  },
  {
    attack: "Delete-before-replace of an object that another resource took over",
    result: "the other resource writes it again in the same run",
    proofs: [
      ["histories/found", "roles survive a move between SchedulerRole and SchedulerRoles"],
      ["histories/found", "a resource that moves to another mount keeps the old object for the resource that took it over"],
    ],
    mutants: ["a deletion removes an object that another resource holds"],
  },
  {
    attack: "A replacement whose deletion is refused, while another resource holds the object",
    result: "the object stays",
    proofs: [["histories/found", "a role stays if the deletion in its replacement is rejected and another resource holds it"]],
    mutants: ["a resource whose deletion was rejected loses its object to another one"],
  },
  {
    attack: "A set of roles whose creation lost its response, and only its connection is renamed",
    result: "the roles are written",
    proofs: [
      ["histories/found", "a set of roles whose creation lost its response writes its roles, although only its connection was renamed"],
    ],
    mutants: ["a renamed connection ends the doubt about a write"],
  },
  {
    attack: "Renamed settings whose creation lost its response, and a removed attribute",
    result: "the original value is restored",
    proofs: [["histories/found", "renamed settings restore a removed attribute, although the response to the creation was lost"]],
    mutants: ["a failed write forgets a removed attribute", "an attribute that is removed from the program is not restored"],
  },
  {
    attack: "An attribute leaves settings in an update that loses its response, and then only the connection is renamed",
    result: "the attribute is released, and `pulumi destroy` leaves it alone",
    proofs: [
      [
        "provider/platform/settings-faults",
        "an update with an unknown outcome releases a removed attribute, also if only the connection is renamed next",
      ],
    ],
    mutants: [
      "a failed write forgets a removed attribute",
      "an update without a response leaves the old state",
      "a renamed connection ends the doubt about a write",
    ],
  },
  {
    attack: "An object that a run deleted and failed to recreate",
    result: "the next `pulumi up` writes it",
    proofs: [["provider/lifecycle/ownership", "up recreates a role that an earlier run only removed: %s"]],
    mutants: ["a failed update forgets that this run removed the object"],
  },
  {
    attack: "A deletion of a set that fails in part, or a replacement that fails and is reverted",
    result: "the error names each role and asks for a refresh, which shows what is gone",
    proofs: [
      [
        "provider/secrets/scheduler-roles",
        "a deletion that fails in part names each role and says that the state is outdated, and refresh corrects it",
      ],
    ],
    mutants: ["a deletion that failed in part does not say that others were deleted"],
  },
  {
    attack: "A role of an exclusive set that is deleted outside and put back by hand, or listed and then declared",
    result: "`pulumi up` asks for `adopt`, then the set owns it and `pulumi destroy` deletes it",
    proofs: [
      [
        "provider/secrets/scheduler-roles",
        "an exclusive set owns a role again that was deleted, put back by hand and adopted, and destroy deletes it",
      ],
      ["provider/secrets/scheduler-roles", "a listed role that the program then declares with the same attributes belongs to the set"],
    ],
    mutants: ["an undeclared role that refresh found counts as declared", "an update overwrites existing roles without adopt"],
  },
  {
    attack: "A role of an exclusive set that is listed, then declared, and whose write gets no response",
    result: "the set owns it, and `pulumi destroy` deletes it",
    proofs: [
      ["provider/secrets/scheduler-roles", "a listed role that the program declares belongs to the set although its write got no response"],
    ],
    mutants: ["a set does not record which writes got no response", "a listed role that is then declared does not belong to the set"],
  },
  {
    attack: "A replacement of an exclusive set while undeclared roles exist",
    result: "its roles are written again, and a refresh lists the others",
    proofs: [
      [
        "provider/secrets/scheduler-roles",
        "a replaced exclusive set keeps its roles and leaves undeclared ones to the next refresh and update",
      ],
    ],
    mutants: ["a replaced exclusive set fails, with its roles deleted, because of undeclared roles"],
  },
  {
    attack: "A role of a set whose write is lost, and whose next write is rejected while other roles are written",
    result: "the state keeps the doubt, and the next `pulumi up` writes the role",
    proofs: [
      ["provider/lifecycle/half-done", "a role whose lost write is repeated and then rejected stays in doubt, and a later up writes it"],
    ],
    mutants: ["a rejected retry ends the doubt about a role"],
  },
  {
    attack: "A role that a run deleted, and that a set then fails to write while other roles are written",
    result: "the next `pulumi up` writes it",
    proofs: [
      ["provider/secrets/ownership", "a role that its own resource removed, and that the set could not write, is written by the next up"],
    ],
    mutants: ["a role that this run removed is not in doubt"],
  },
  {
    attack: "A deletion whose response is lost",
    result: "the error asks for a refresh",
    proofs: [["faults/matrix-hashicorp"]],
  },
  {
    attack: "An exclusive set and another resource for a role of its mount",
    result: "the preview fails and names both",
    proofs: [
      ["stories/everything/duplicates", "%s: the preview rejects it, names the other resource and writes nothing"],
      ["provider/engine/plugin", "must not declare an exclusive set and a role of its mount"],
    ],
    mutants: ["an exclusive set tolerates another resource for a role of its mount"],
  },
  {
    attack: "A creation and a removal in the same tick",
    result: "the creation waits",
    proofs: [["provider/lifecycle/ownership", "a creation waits for a removal of the same object that started in the same tick"]],
    mutants: ["a creation does not wait for a removal"],
  },
];
