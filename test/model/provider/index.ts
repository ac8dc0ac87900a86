import { commitStep } from "./commit";
import { deleteAttempt, deleteCommit, deleteShares } from "./deletion";
import { attemptStep, sharesStep } from "./shares";

export const steps = { attemptStep, sharesStep, commitStep, deleteCommit, deleteShares, deleteAttempt };
