import { answerBlocksValidate } from '../block-kit/blocks-validate.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';

/** Checks Block Kit without sending it. Slack documents no tier for it. */
export const blocksValidateMethod: Method = defineMethod({
  name: 'blocks.validate',
  tier: 3,
  token: 'none',
  errors: ['invalid_blocks', 'invalid_view', 'invalid_message'],
  args: {
    blocks: argument.text.optional(),
    view: argument.text.optional(),
    message: argument.text.optional(),
  },
  run: (args) => {
    const { ok, error, ...details } = { error: '', ...answerBlocksValidate(args) };
    if (!ok) throw new ApiError(error, details);
    return {};
  },
});
