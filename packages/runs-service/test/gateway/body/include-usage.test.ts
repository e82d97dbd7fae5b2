import { expect, it } from 'vitest';
import { checkRequest, createRequestScanner } from '../../../src/gateway/body/check-request.ts';
import { withIncludedUsage } from '../../../src/gateway/body/include-usage.ts';

function changed(text: string, cut: number): string | undefined {
  const chunks = [Buffer.from(text).subarray(0, cut), Buffer.from(text).subarray(cut)];
  const scanner = createRequestScanner();
  for (const chunk of chunks) scanner.push(chunk);
  const checked = checkRequest(
    scanner,
    chunks,
    'openai',
    { flavor: 'chat', inPath: undefined },
    false,
  );
  if ('problem' in checked) throw new Error(checked.problem);
  const all = withIncludedUsage(chunks, checked.streamOptions);
  return all && Buffer.concat(all).toString();
}

const option = '"stream_options":{"include_usage":true}';

it.each([
  ['{"model":"a","stream":true}', `{${option},"model":"a","stream":true}`],
  [' {"model":"a"} ', ` {${option},"model":"a"} `],
  ['{"stream_options":null,"model":"a"}', `{${option},"model":"a"}`],
  [`{"model":"a",${option}}`, undefined],
  [
    '{"model":"a","stream_options":{"x":1}}',
    '{"model":"a","stream_options":{"x":1,"include_usage":true}}',
  ],
])('requests usage in %s', (text, expected) => {
  for (let cut = 0; cut <= text.length; cut += 1) expect(changed(text, cut)).toBe(expected);
});
