import type { ServiceEnvironment } from '../environments/environments.ts';
import type { AgentModels, AgentProvider } from '../harnesses/model-input.ts';
import { modelPort } from '../sandbox/network/relay.ts';
import type { ExecutedRun } from '../store/runs.ts';
import type { RunClock } from './run-clock.ts';

/** Place where agents reach the gateway: a folder with a Unix socket named `socket`, or a port of 127.0.0.1. */
export type ModelAddress = { folder: string } | { port: number };

/** Open access of one run to its models. */
export type OpenModels = {
  /** Token that the agent sends instead of a key. It works only for this run, and only at this address. */
  token: string;
  address: ModelAddress;
  /** Providers of the environment. `allowed` contains only models that the run can use. */
  providers: readonly AgentProvider[];
  /** Aborts when the run must end because of its spending. The reason is a sentence for people. */
  stopped: AbortSignal;
  /**
   * Returns the sentence of `stopped` as soon as calls are rejected because of the run's spending, and undefined before.
   * The agent gets some time to end before `stopped` aborts.
   */
  stopReason(): string | undefined;
  /** Ends the access. When this resolves, no call of the run is in progress. */
  close(): Promise<void>;
};

/**
 * Opens the access of a run to the models of its environment. On the service's machine, the gateway answers. On another
 * machine, `run-one` passes calls on to the service.
 */
export type OpenModelAccess = (request: {
  run: Pick<ExecutedRun, 'id'>;
  environment: ServiceEnvironment;
  /** Clock of the run, which is paused while a call waits for a person. */
  clock: Pick<RunClock, 'pause' | 'resume'>;
  /** `socket` for sandboxes with their own network, `port` for agents that share the machine's network. */
  listenOn: 'socket' | 'port';
  signal: AbortSignal;
}) => Promise<OpenModels>;

/** Returns the models as the agent reaches them. A sandbox with a socket has its own port for the gateway. */
export const agentModels = ({ address, providers, token }: OpenModels): AgentModels => ({
  address: `http://127.0.0.1:${'port' in address ? address.port : modelPort}`,
  providers,
  token,
});
