import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';

export type PermissionPolicy = {
  /** Answer to an agent that asks before it uses a tool. */
  mode: 'allow' | 'ask' | 'deny';
  /** Tools that are always allowed, by kind (`read`, `edit`, `execute`), name or title. */
  tools: readonly string[];
};

type Request = Pick<RequestPermissionRequest, 'toolCall' | 'options'>;

/** Returns the policy's answer to a request. It's `ask` if a person decides. */
export function decide({ toolCall }: Request, { mode, tools }: PermissionPolicy) {
  const names = [toolCall.kind, toolCall.name, toolCall.title];
  return names.some((name) => name != null && tools.includes(name)) ? 'allow' : mode;
}

/** Once rather than always, so that the agent asks again and the policy stays in charge. */
const preference = {
  allow: ['allow_once', 'allow_always'],
  deny: ['reject_once', 'reject_always'],
} as const;

/** The option of the agent that says so; undefined if it offers none. */
export function chooseOption(options: readonly PermissionOption[], say: 'allow' | 'deny') {
  return preference[say]
    .map((kind) => options.find((option) => option.kind === kind))
    .find((option) => option !== undefined)?.optionId;
}
