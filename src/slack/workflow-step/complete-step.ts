import type {
  FunctionsCompleteErrorArguments,
  FunctionsCompleteSuccessArguments,
  WebClient,
} from '@slack/web-api';
import type { Logger } from 'base/logger';
import { z } from 'zod';
import type { Inbox, InboxOutcome } from '../../inbox/inbox.ts';
import { logWaiting } from '../../outbox/post-once.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { postOnce } from '../posting/post-message.ts';
import { readSlackFailure, type SlackFailure } from '../posting/slack-failure.ts';
import { code, escapeText } from '../text/escape-text.ts';
import type { StepResult } from './step-result.ts';

type Later = Extract<SlackFailure, { outcome: 'later' }>;
type Completion = Exclude<StepResult, { outcome: 'waiting' }>;
type Client = {
  functions: {
    completeSuccess(call: FunctionsCompleteSuccessArguments): Promise<unknown>;
    completeError(call: FunctionsCompleteErrorArguments): Promise<unknown>;
  };
};

/** Workflow step to complete. Slack sent the `token` with the step. */
type Step = { executionId: string; token?: string | undefined };

/** Outcome of completing a step. `rejectedWith` is Slack's error code, after which the workflow can't continue. */
type Completed = InboxOutcome | { rejectedWith: string };

export type CompleteStep = (step: Step, result: Completion) => Promise<Completed>;

/** Min wait between attempts while Slack can't be reached, in ms. */
const retryMs = 5_000;

/** Slack's errors for a step that has already ended. */
const over: readonly string[] = ['function_execution_not_found', 'execution_not_in_running_state'];

/**
 * Creates the function that sends the result of a step to Slack. Slack rejects a second completion, which does no harm.
 * The step's own token works for 15 minutes, and runs take longer. So it's used only if Slack denies access to the
 * app's token.
 * @param clientWith creates a client for another token than the app's own
 */
export function createStepCompleter(deps: {
  client: Client;
  clientWith(token: string): Client;
  logger: Logger;
}): CompleteStep {
  const { client, clientWith, logger } = deps;
  /** Time until which Slack rejects every step, in epoch ms. */
  let notBefore = 0;

  async function wait(failure: Later, executionId: string): Promise<InboxOutcome> {
    logWaiting(logger, failure, { executionId }, 'completing a workflow step waits for Slack');
    const againAt = Date.now() + Math.max(failure.retryAfterMs, retryMs);
    if (blocksAllSteps(failure)) notBefore = againAt;
    return { againAt };
  }

  return async ({ executionId, token }, result) => {
    if (Date.now() < notBefore) return { againAt: notBefore };
    const failure = await send(client, executionId, result);
    if (!failure) return 'done';
    if (failure.outcome === 'later') return wait(failure, executionId);
    const { reason } = failure;
    const isOver = over.includes(reason);
    const other =
      token === undefined || isOver ? failure : await send(clientWith(token), executionId, result);
    if (!other) return 'done';
    // Don't wait if Slack rejects the step's token (`isQuiet`), because no admin can fix that.
    if (other.outcome === 'later' && !other.isQuiet) return wait(other, executionId);
    logger.warn({ executionId, reason }, 'Slack rejected the result of a workflow step');
    return isOver ? 'done' : { rejectedWith: reason };
  };
}

async function send(
  { functions }: Client,
  executionId: string,
  result: Completion,
): Promise<SlackFailure | undefined> {
  const step = { function_execution_id: executionId };
  try {
    await (result.outcome === 'succeeded'
      ? functions.completeSuccess({ ...step, outputs: result.outputs })
      : functions.completeError({ ...step, error: result.reason }));
    return undefined;
  } catch (error) {
    return readSlackFailure(error);
  }
}

/** Returns true if every step would fail now, because of access, rate limits or the network. */
const blocksAllSteps = ({ isUndone, retryAfterMs }: Later): boolean =>
  isUndone === true || retryAfterMs < retryMs;

const storedSchema = z.object({ requestId: z.string(), text: z.string(), sinceMs: z.number() });

/** Wait between attempts until the run message exists, in ms. */
const againInMs = 5_000;

/** Max wait for the run message, in ms. If it isn't posted by then, it won't be. */
const longestWaitMs = 60 * 60_000;

/**
 * Posts in a run's thread that its workflow can't continue.
 * @param reason Slack's error code
 */
export type NoteStuckWorkflow = (request: RunRequest, reason: string) => Promise<void>;

/** Creates the function that posts in a run's thread that its workflow can't continue. */
export function createStuckWorkflowNotes(deps: {
  inbox: Pick<Inbox, 'register'>;
  client: WebClient;
  outbox: Pick<Outbox, 'findMessage'>;
}): NoteStuckWorkflow {
  const { inbox, client, outbox } = deps;
  const notes = inbox.register('workflow-stuck', {
    schema: storedSchema,
    async handle({ requestId, text, sinceMs }) {
      const message = await outbox.findMessage(requestId);
      if (!message) {
        const isLate = Date.now() - sinceMs > longestWaitMs;
        return isLate ? 'done' : { againAt: Date.now() + againInMs };
      }
      const mark = { event_type: 'slash_agent_step', event_payload: { request_id: requestId } };
      const to = { channel: message.channelId, thread_ts: message.ts };
      try {
        await postOnce(client, to, { mark, text }, sinceMs);
      } catch (error) {
        if (readSlackFailure(error).outcome === 'later') throw error;
      }
      return 'done';
    },
  });
  return async (request, reason) => {
    const { id: requestId } = request;
    await notes.add(requestId, {
      requestId,
      text: stuckText(request, reason),
      sinceMs: Date.now(),
    });
  };
}

function stuckText({ origin, creatorId }: RunRequest, reason: string): string {
  const { name, hasPerson = false } = origin?.workflow ?? {};
  const workflow = name ? `workflow *${escapeText(name, 100)}*` : 'workflow';
  const who = hasPerson ? ` <@${creatorId}>` : '';
  return `⚠️ The ${workflow} can't continue: Slack rejected the result of this run (${code(reason, 100)}). Do its next steps by hand.${who}`;
}
