import { readFileSync } from 'node:fs';

/** The URL that a reader of the page replaces. */
export const exampleUrl = 'https://github.com/acme/website.git';

/** The examples of docs/environments.md by their headings: whole environments files. */
export function environmentExamples(): Map<string, string> {
  const page = readFileSync(new URL('../../../../docs/environments.md', import.meta.url), 'utf8');
  const section = page.split('\n## Five examples\n')[1]?.split('\n## ')[0] ?? '';
  const examples = section.split('\n### ').slice(1);
  return new Map(
    examples.map((example) => [
      example.slice(0, example.indexOf('\n')),
      /^```yaml\n([\s\S]*?)^```$/m.exec(example)?.[1] ?? '',
    ]),
  );
}
