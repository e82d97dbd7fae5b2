import type { StoredRun } from '../../store/runs.ts';
import { isSharedKey } from '../../store/spend-cap.ts';
import { readSpendRequest } from '../../store/spend-request.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { keyUidOf } from './visible-runs.ts';

/**
 * Checks that the caller can decide if a run spends more than a cap. Caps of a request are decided with the key that
 * sent the request, and caps of the environments file with a key that acts on everyone's runs. A key that acts only on its
 * owner's runs raises no counter that others use.
 * @throws ApiProblem that says who can decide
 */
export function assertCanDecide(
  caller: KeyOwner,
  run: Pick<StoredRun, 'key_uid'>,
  spendJson: string,
): void {
  const { cap } = readSpendRequest(spendJson);
  if (cap.setBy === 'operator') {
    if (caller.role === 'all') return;
    throw new ApiProblem(
      'not_authorized',
      'This cap is in the environments file, so only API keys with the role "all" can answer. Ask the operator of the runs service to answer.',
    );
  }
  const owner = run.key_uid.slice(run.key_uid.indexOf(' ') + 1);
  if (caller.role !== 'read' && keyUidOf(caller) === run.key_uid) {
    if (caller.role === 'all' || !isSharedKey(cap)) return;
    throw new ApiProblem(
      'not_authorized',
      `This cap applies to other callers too, so only API keys of "${owner}" with the role "all" can answer. Ask its owner to answer.`,
    );
  }
  throw new ApiProblem(
    'not_authorized',
    `This cap was set by the caller that started the run, so only the API keys of "${owner}" can answer. Ask its owner to answer.`,
  );
}

/** Thrown for an answer in a form, because a page can't check who can allow more. */
export const answeredElsewhere = new ApiProblem(
  'not_authorized',
  "Your answer wasn't used: answer this question in Slack, or through the API.",
);
