import type { JsonObject } from '../lib/json.ts';
import type { WorkflowStep } from '../manifest.ts';

type Executed = {
  step: WorkflowStep;
  callbackId: string;
  inputs: JsonObject;
  execution: { id: string; token: string };
  ts: string;
};

const createdSeconds = 1_735_689_600;

/**
 * Creates the event that Slack sends after a workflow reached the app's step. The token in the event works until the
 * step ends.
 */
export function functionExecuted(
  appId: string,
  { step, callbackId, inputs, execution, ts }: Executed,
): JsonObject {
  return {
    type: 'function_executed',
    function: {
      id: `Fn${execution.id.slice(2)}`,
      callback_id: callbackId,
      title: step.title,
      description: step.description,
      type: 'app',
      input_parameters: listed(step.input_parameters),
      output_parameters: listed(step.output_parameters),
      app_id: appId,
      date_created: createdSeconds,
      date_updated: createdSeconds,
      date_deleted: 0,
    },
    inputs,
    function_execution_id: execution.id,
    workflow_execution_id: `Wx${execution.id.slice(2)}`,
    event_ts: ts,
    bot_access_token: execution.token,
  };
}

function listed(parameters: WorkflowStep['input_parameters']): JsonObject[] {
  return Object.entries(parameters).map(([name, parameter]) => ({
    type: parameter.type,
    name,
    description: parameter.description ?? '',
    title: parameter.title ?? name,
    is_required: parameter.is_required ?? false,
  }));
}
