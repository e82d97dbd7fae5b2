import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Settings } from '../../store/settings.ts';
import type { WorkflowWaits } from '../../store/workflow-waits.ts';
import type { CheckPosting } from '../post-check.ts';
import { readDefaults, resolveConfig, scopeWords } from '../run-defaults.ts';
import type { StartRun } from '../run-start.ts';
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

/** The step *Run agent* of Workflow Builder. The finisher is started and stopped with the app. */
export function registerWorkflowStep(app: App, parts: WorkflowStepParts): StepFinisher {
  const finisher = new StepFinisher(parts);

  app.function(
    'run_agent',
    { autoAcknowledge: false },
    async ({ ack, inputs, fail, event, context }) => {
      const read = inputsSchema.safeParse(inputs);
      // Told before it is acknowledged: what Slack did not hear of it delivers again.
      const refuse = async (error: string) => {
        await fail({ error });
        await ack();
      };
      if (!read.success) {
        const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.')))].join(', ');
        return refuse(`These inputs are missing or not what they should be: ${fields}.`);
      }
      const { prompt, channel: channelId, environment, model, person, wait } = read.data;
      const closed = await parts.checkPosting(channelId);
      if (closed) return refuse(closed);
      const { function_execution_id: executionId } = event;
      const teamId = context.teamId ?? '';
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
          config: await readDefaults(parts.settings, scope, asker),
        })),
      );
      const { config, fields } = resolveConfig([...layers, { origin: 'workflow', config: typed }]);
      const workflow = { executionId, waits: wait ?? true };
      const origin = { kind: 'workflow' as const, fields, workflow, notify: Boolean(person) };
      const counted = person ? 'The person of this step has' : 'Workflows without a person have';
      const start = {
        id,
        teamId,
        creatorId,
        channelId,
        prompt,
        title: '',
        config,
        origin,
        counted,
      };
      const outcome = await parts.startRun(start);
      if (outcome.outcome === 'refused') return refuse(outcome.sentence);
      // Both are in the store before Slack is told: a crash from here on forgets nothing.
      const waitsFor = workflow.waits ? 'end' : 'beginning';
      await parts.waits.add({ executionId, requestId: id }, waitsFor, Date.now());
      await ack();
      finisher.wake();
    },
  );

  return finisher;
}
