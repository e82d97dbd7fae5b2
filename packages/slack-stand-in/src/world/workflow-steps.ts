import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import { type Clock, newId, newSecret } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { functionExecuted } from '../payloads/function-executed.ts';
import type { Readings } from '../readings.ts';
import type { World } from './world.ts';

/** One execution of an app's function (a step in Workflow Builder). */
export type Execution = {
  id: string;
  callbackId: string;
  teamId: string;
  token: string;
  /** Start time in epoch ms. */
  startedAt: number;
  status: 'running' | 'succeeded' | 'failed';
  outputs?: JsonObject;
  error?: string;
};

type WorkflowStepsDeps = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
  readings: Pick<Readings, 'stepTokenMs'>;
};

export const stepTokenPrefix = 'xwfp-';

/** Starts the app's functions, as Workflow Builder does, and stores their outputs or errors. */
export class WorkflowSteps {
  readonly #deps: WorkflowStepsDeps;
  readonly #executions: Execution[] = [];

  constructor(deps: WorkflowStepsDeps) {
    this.#deps = deps;
  }

  /** Runs a step of the manifest. Throws if a required input is missing. */
  async start(callbackId: string, inputs: JsonObject, teamId: string): Promise<Execution> {
    const { world, manifest, clock, events } = this.#deps;
    const step = manifest.functions[callbackId];
    if (!step) throw new Error(`the manifest declares no function "${callbackId}"`);
    for (const [name, { is_required: isRequired }] of Object.entries(step.input_parameters)) {
      if (isRequired && inputs[name] === undefined) throw new Error(`input "${name}" is required`);
    }
    const token = `${stepTokenPrefix}${newSecret()}${newSecret()}`;
    const status = 'running';
    const startedAt = Date.now();
    const execution: Execution = { id: newId('Fx'), callbackId, teamId, token, startedAt, status };
    this.#executions.push(execution);
    const ts = clock.nextTs();
    const event = functionExecuted(world.app.id, { step, callbackId, inputs, execution, ts });
    await events.inTeam(teamId, 'function_executed', event);
    return execution;
  }

  find(id: string, teamId: string): Execution | undefined {
    return this.#executions.find((each) => each.id === id && each.teamId === teamId);
  }

  finish(execution: Execution, result: { outputs: JsonObject } | { error: string }): void {
    Object.assign(execution, result, { status: 'error' in result ? 'failed' : 'succeeded' });
    this.#deps.changes.emit({ type: 'workflow', executionId: execution.id });
  }

  /** Returns the team of a step's token. The token works until the step ends, or for 15 minutes by default. */
  teamOf(token: string): string | undefined {
    const sinceMs = Date.now() - this.#deps.readings.stepTokenMs;
    const isIt = (each: Execution) =>
      each.token === token && each.status === 'running' && each.startedAt > sinceMs;
    return this.#executions.find(isIt)?.teamId;
  }
}
