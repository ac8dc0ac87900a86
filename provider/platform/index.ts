export { ActionArgs, ActionInputs, ActionState } from "./action";
export * from "./classes";
export { ListRevokedModuleVersionsOptions, listRevokedModuleVersions } from "./module-version-revocation";
export {
  GetModuleVersionOptions,
  getModuleVersion,
  ListModuleVersionsOptions,
  listModuleVersions,
  Module,
  ModuleVersion,
} from "./module-versions";
export { OnDelete, SettingsArgs, SettingsInputs, SettingsState } from "./settings/page";
export { SettingsResult } from "./settings/read";
export {
  GetWorkspaceOptions,
  getWorkspace,
  ListWorkspacesOptions,
  listWorkspaces,
  Workspace,
  WorkspaceInclude,
  WorkspaceList,
  WorkspaceQuery,
  WorkspaceSort,
} from "./workspaces";
