// Written by `npm run generate` from the definitions and their comments: change those.

import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";
import { Args, Outputs, registration } from "../../resource";
import { AttemptInputs, AttemptState, rekeyAttempt } from "./attempt";
import { rekeyCommit } from "./commit";
import { rekeyShares } from "./shares";
import { CommitInputs, CommitState, SharesInputs, SharesState } from "./states";

/** @internal */
export interface RekeyAttemptArgs extends Args<AttemptInputs> {}
/** @internal */
export interface RekeyAttempt extends Outputs<AttemptState> {}

/** @internal */
export class RekeyAttempt extends CustomResource {
  constructor(name: string, args: RekeyAttemptArgs, opts?: CustomResourceOptions) {
    super(...registration(rekeyAttempt, name, args, opts));
  }
}

/** @internal */
export interface RekeyCommitArgs extends Args<CommitInputs> {}
/** @internal */
export interface RekeyCommit extends Outputs<CommitState> {}

/** @internal */
export class RekeyCommit extends CustomResource {
  constructor(name: string, args: RekeyCommitArgs, opts?: CustomResourceOptions) {
    super(...registration(rekeyCommit, name, args, opts));
  }
}

/** @internal */
export interface RekeySharesArgs extends Args<SharesInputs> {}
/** @internal */
export interface RekeyShares extends Outputs<SharesState> {}

/** @internal */
export class RekeyShares extends CustomResource {
  constructor(name: string, args: RekeySharesArgs, opts?: CustomResourceOptions) {
    super(...registration(rekeyShares, name, args, opts));
  }
}
