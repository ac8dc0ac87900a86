export { ActionArgs, ActionInputs, ActionState } from "./action";
export * from "./classes";
export { Module, ModuleVersion } from "./module-version";
export { ListRevokedModuleVersionsOptions, listRevokedModuleVersions } from "./module-version-revocation";
export { GetModuleVersionOptions, getModuleVersion, ListModuleVersionsOptions, listModuleVersions } from "./module-versions";
export { OnDelete, SettingsArgs, SettingsInputs, SettingsState } from "./settings/page";
export { SettingsResult } from "./settings/read";
export { Workspace, WorkspaceInclude } from "./workspace";
export {
  GetWorkspaceOptions,
  getWorkspace,
  ListWorkspacesOptions,
  listWorkspaces,
  WorkspaceList,
  WorkspaceQuery,
  WorkspaceSort,
} from "./workspaces";
