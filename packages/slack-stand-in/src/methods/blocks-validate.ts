import { isAbsent } from '../block-kit/arguments.ts';
import type { Problem } from '../block-kit/checks/findings.ts';
import { countCodePoints } from '../block-kit/fields.ts';
import { validateMessage } from '../block-kit/validate-message.ts';
import { validateView } from '../block-kit/validate-view.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';

type Fault = { code: 'failed_constraint'; message: string; pointer: string };

type BlocksValidateAnswer =
  | { ok: true }
  | { ok: false; error: string; errors: Fault[] }
  | { ok: false; error: string; response_metadata: { messages: string[] } };

const kinds = ['blocks', 'view', 'message'] as const;
const maxLength = 100_000;

/**
 * Handles the Web API method `blocks.validate`. It needs no token, and accepts JSON text in exactly one of three
 * arguments.
 */
export function answerBlocksValidate(args: Record<string, unknown>): BlocksValidateAnswer {
  const present = kinds.filter((kind) => !isAbsent(args[kind]));
  const [kind] = present;
  if (kind === undefined || present.length > 1) {
    return reject('must provide exactly one of `blocks`, `view`, or `message`');
  }
  const text = args[kind];
  if (typeof text !== 'string') return reject(`${kind} must provide a string`);
  if (countCodePoints(text) > maxLength)
    return reject(`${kind} must be less than 100001 characters`);
  const problems = readProblems(kind, text);
  if (!problems) return reject(`${kind} is not valid JSON`);
  if (problems.length === 0) return { ok: true };
  return { ok: false, error: `invalid_${kind}`, errors: problems.map(toFault(kind)) };
}

function readProblems(kind: (typeof kinds)[number], text: string): Problem[] | undefined {
  const value = parse(text);
  if (value === undefined) return undefined;
  switch (kind) {
    case 'view':
      return validateView(value);
    case 'blocks':
      return validateMessage({ text: 'x', blocks: value }, { method: 'chat.postMessage' });
    case 'message':
      return validateMessage(isObject(value) ? value : {}, { method: 'chat.postMessage' });
  }
}

/**
 * Creates a function that converts a problem to Slack's format. Removes the first segment of the pointer, so that
 * `/blocks/0/text` becomes `/0/text`.
 */
const toFault =
  (kind: string) =>
  ({ phrase, pointer }: Problem): Fault => ({
    code: 'failed_constraint',
    message: phrase,
    pointer: pointer.startsWith(`/${kind}`) ? pointer.slice(kind.length + 1) : pointer,
  });

const reject = (message: string): BlocksValidateAnswer => ({
  ok: false,
  error: 'invalid_arguments',
  response_metadata: { messages: [message] },
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Defines the method that checks Block Kit content without sending it. Slack documents no rate tier for this method.
 */
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
