import { readableLine } from 'base/readable-text';
import { z } from 'zod';
import type { Inbox, InboxOutcome } from '../../inbox/inbox.ts';
import { sharedAuthority } from '../../requests/authority.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { readDefaultLayers, resolveConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import type { StartRun } from '../runs/acting/run-start.ts';
import { failureSentence } from '../text/failure.ts';
import type { CompleteStep, NoteStuckWorkflow } from './complete-step.ts';
import { stepResult } from './step-result.ts';

type Deps = {
  inbox: Inbox;
  requests: Requests;
  settings: Settings;
  startRun: StartRun;
  checkPosting: CheckPosting;
  completeStep: CompleteStep;
  noteStuckWorkflow: NoteStuckWorkflow;
  /** Returns the ID of the app's user. Call it only after the app has started. */
  botUserId(): string;
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
  /** Slack token, valid for 15 minutes or until the step ends. The inbox encrypts it, and deletes it after the step. */
  token: z.string().optional(),
});
type Step = z.infer<typeof stepSchema>;

/** Registers the Workflow Builder step *Run agent*. The step ends when its run has started or ended, as configured. */
export function registerWorkflowStep(app: Listeners, deps: Deps): void {
  const { inbox, requests, completeStep, noteStuckWorkflow } = deps;
  const requestIdOf = ({ teamId, executionId }: Step) => `${teamId}-${executionId}`;

  async function end(step: Step, result: Parameters<CompleteStep>[1]): Promise<InboxOutcome> {
    const completed = await completeStep(step, result);
    if (typeof completed === 'string' || !('rejectedWith' in completed)) return completed;
    const request = await requests.find(requestIdOf(step));
    if (request) await noteStuckWorkflow(request, completed.rejectedWith);
    return 'done';
  }
  const fail = (step: Step, reason: string) => end(step, { outcome: 'failed', reason });

  const steps = inbox.register('workflow-step', {
    schema: stepSchema,
    async handle(step) {
      const requestId = requestIdOf(step);
      const request = await requests.find(requestId);
      if (!request) {
        const denial = await startStep(deps, step, requestId);
        if (denial) return fail(step, denial);
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

/** Starts a step's run. Returns a reason if the run can't be started. */
async function startStep(
  { settings, startRun, checkPosting, botUserId }: Deps,
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
  const closed = await checkPosting(channelId);
  if (closed) return closed;
  const typed = {
    ...(environment && { environment_id: environment }),
    ...(model && { model_id: model }),
  };
  // Leave out the person's own defaults, which apply only to runs that they start themselves.
  const layers = await readDefaultLayers(settings, { teamId, channelId, userId: '' });
  const { config, fields } = resolveConfig([...layers, { origin: 'workflow', config: typed }]);
  const workflow = { executionId, waits: wait ?? true, name, hasPerson: Boolean(person) };
  const origin = { kind: 'workflow' as const, fields, workflow, notify: Boolean(person) };
  const authority = sharedAuthority(botUserId());
  const start = { id, teamId, authority, channelId, prompt, title: '', config, origin };
  const outcome = await startRun({ ...start, workflow: { personId: person || undefined } });
  return outcome.outcome === 'rejected' ? outcome.sentence : undefined;
}
