import type { BlockProblem, Validation } from '../message-content.ts';
import type { Problem } from './problems.ts';
import { validateMessage } from './validate-message.ts';
import { validateView } from './validate-view.ts';

/** The Block Kit rules as the Web API's methods ask for them. The length of `text` differs by method: each looks at its own. */
export const blockKitValidation: Validation = {
  message: (payload) =>
    validateMessage({ ...payload, text: 'x' }, { method: 'chat.postMessage' }).map(toBlockProblem),
  view: (view) => validateView(view).map(toBlockProblem),
};

const toBlockProblem = ({ error, phrase, pointer }: Problem): BlockProblem => ({
  code: error,
  message: phrase,
  pointer,
});
