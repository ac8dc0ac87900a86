export { GetAgentMembersOptions, getAgentMembers } from "./agent-members";
export { Consistency } from "./client";
export { Deployment, listDeployments } from "./deployments";
export { Filter, filter, Selector } from "./filter";
export { RegisterJobOptions, registerJob } from "./job-registration";
export { JobStub, listJobs } from "./jobs";
export { List, Page, Query } from "./list";
export { listNodes, NodeStub } from "./nodes";
