import type { AppManifest } from '../manifest.ts';
import type { Readings } from '../readings.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, type Call, defineMethod, type Method } from '../web-api/method.ts';
import { type Execution, stepTokenPrefix, type WorkflowSteps } from '../world/workflow-steps.ts';

const errors = ['access_denied', 'function_execution_not_found', 'execution_not_in_running_state'];

/** Creates the methods that end a workflow step. */
export function createFunctionMethods({
  manifest,
  workflowSteps,
  readings,
}: {
  manifest: AppManifest;
  workflowSteps: WorkflowSteps;
  readings: Pick<Readings, 'needsStepToken'>;
}): Method[] {
  /**
   * Returns the running step if the token may end it. An option decides if the app's own token may, because Slack's
   * documentation doesn't say.
   */
  const running = (id: string, { installation, token = '' }: Call): Execution => {
    const execution = workflowSteps.find(id, installation.teamId);
    if (!execution) throw new ApiError('function_execution_not_found');
    const isOfStep = token.startsWith(stepTokenPrefix);
    if (isOfStep ? token !== execution.token : readings.needsStepToken)
      throw new ApiError('access_denied');
    if (execution.status !== 'running') throw new ApiError('execution_not_in_running_state');
    return execution;
  };
  return [
    defineMethod({
      name: 'functions.completeSuccess',
      tier: 3,
      errors: [...errors, 'parameter_validation_failed'],
      args: { function_execution_id: argument.id, outputs: argument.object },
      run: ({ function_execution_id: id, outputs }, call) => {
        const execution = running(id, call);
        const declared = manifest.functions[execution.callbackId]?.output_parameters ?? {};
        const missing = Object.entries(declared).some(
          ([name, parameter]) => parameter.is_required && outputs[name] === undefined,
        );
        const unknown = Object.keys(outputs).some((name) => !(name in declared));
        if (missing || unknown) throw new ApiError('parameter_validation_failed');
        workflowSteps.finish(execution, { outputs });
        return {};
      },
    }),
    defineMethod({
      name: 'functions.completeError',
      tier: 3,
      errors,
      args: { function_execution_id: argument.id, error: argument.text },
      run: ({ function_execution_id: id, error }, call) => {
        workflowSteps.finish(running(id, call), { error });
        return {};
      },
    }),
  ];
}
