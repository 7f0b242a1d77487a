/** Bounds for what tenants register and for its jobs. */

export const MAX_REGISTRATIONS = 100;
/** Tools of all registrations of a tenant. */
export const MAX_TOOLS = 5_000;
/** Characters of JSON: the descriptions that a tenant writes itself, of all its registrations. */
export const MAX_TENANT_DESCRIPTIONS_LENGTH = 1_000_000;
/** Jobs of a tenant that have not ended. */
export const MAX_WAITING_JOBS = 32;
/** Jobs that wait in one process, of all tenants. */
export const MAX_QUEUED_JOBS = 1_000;
/** Ended jobs of a tenant; beyond these, the oldest are deleted. */
export const MAX_ENDED_JOBS = 1_000;
export const JOB_RETENTION_MS = 30 * 24 * 60 * 60_000;
/** Characters of the message of a failed job. */
export const MAX_ERROR_LENGTH = 1_000;

/** Half the time within which a change of another process must be noticed (docs/contract.md#registration). */
export const POLL_MS = 500;
/** How long a job may take, without the time that it waits. */
export const JOB_TIME_MS = 60_000;
/** How long a job waits for its turn on a thread, beside that. */
export const MAX_TURN_WAIT_MS = 5 * 60_000;
/** Refreshes, and changes of `include` and `exclude`, that a process runs at once; one of each tenant. */
export const MAX_RECOMPILATIONS = 4;
/** Searches and tests of a tenant that wait for the one before. */
export const MAX_WAITING_SEARCHES = 4;
/** How often a process gives a sign of life of its jobs. */
export const ALIVE_MS = 5_000;
/** How long a process may be silent before its jobs seem interrupted. After 10 s more without a sign of life, they are. */
export const MAX_JOB_SILENCE_MS = 20_000;

/** Proposals of a tenant; another one replaces the oldest. */
export const MAX_PROPOSALS = 20;
export const PROPOSAL_MS = 60 * 60_000;
/** How long the search for a description and the proposal may take. */
export const PROPOSAL_TIME_MS = 15_000;
/** Calls that test the operations of a tenant's proposals. */
export const PROPOSAL_TESTS_PER_MINUTE = 6;
