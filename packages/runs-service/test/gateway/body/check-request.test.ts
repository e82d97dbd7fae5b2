import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../../../src/environments/models-config.ts';
import { checkRequest, createRequestScanner } from '../../../src/gateway/body/check-request.ts';
import type { Flavor } from '../../../src/gateway/routes.ts';

/** Checks a body that arrives in two chunks, at every possible cut. All cuts must have the same result. */
function check(text: string | Buffer, request: Request = {}) {
  const { api = 'anthropic', flavor = flavors[api], path, tools = false } = request;
  const body = Buffer.from(text);
  const inPath = path === undefined ? undefined : { model: path, isStream: true };
  const results = Array.from({ length: body.length + 1 }, (_, cut) => {
    const scanner = createRequestScanner();
    const chunks = [body.subarray(0, cut), body.subarray(cut)];
    for (const chunk of chunks) scanner.push(chunk);
    return checkRequest(scanner, chunks, api, { flavor, inPath }, tools);
  });
  const [first] = results;
  for (const result of results) expect(result).toEqual(first);
  return first;
}
type Request = { api?: ModelApi; flavor?: Flavor; path?: string; tools?: boolean };
const flavors = { anthropic: 'messages', openai: 'responses', gemini: 'gemini' } as const;

const problem = { problem: expect.any(String) };

describe('the check of a request body', () => {
  it('reads model and stream, wherever they are, and whatever the messages contain', () => {
    const messages = [
      { content: 'say "model": "other" \\', model: 'x' },
      [1, -2.5e3, null, true, false, 'a\\"b', '\u00e9\u4e2d', {}, []],
    ];
    const body = { messages, stream: true, model: 'claude-opus-5-5', max_tokens: 3 };
    const accepted = {
      model: 'claude-opus-5-5',
      isStream: true,
      streamOptions: undefined,
      maxOutputTokens: 3,
    };
    expect(check(JSON.stringify(body))).toEqual(accepted);
    expect(check(JSON.stringify(body, null, 2))).toEqual(accepted);
    expect(check('{"mod\\u0065l":"a\\u002db"}')).toMatchObject({ model: 'a-b', isStream: false });
  });

  it.each([
    '{"model":"a","model":"b"}',
    '{"model":"a","mod\\u0065l":"b"}',
    '{"model":"a","Model":"b"}',
    '{"model":"a","MODEL":"a"}',
    '{"Model":"a"}',
    '{"model":"a","stream":true,"Stream":false}',
    '{"model":"a","Stream":true}',
    '{"model":"a","stream":"true"}',
    '{"model":["a"]}',
    '{"model":"a b"}',
    '{"model":""}',
    '{"model":null}',
    '{}',
    '[]',
    '["model","a"]',
    '"model"',
    '',
    '{"model":"a"',
    '{"model":"a"}}',
    '{"model":"a"}{"model":"b"}',
    '{"model":"a",}',
    '{"model":"a"/*"*/,"model":"b"}',
    '{"model":"a",\'model\':"b"}',
    '{"model":"a",model:"b"}',
    '{"model":"a","x":[}',
    '{"model":"a","x":[1}]',
    '{"model":"a" "b":1}',
    '{"model":,"a":1}',
    '\ufeff{"model":"a"}',
    Buffer.from('{"model":"a"}', 'utf16le'),
  ])('rejects %s', (text) => {
    expect(check(text)).toEqual(problem);
  });

  it('rejects long keys and many levels', () => {
    expect(check(`{"model":"a","${'k'.repeat(2_000)}":1}`)).toEqual(problem);
    expect(check(`{"model":"a","x":${'['.repeat(600)}${']'.repeat(600)}}`)).toEqual(problem);
  });

  it.each([
    ['background', 'true'],
    ['service_tier', '"priority"'],
    ['service_tier', '"flex"'],
    ['serviceTier', '"priority"'],
    ['service_tier', '"prior\\u0069ty"'],
    ['speed', '"fast"'],
    ['inference_geo', '"us"'],
    ['models', '["b"]'],
    ['fallback', '{"model":"b"}'],
    ['fallbacks', '[{"model":"b"}]'],
    ['preset', '"b"'],
    ['n', '128'],
  ])('rejects a %s of %s, which costs extra or escapes counting', (key, value) => {
    expect(check(`{"model":"a","${key}":${value}}`)).toEqual(problem);
  });

  it.each([
    ['previous_response_id', '"resp_1"'],
    ['previousResponseId', '"resp_1"'],
    ['conversation', '{"id":"conv_1"}'],
    ['conversation', '"conv_1"'],
    ['prompt', '{"id":"pmpt_1"}'],
    ['cachedContent', '"cachedContents/1"'],
    ['cached_content', '"cachedContents/1"'],
  ])('rejects a %s of %s, which refers to data that the provider stores', (key, value) => {
    const { problem: text } = check(`{"model":"a","${key}":${value}}`) as { problem: string };
    expect(text).toMatch(/^"\w+" refers to data stored at the model provider, .* Send /);
  });

  it.each([
    ['background', 'false'],
    ['background', 'null'],
    ['n', '1'],
    ['previous_response_id', 'null'],
    ['conversation', 'null'],
    ['prompt', 'null'],
    ['cachedContent', 'null'],
    ['prompt_cache_key', '"k"'],
    ['service_tier', '"auto"'],
    ['service_tier', ' "standard_only" '],
    ['mcp_servers', '[]'],
    ['container', 'null'],
  ])('accepts a %s of %s', (key, value) => {
    expect(check(`{"model":"a","${key}":${value}}`)).toMatchObject({ model: 'a' });
  });

  it.each<[ModelApi, string]>([
    ['anthropic', '"mcp_servers":[{"url":"https://example.com"}]'],
    ['anthropic', '"container":"c1"'],
    ['anthropic', '"tools":[{"name":"x","input_schema":{}},{"type":"web_search_20250305"}]'],
    ['anthropic', '"tools":[{"type":"web_fetch_20250910","name":"f"}]'],
    ['anthropic', '"tools":[{"type":"code_execution_20250825"}]'],
    ['anthropic', '"tools":[{"type":"custom","ty\\u0070e":"web_search_20250305"}]'],
    ['anthropic', '"tools":[{"type":"web\\u005fsearch_20250305"}]'],
    ['anthropic', '"tools":{"type":"web_search_20250305"}'],
    ['openai', '"tools":[{"type":"web_search"}]'],
    ['openai', '"tools":[{"type":"web_search_preview_2025_03_11"}]'],
    ['openai', '"tools":[{"type":"mcp","server_url":"https://example.com"}]'],
    ['openai', '"tools":[{"type":"code_interpreter"}]'],
    ['openai', '"tools":[{"type":"file_search"}]'],
    ['openai', '"tools":[{"type":"computer_use_preview"}]'],
    ['openai', '"tools":[{"type":"image_generation"}]'],
    ['openai', '"tools":[{"type":"shell","environment":{"type":"container_auto"}}]'],
    ['anthropic', '"tools":[{"type":"advisor_20260301","name":"advisor","model":"b"}]'],
    ['anthropic', '"tools":[{"name":"x","Type":"web_search_20250305"}]'],
    ['anthropic', '"tools":[{"type":"bash_20250124"},{"type":"mcp_toolset"}]'],
    ['anthropic', '"tools":[{"type":"bash_20250124_remote"}]'],
    ['anthropic', '"tools":[{"type":"new_kind_of_tool"}]'],
    ['openai', '"tools":[{"type":"shell","environment":{"type":"cont\\u0061iner_auto"}}]'],
    ['openai', '"tools":[{"type":"shell","environment":{"type":"local","Type":"x"}}]'],
    ['openai', '"tools":[{"type":"openrouter:web_search"}]'],
    ['openai', '"tools":[{"google_search":{}}]'],
    ['openai', '"tools":[{"type":"namespace","tools":[{"type":"function"},{"type":"mcp"}]}]'],
    ['openai', '"tools":[{"type":"namespace","tools":[{"type":"namespace","tools":[]}]}]'],
    ['openai', '"tools":[{"type":"namespace","name":"x"}]'],
    ['openai', '"tools":[{"type":"namespace","tools":[],"Tools":[{"type":"mcp"}]}]'],
    ['openai', '"input":[{"role":"user"},{"type":"additional_tools","tools":[{"type":"mcp"}]}]'],
    ['openai', '"input":[{"type":"tool_search_output","t\\u006fols":[{"type":"mcp"}]}]'],
    ['openai', '"input": [{"tools":[{"type":"namespace","tools":[{"type":"mcp"}]}]}]'],
    ['gemini', '"tools":[{"newKindOfTool":{}}]'],
    ['openai', '"web_search_options":{"search_context_size":"low"}'],
    ['openai', '"plugins":[{"id":"web"}]'],
    ['gemini', '"tools":[{"functionDeclarations":[]},{"google_search":{}}]'],
    ['gemini', '"tools":[{"googleSearch":{}}]'],
    ['gemini', '"tools":[{"url_context":{}}]'],
    ['gemini', '"tools":[{"urlContext":{}}]'],
    ['gemini', '"tools":[{"codeExecution":{}}]'],
    ['gemini', '"tools":[{"google_maps":{}}]'],
    ['gemini', '"tools":[{"google\\u0053earch":{}}]'],
  ])('denies %s tools that run at the provider: %s', (api, member) => {
    const path = api === 'gemini' ? { path: 'g' } : {};
    const body = api === 'gemini' ? `{${member}}` : `{"model":"a",${member}}`;
    expect(check(body, { api, ...path })).toEqual(problem);
    if (!body.includes('\\u0070') && !body.includes('"tools":{'))
      expect(check(body, { api, ...path, tools: true })).not.toEqual(problem);
  });

  it.each<[ModelApi, string]>([
    ['anthropic', '{"name":"web_search","input_schema":{"type":"object"}}'],
    ['anthropic', '{"type":"bash_20250124","name":"bash"}'],
    ['anthropic', '{"type":"custom","name":"advisor"}'],
    ['anthropic', '{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"}'],
    ['anthropic', '{"type":"computer_20251124","name":"computer"}'],
    ['anthropic', '{"type":"memory_20250818","name":"memory"}'],
    ['anthropic', '{"type":"tool_search_tool_regex_20251119","name":"x"}'],
    ['anthropic', '{"type":"tool_search_tool_bm25","name":"x"}'],
    ['openai', '{"type":"function","name":"mcp"}'],
    ['openai', '{"type":"namespace","tools":[{"type":"function"},{"type":"custom"}]}'],
    ['openai', '{"type":"shell","environment":{"type":"local"}}'],
    ['openai', '{"type":"shell","environment":null}'],
    ['openai', '{"type":"local_shell"}'],
    ['openai', '{"type":"apply_patch"}'],
    ['gemini', '{"functionDeclarations":[{"name":"google_search"}]}'],
    ['gemini', '{"function_declarations":[]}'],
    ['openai', '{"type":"tool_search"}'],
    ['openai', '{"type":"shell"}'],
    ['openai', '{"type":"custom","name":"apply_patch"}'],
  ])('accepts tools of %s that run in the agent: %s', (api, tool) => {
    const path = api === 'gemini' ? { path: 'a' } : {};
    expect(check(`{"model":"a","tools":[${tool}]}`, { api, ...path })).toMatchObject({
      model: 'a',
    });
  });

  it.each([
    '"say hi"',
    'null',
    '[]',
    '["text",{"type":"message","content":[{"text":"\\"tools\\":[{\\"type\\":\\"mcp\\"}]"}]}]',
    ' [{"type":"tool_search_output","tools":[{"type":"function","name":"f"}]}]',
  ])('accepts an input of %s', (input) => {
    expect(check(`{"input":${input},"model":"a"}`, { api: 'openai' })).toMatchObject({
      model: 'a',
    });
  });

  it.each<[Flavor, string, number | undefined]>([
    ['messages', '"max_tokens": 32000 ', 32_000],
    ['messages', '"max_output_tokens":1', undefined],
    ['messages', '"MaxTokens":1', undefined],
    ['messages', '"max_tokens":"1"', undefined],
    ['messages', '"max_tokens":1e0', undefined],
    ['messages', '"max_tokens":null', undefined],
    ['responses', '"max_output_tokens":5', 5],
    ['responses', '"max_tokens":1', undefined],
    ['chat', '"max_tokens":7', 7],
    ['chat', '"max_tokens":1,"max_completion_tokens":9', 9],
    ['chat', '"max_tokens":1,"max_completion_tokens":1e9', undefined],
    ['gemini', '"generationConfig":{"temperature":1,"maxOutputTokens":64}', 64],
    ['gemini', '"generation_config":{"max_output_tokens":64}', 64],
    ['gemini', '"generationConfig":{"maxOutputTokens":64,"maxOutputTokens":1}', 64],
    ['gemini', '"generationConfig":[{"maxOutputTokens":1}]', undefined],
    ['gemini', '"maxOutputTokens":1', undefined],
  ])('of %s finds the limit of %s on output tokens', (flavor, member, maxOutputTokens) => {
    const apis = { messages: 'anthropic', responses: 'openai', chat: 'openai' } as const;
    const gemini = { api: 'gemini', flavor, path: 'g' } as const;
    const request = flavor === 'gemini' ? gemini : { api: apis[flavor], flavor };
    const model = flavor === 'gemini' ? '' : '"model":"a",';
    expect(check(`{${model}${member}}`, request)).toMatchObject({ maxOutputTokens });
  });

  it('takes the model of Gemini from the path, and rejects another one in the body', () => {
    const gemini: Request = { api: 'gemini', path: 'gemini-3-pro' };
    const accepted = { model: 'gemini-3-pro', isStream: true, streamOptions: undefined };
    expect(check('{"contents":[]}', gemini)).toEqual(accepted);
    expect(check('{"model":"models/gemini-3-pro"}', gemini)).toEqual(accepted);
    expect(check('{"model":"models/other"}', gemini)).toEqual(problem);
  });
});
