import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { AgentContext, PermissionPolicy } from '../harness.ts';

type Request = Pick<RequestPermissionRequest, 'toolCall' | 'options'>;

/** Returns the policy's decision on a permission request. If it's `ask`, a person decides. */
export function decide({ toolCall }: Request, { mode, tools }: PermissionPolicy) {
  const names = [toolCall.kind, toolCall.name, toolCall.title];
  return names.some((name) => name != null && tools.includes(name)) ? 'allow' : mode;
}

/**
 * Kinds of options to choose for a decision, best first. A `once` option is better, because the agent then asks again
 * and the policy is applied again.
 */
const preference = {
  allow: ['allow_once', 'allow_always'],
  deny: ['reject_once', 'reject_always'],
} as const;

/** Returns the ID of the agent's option for this decision. Undefined if the agent offers none. */
export function chooseOption(options: readonly PermissionOption[], say: 'allow' | 'deny') {
  return preference[say]
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined)?.optionId;
}

type PermissionDeps = Pick<AgentContext, 'permissions' | 'ask' | 'signal'>;

/**
 * Answers a permission request by the environment's policy, or asks a person. Without an answer, the request is
 * denied.
 */
export async function answerPermissionRequest(
  { permissions, ask, signal }: PermissionDeps,
  request: RequestPermissionRequest,
): Promise<RequestPermissionResponse> {
  const { options, toolCall } = request;
  const policy = decide(request, permissions);
  const answer =
    policy === 'ask'
      ? await ask({
          text: `Allow "${toolCall.title ?? toolCall.name ?? 'this tool'}"?`,
          details: detailsOf(toolCall),
          options: options.map(({ optionId, name, kind }) => ({ id: optionId, label: name, kind })),
          acceptsText: false,
        })
      : undefined;
  const optionId =
    answer && 'optionId' in answer
      ? answer.optionId
      : chooseOption(options, policy === 'allow' ? 'allow' : 'deny');
  if (optionId === undefined || signal.aborted) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId } };
}

/** Describes the tool call that needs permission, by its diffs, its command or its input. */
function detailsOf({ rawInput, content }: RequestPermissionRequest['toolCall']): string {
  const diffs = (content ?? []).flatMap((part) =>
    part.type === 'diff'
      ? [[part.path, ...signed('-', part.oldText ?? ''), ...signed('+', part.newText)].join('\n')]
      : [],
  );
  if (diffs.length > 0) return diffs.join('\n\n');
  const command: unknown =
    typeof rawInput === 'object' && rawInput !== null
      ? Reflect.get(rawInput, 'command')
      : undefined;
  if (typeof command === 'string') return command;
  return rawInput === undefined || rawInput === null ? '' : JSON.stringify(rawInput, null, 2);
}

const signed = (sign: string, text: string) =>
  text === '' ? [] : text.split('\n').map((line) => sign + line);
