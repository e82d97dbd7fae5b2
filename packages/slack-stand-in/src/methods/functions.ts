import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import type { Execution, WorkflowSteps } from '../world/workflow-steps.ts';

type Parts = { manifest: AppManifest; workflowSteps: WorkflowSteps };

const errors = ['function_execution_not_found', 'execution_not_in_running_state'];

/** Ends a workflow step. */
export function createFunctionMethods({ manifest, workflowSteps }: Parts): Method[] {
  const running = (id: string, teamId: string): Execution => {
    const execution = workflowSteps.find(id, teamId);
    if (!execution) throw new ApiError('function_execution_not_found');
    if (execution.status !== 'running') throw new ApiError('execution_not_in_running_state');
    return execution;
  };
  return [
    defineMethod({
      name: 'functions.completeSuccess',
      tier: 3,
      errors: [...errors, 'parameter_validation_failed'],
      args: { function_execution_id: argument.id, outputs: argument.object },
      run: ({ function_execution_id: id, outputs }, { installation }) => {
        const execution = running(id, installation.teamId);
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
      run: ({ function_execution_id: id, error }, { installation }) => {
        workflowSteps.finish(running(id, installation.teamId), { error });
        return {};
      },
    }),
  ];
}
