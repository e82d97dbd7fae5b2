import type { ModelApi } from '../../environments/models-config.ts';
import type { CallRoute } from '../routes.ts';
import { cut } from './include-usage.ts';
import { formOf, type Member, MembersScanner, stringOf } from './members-scanner.ts';
import { maxOutputTokensIn, outputLimits } from './output-limit.ts';
import { serverToolIn, serverToolInInput } from './server-tools.ts';

/** Facts about a request body, or the reason to reject it as a sentence. */
type CheckedRequest = Accepted | Problem;
type Accepted = {
  model: string;
  isStream: boolean;
  streamOptions: Member | undefined;
  /** Limit on output tokens. Undefined if the request names none. */
  maxOutputTokens: number | undefined;
};
type Problem = { problem: string };

/** Members that refer to data stored at the provider, which other runs with the same key share. */
const storedData = ['previous_response_id', 'conversation', 'prompt', 'cached_content'];

/** Keys with values to check. */
const checkedKeys = [
  ...['model', 'stream', 'stream_options', 'tools', 'background', 'service_tier', 'speed'],
  ...['inference_geo', 'mcp_servers', 'container', 'plugins', 'web_search_options'],
  ...['models', 'fallback', 'fallbacks', 'fallback_models', 'preset', 'n'],
  ...storedData,
  ...Object.values(outputLimits).flat(),
];
const checkedForms = new Set(checkedKeys.map(formOf));

/** Max size of tools, which are parsed. Programs send less than 100 KiB. */
const maxValueBytes = 4 * 1024 * 1024;

/** Creates a scanner for request bodies. */
export const createRequestScanner = () =>
  new MembersScanner({
    root: 'object',
    isWanted: (key) => checkedForms.has(formOf(key)),
    maxValueBytes,
  });

/** Values that mean the same as leaving a member out. */
const harmless: Record<string, readonly string[]> = {
  background: ['false'],
  service_tier: ['"auto"', '"default"', '"standard"', '"standard_only"', '"STANDARD"'],
  speed: ['"standard"'],
  inference_geo: ['"global"'],
  // Other models than the one that was checked.
  models: [],
  fallback: [],
  fallbacks: [],
  fallback_models: [],
  preset: [],
  // Several responses to one call.
  n: ['1'],
};
/** Members that let the provider connect to other hosts. */
const reachesOutside = ['mcp_servers', 'container', 'plugins', 'web_search_options'];

/**
 * Checks a request body: one model, nothing that costs extra or escapes counting, and no tools that run at the provider.
 * @param chunks the body, which the scanner has read
 */
export function checkRequest(
  scanner: MembersScanner,
  chunks: readonly Buffer[],
  api: ModelApi,
  { flavor, inPath }: Pick<CallRoute, 'flavor' | 'inPath'>,
  allowsServerTools: boolean,
): CheckedRequest {
  const read = scanner.end();
  if ('problem' in read) return { problem: `The request body ${read.problem}.` };
  const byForm = new Map<string, Member>();
  for (const member of read.members) {
    const form = formOf(member.key);
    if (byForm.has(form)) return { problem: `The request body has "${shown(member.key)}" twice.` };
    byForm.set(form, member);
  }
  const jsonOf = (key: string) => byForm.get(formOf(key))?.value;
  for (const [key, allowed] of Object.entries(harmless)) {
    const json = textOf(jsonOf(key));
    if (json !== undefined && json !== 'null' && !allowed.includes(json))
      return { problem: `The runs service doesn't allow this "${key}" in model calls.` };
  }
  const stored = storedData.find((key) => ![undefined, 'null'].includes(textOf(jsonOf(key))));
  if (stored !== undefined)
    return {
      problem: `"${stored}" refers to data stored at the model provider, which runs can't use. Send the whole conversation in each call.`,
    };
  if (!allowsServerTools) {
    const input = api === 'openai' ? byForm.get(formOf('input')) : undefined;
    const tool =
      reachesOutside.find((key) => isUsed(jsonOf(key))) ??
      serverToolIn(api, jsonOf('tools')) ??
      (input && serverToolInInput(cut(chunks, input.start, input.end)));
    if (tool !== undefined)
      return {
        problem: `"${shown(tool)}" runs at the model provider, and this environment doesn't allow such tools.`,
      };
  }
  const found = modelIn(byForm, inPath);
  if ('problem' in found) return found;
  return { ...found, maxOutputTokens: maxOutputTokensIn(flavor, read.members) };
}

const shown = (text: string) => text.slice(0, 60).replaceAll(/[^\w.-]/g, '?');

const textOf = (json: Buffer | undefined) => json?.toString().trim();

const isUsed = (json: Buffer | undefined) =>
  json !== undefined && !['null', '[]', '{}'].includes(json.toString().trim());

function modelIn(
  byForm: ReadonlyMap<string, Member>,
  inPath: CallRoute['inPath'],
): Omit<Accepted, 'maxOutputTokens'> | Problem {
  const member = byForm.get(formOf('model'));
  const model = member && stringOf(member.value);
  if (inPath) {
    const isSame = !member || model === inPath.model || model === `models/${inPath.model}`;
    if (!isSame) return { problem: 'The request body has another model than the path.' };
    return { ...inPath, streamOptions: undefined };
  }
  if (member?.key !== 'model' || model === undefined || !/^[\x21-\x7e]{1,200}$/.test(model))
    return { problem: 'The request body needs a "model".' };
  const stream = byForm.get(formOf('stream'));
  const isStream = stream?.value.toString().trim();
  if (stream && (stream.key !== 'stream' || !['true', 'false', 'null'].includes(isStream ?? '')))
    return { problem: 'The request body has a "stream" that is neither true nor false.' };
  return {
    model,
    isStream: isStream === 'true',
    streamOptions: byForm.get(formOf('stream_options')),
  };
}
