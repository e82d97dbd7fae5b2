import type { ModelApi } from '../../environments/models-config.ts';
import { formOf, MembersScanner, stringOf } from './members-scanner.ts';

/** Types of tools that run in the agent, or that only search in the request's own tools. All others are denied. */
const agentTypes = {
  anthropic:
    /^(custom|(bash|text_editor|computer|memory)_\d{8}|tool_search_tool_(regex|bm25)(_\d{8})?)$/,
  openai: /^(function|custom|local_shell|shell|apply_patch|tool_search|namespace)$/,
};
const typesInNamespace = /^(function|custom)$/;

/** The only kind of tools of Gemini that runs in the agent. Google accepts both spellings. */
const geminiFunctions = new Set(['functionDeclarations', 'function_declarations']);

/** Max size of tools, and of each item of `input`, in bytes. */
const maxItemBytes = 4 * 1024 * 1024;
const maxInputItemBytes = 64 * 1024 * 1024;

/**
 * Returns the first tool that runs at the provider. A tool that can't be read is returned too, because a provider could
 * read it in another way.
 */
export function serverToolIn(api: ModelApi, tools: Buffer | undefined): string | undefined {
  const json = tools?.toString('utf8').trim();
  if (tools === undefined || json === 'null') return undefined;
  const items = membersOf([tools], 'array', () => true);
  if (!items) return 'tools';
  for (const { value } of items) {
    const found = api === 'gemini' ? geminiToolIn(value) : toolIn(value, api, agentTypes[api]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the first tool that runs at the provider in the items of a request to OpenAI. Items can add tools to those of
 * the request, for example the results of `tool_search`.
 * @param input JSON of the member `input`
 */
export function serverToolInInput(input: readonly Buffer[]): string | undefined {
  const first = input.find(({ length }) => length > 0)?.[0];
  if (first !== '['.charCodeAt(0)) return undefined;
  const items = membersOf(input, 'array', () => true, maxInputItemBytes);
  if (!items) return 'input';
  for (const { value } of items) {
    const members = membersOf([value], 'object', (key) => formOf(key) === formOf('tools'));
    if (!members) continue;
    for (const { key, value: tools } of members) {
      const found = formOf(key) === formOf('tools') ? serverToolIn('openai', tools) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function geminiToolIn(tool: Buffer): string | undefined {
  const members = membersOf([tool], 'object', () => false);
  if (!members) return 'tools';
  return members.find(({ key }) => !geminiFunctions.has(key))?.key;
}

const readKeys = new Set(['type', 'environment', 'tools'].map(formOf));

/** Returns the type of a tool that doesn't run in the agent. */
function toolIn(tool: Buffer, api: 'anthropic' | 'openai', types: RegExp): string | undefined {
  const members = membersOf([tool], 'object', (key) => readKeys.has(formOf(key)));
  const byForm = new Map(members?.map(({ key, value }) => [formOf(key), value]));
  if (!members || byForm.size < members.length) return 'tools';
  const json = byForm.get(formOf('type'));
  if (json === undefined) return api === 'anthropic' ? undefined : 'tools';
  const type = stringOf(json);
  if (type === undefined || !types.test(type)) return type ?? 'tools';
  if (api === 'anthropic') return undefined;
  if (type === 'shell' && !runsInAgent(byForm.get(formOf('environment')))) return type;
  if (type !== 'namespace') return undefined;
  const nested = byForm.get(formOf('tools'));
  const items = nested && membersOf([nested], 'array', () => true);
  if (!items) return type;
  for (const { value } of items) {
    const found = toolIn(value, api, typesInNamespace);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** OpenAI's tool `shell` runs in the agent, unless its environment is a container of OpenAI. */
function runsInAgent(environment: Buffer | undefined): boolean {
  if (environment === undefined || environment.toString().trim() === 'null') return true;
  const members = membersOf([environment], 'object', () => true);
  const types = members?.filter(({ key }) => formOf(key) === formOf('type')) ?? [];
  const [type] = types;
  return types.length === 1 && type !== undefined && stringOf(type.value) === 'local';
}

function membersOf(
  json: readonly Buffer[],
  root: 'object' | 'array',
  isWanted: (key: string) => boolean,
  maxValueBytes = maxItemBytes,
) {
  const scanner = new MembersScanner({ root, isWanted, maxValueBytes });
  for (const chunk of json) scanner.push(chunk);
  const read = scanner.end();
  return 'members' in read ? read.members : undefined;
}
