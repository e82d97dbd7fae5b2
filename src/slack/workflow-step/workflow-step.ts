import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { WorkflowWaits } from '../../store/inbox/workflow-waits.ts';
import type { Settings } from '../../store/people/settings.ts';
import { ownerOf, resolveConfig, runDefaults, scopeWords } from '../configuration/run-defaults.ts';
import { acknowledgeInTime } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { CheckPosting } from '../posting/post-check.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { StartRun } from '../runs/run-start.ts';
import { failureSentence } from '../text/failure.ts';
import { StepFinisher, type StepFinisherParts } from './step-finisher.ts';

type WorkflowStepParts = StepFinisherParts & {
  client: WebClient;
  waits: WorkflowWaits;
  settings: Pick<Settings, 'read'>;
  startRun: StartRun;
  checkPosting: CheckPosting;
  /** Known once the app has started. */
  botUserId(): string;
};

const text = z.string().trim().nullish();
const inputsSchema = z.object({
  prompt: z.string().trim().min(1),
  channel: z.string().min(1),
  environment: text,
  model: text,
  person: text,
  wait: z.boolean().nullish(),
});

/** The step *Run agent* of Workflow Builder. The finisher starts and stops with the app. */
export function registerWorkflowStep(app: Listeners, parts: WorkflowStepParts): StepFinisher {
  const finisher = new StepFinisher(parts);

  app.function(
    'run_agent',
    { autoAcknowledge: false },
    async ({ ack, inputs, fail, event, context }) => {
      const { function_execution_id: executionId } = event;
      let isAcknowledged = false;
      const start = async () => {
        const refusal = await startStep(parts, inputs, {
          executionId,
          teamId: context.teamId ?? '',
        });
        if (refusal) await fail({ error: refusal }).catch(assertGone);
      };
      try {
        await acknowledgeInTime(
          async () => {
            await ack();
            isAcknowledged = true;
          },
          start,
          async () => {},
        );
      } catch (error) {
        // Slack redelivers only unacknowledged steps, so this one would wait forever.
        if (isAcknowledged) await fail({ error: failureSentence('unexpected') });
        throw error;
      }
      finisher.wake();
    },
  );

  return finisher;
}

/** A step that Slack no longer knows needs no answer. @throws what may pass, so that the step is delivered again */
function assertGone(error: unknown): void {
  if (readSlackFailure(error).outcome === 'later') throw error;
}

/** Starts the run of a step, or says why not. It's stored when this returns. */
async function startStep(
  parts: WorkflowStepParts,
  inputs: unknown,
  { executionId, teamId }: { executionId: string; teamId: string },
): Promise<string | undefined> {
  const read = inputsSchema.safeParse(inputs);
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].join(', ');
    return `These inputs are missing or wrong: ${fields}.`;
  }
  const { prompt, channel: channelId, environment, model, person, wait } = read.data;
  const closed = await parts.checkPosting(channelId);
  if (closed) return closed;
  const id = `${teamId}-${executionId}`;
  const creatorId = person || parts.botUserId();
  const asker = { teamId, channelId, userId: creatorId };
  const typed = {
    ...(environment && { environment_id: environment }),
    ...(model && { model_id: model }),
  };
  const layers = await Promise.all(
    (['workspace', 'channel'] as const).map(async (scope) => ({
      origin: scopeWords[scope],
      config: await runDefaults.read(parts.settings, ownerOf(scope, asker)),
    })),
  );
  const { config, fields } = resolveConfig([...layers, { origin: 'workflow', config: typed }]);
  const workflow = { executionId, waits: wait ?? true };
  const origin = { kind: 'workflow' as const, fields, workflow, notify: Boolean(person) };
  const counted = person ? 'The person of this step has' : 'Workflows without a person have';
  const start = { id, teamId, creatorId, channelId, prompt, title: '', config, origin, counted };
  const outcome = await parts.startRun(start);
  if (outcome.outcome === 'refused') return outcome.sentence;
  const waitsFor = workflow.waits ? 'end' : 'beginning';
  await parts.waits.add({ executionId, requestId: id }, waitsFor, Date.now());
  return undefined;
}
