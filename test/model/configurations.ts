import { Settings } from "./server";
import { Budget } from "./state";

export interface Configuration {
  settings: Settings;
  /** For each change, and for each night. */
  small: Partial<Budget>;
  large: Partial<Budget>;
}

const operator: Settings = { holders: false, openBao: false, backup: false, verification: true, from: 1, to: 1 };
const holders: Settings = { ...operator, holders: true, to: 2 };

export const configurations: readonly Configuration[] = [
  { settings: operator, small: { faults: 2, others: 1 }, large: { faults: 2, others: 2, changes: 1 } },
  { settings: { ...operator, to: 2 }, small: { faults: 1, others: 2 }, large: { faults: 2, others: 2 } },
  {
    settings: { ...operator, to: 2 },
    small: { faults: 1, others: 1, changes: 1, deletions: 1 },
    large: { faults: 2, others: 1, changes: 1, deletions: 1 },
  },
  { settings: { ...operator, from: 2 }, small: { faults: 1, others: 1, changes: 1 }, large: { faults: 2, others: 1, changes: 1 } },
  { settings: { ...operator, openBao: true }, small: { faults: 2, others: 1 }, large: { faults: 2, others: 2 } },
  { settings: holders, small: { faults: 1, others: 1 }, large: { faults: 2, others: 1 } },
  { settings: holders, small: { faults: 1, changes: 1, deletions: 1 }, large: { faults: 1, others: 1, changes: 1, deletions: 1 } },
  { settings: { ...holders, from: 2 }, small: { faults: 1, mistakes: 2 }, large: { faults: 1, others: 1, mistakes: 2 } },
  { settings: { ...holders, openBao: true }, small: { faults: 1, others: 1 }, large: { faults: 1, others: 2 } },
  { settings: { ...holders, backup: true }, small: { faults: 1, others: 1 }, large: { faults: 2, others: 1 } },
  {
    settings: { ...holders, backup: true, verification: false },
    small: { faults: 1, changes: 1 },
    large: { faults: 1, others: 1, changes: 1 },
  },
  { settings: { ...holders, to: 3 }, small: { faults: 1 }, large: { faults: 1, others: 1 } },
];
