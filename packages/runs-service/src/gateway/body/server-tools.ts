import type { ModelApi } from '../../environments/models-config.ts';
import { MembersScanner, stringOf } from './members-scanner.ts';

/** Types of tools that run at the provider and reach other hosts. */
const serverTypes: Record<ModelApi, RegExp> = {
  anthropic: /^(web_search|web_fetch|code_execution|mcp_toolset)/,
  openai: /^(web_search|mcp|code_interpreter|file_search|computer|image_generation)/,
  gemini: /^never$/,
};

/** Names of Gemini's tools, which Google accepts in both spellings. */
const geminiTools = new Set([
  ...['google_search', 'google_search_retrieval', 'url_context', 'code_execution', 'google_maps'],
  ...['googleSearch', 'googleSearchRetrieval', 'urlContext', 'codeExecution', 'googleMaps'],
  ...['enterprise_web_search', 'enterpriseWebSearch', 'file_search', 'fileSearch'],
  ...['computer_use', 'computerUse', 'mcp_servers', 'mcpServers'],
]);

const maxItemBytes = 4 * 1024 * 1024;

/**
 * Returns the first tool that runs at the provider. A tool that can't be read is returned too, because a provider could
 * read it in another way.
 */
export function serverToolIn(api: ModelApi, tools: Buffer | undefined): string | undefined {
  const json = tools?.toString('utf8').trim();
  if (tools === undefined || json === 'null') return undefined;
  const items = membersOf(tools, 'array');
  if (!items) return 'tools';
  for (const { value } of items) {
    const members = membersOf(value, 'object');
    const keys = members?.map(({ key }) => key) ?? [];
    if (!members || new Set(keys).size < keys.length) return 'tools';
    if (api === 'gemini') {
      const found = keys.find((key) => geminiTools.has(key));
      if (found !== undefined) return found;
      continue;
    }
    const type = members.find(({ key }) => key === 'type');
    if (!type) continue;
    const name = stringOf(type.value);
    if (name === undefined || serverTypes[api].test(name)) return name ?? 'tools';
    if (isHostedShell(name, members)) return name;
  }
  return undefined;
}

type Values = readonly { key: string; value: Buffer }[];

/** OpenAI's tool `shell` runs in the agent, unless it names a container of OpenAI. */
const isHostedShell = (type: string, members: Values) =>
  type === 'shell' &&
  members.some(({ key, value }) => key === 'environment' && value.includes('container'));

function membersOf(json: Buffer, root: 'object' | 'array') {
  const scanner = new MembersScanner({
    root,
    isWanted: (key) => root === 'array' || key === 'type' || key === 'environment',
    maxValueBytes: maxItemBytes,
  });
  scanner.push(json);
  const read = scanner.end();
  return 'members' in read ? read.members : undefined;
}
