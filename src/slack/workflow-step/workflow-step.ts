import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { readableLine } from 'base/readable-text';
import { z } from 'zod';
import type { Handled, Inbox } from '../../inbox/inbox.ts';
import { sharedAuthority } from '../../requests/authority.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { readDefaultLayers, resolveConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import type { StartRun } from '../runs/acting/run-start.ts';
import { failureSentence } from '../text/failure.ts';
import { createStepCompleter } from './complete-step.ts';
import { stepResult } from './step-result.ts';
import { createWorkflowTeller } from './tell-workflow.ts';

type WorkflowStepParts = {
  client: WebClient;
  /** A client that uses another token than the app's own. */
  clientWith(token: string): WebClient;
  outbox: Pick<Outbox, 'findMessage'>;
  inbox: Pick<Inbox, 'register'>;
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'readLayers'>;
  startRun: StartRun;
  checkPosting: CheckPosting;
  /** Known once the app has started. */
  botUserId(): string;
  logger: Logger;
};

const text = z.string().trim().nullish();
const inputsSchema = z.object({
  prompt: z.string().trim().min(1),
  channel: z.string().min(1),
  environment: text,
  model: text,
  person: text,
  workflow: text,
  wait: z.boolean().nullish(),
});

const stepSchema = z.object({
  executionId: z.string(),
  teamId: z.string(),
  inputs: z.record(z.string(), z.unknown()),
  /** Works for 15 minutes or until the step ends. Like all content of the inbox, it's encrypted, and forgotten afterwards. */
  token: z.string().optional(),
});
type Step = z.infer<typeof stepSchema>;

/** The step *Run agent* of Workflow Builder: starts a run, and completes the step when the run has come so far. */
export function registerWorkflowStep(app: Listeners, parts: WorkflowStepParts): void {
  const complete = createStepCompleter(parts);
  const tellWorkflow = createWorkflowTeller(parts);
  const requestIdOf = ({ teamId, executionId }: Step) => `${teamId}-${executionId}`;

  async function end(step: Step, result: Parameters<typeof complete>[1]): Promise<Handled> {
    const completed = await complete(step, result);
    if (typeof completed === 'string' || !('refused' in completed)) return completed;
    const request = await parts.requests.find(requestIdOf(step));
    if (request) await tellWorkflow(request, completed.refused);
    return 'done';
  }
  const fail = (step: Step, reason: string) => end(step, { outcome: 'failed', reason });

  const steps = parts.inbox.register('workflow-step', {
    schema: stepSchema,
    async handle(step) {
      const requestId = requestIdOf(step);
      const request = await parts.requests.find(requestId);
      if (!request) {
        const refusal = await startStep(parts, step, requestId);
        if (refusal) return fail(step, refusal);
      }
      const waits = step.inputs['wait'] !== false;
      const result = request ? stepResult(request, waits) : waiting;
      if (result.outcome !== 'waiting') return end(step, result);
      return { waitsFor: { requestId, until: waits ? 'end' : 'run' } };
    },
    async giveUp(step) {
      await fail(step, failureSentence('unexpected'));
    },
  });

  app.function('run_agent', async ({ ack, inputs, event, context: { teamId = '' } }) => {
    const { function_execution_id: executionId, bot_access_token: token } = event;
    await steps.add(executionId, { executionId, teamId, inputs, token });
    await ack();
  });
}

const waiting = { outcome: 'waiting' } as const;

/** Starts the run of a step, or says why not. */
async function startStep(
  parts: WorkflowStepParts,
  { inputs, executionId, teamId }: Step,
  id: string,
): Promise<string | undefined> {
  const read = inputsSchema.safeParse(inputs);
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].join(', ');
    return `These inputs are missing or wrong: ${fields}.`;
  }
  const { prompt, channel: channelId, environment, model, person, wait } = read.data;
  const name = read.data.workflow ? readableLine(read.data.workflow) : undefined;
  const closed = await parts.checkPosting(channelId);
  if (closed) return closed;
  const typed = {
    ...(environment && { environment_id: environment }),
    ...(model && { model_id: model }),
  };
  // A person's own defaults are for what they start themselves.
  const layers = await readDefaultLayers(parts.settings, { teamId, channelId, userId: '' });
  const { config, fields } = resolveConfig([...layers, { origin: 'workflow', config: typed }]);
  const workflow = { executionId, waits: wait ?? true, name, hasPerson: Boolean(person) };
  const origin = { kind: 'workflow' as const, fields, workflow, notify: Boolean(person) };
  const authority = sharedAuthority(parts.botUserId());
  const start = { id, teamId, authority, channelId, prompt, title: '', config, origin };
  const outcome = await parts.startRun({ ...start, workflow: { personId: person || undefined } });
  return outcome.outcome === 'refused' ? outcome.sentence : undefined;
}
