import { RespondError } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { OutdatedViewError } from '../../posting/modals.ts';
import {
  isSlackError,
  rateLimited,
  readSlackFailure,
  SlackUnreachable,
} from '../../posting/slack-failure.ts';
import type { FailureCode } from '../../text/failure.ts';

const lateErrors = new Set(['expired_trigger_id', 'exchanged_trigger_id', 'invalid_trigger_id']);

/** `reason` is for the log: Slack's error code, never the HTML page of a proxy. */
type ListenerFailure = { code: FailureCode; reason: string };

/** Why an answer to a person failed. Failures of Slack and the database aren't bugs of the app. */
export function listenerFailure(error: unknown): ListenerFailure {
  if (error instanceof OutdatedViewError) return { code: 'outdated_view', reason: error.message };
  if (error instanceof StoreUnavailable) {
    const code = error.outcome === 'undone' ? 'store_unavailable' : 'store_unsure';
    return { code, reason: error.message };
  }
  if (error instanceof RespondError) return respondFailure(error.statusCode);
  if (error instanceof SlackUnreachable)
    return { code: 'slack_trouble', reason: `response_url: ${error.message}` };
  if (!isSlackError(error)) return { code: 'unexpected', reason: 'not an error of Slack' };
  const { outcome, reason } = readSlackFailure(error);
  if (lateErrors.has(reason)) return { code: 'too_late', reason };
  if (outcome === 'refused') return { code: 'unexpected', reason };
  return { code: reason === rateLimited ? 'slack_busy' : 'slack_trouble', reason };
}

function respondFailure(status: number): ListenerFailure {
  const reason = `response_url answered ${status}`;
  if (status === 429) return { code: 'slack_busy', reason };
  return { code: status >= 500 ? 'slack_trouble' : 'unexpected', reason };
}
