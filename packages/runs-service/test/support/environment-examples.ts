import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

/** URL in the page that readers replace. */
export const exampleUrl = 'https://github.com/acme/website.git';

const page = (name: string) =>
  readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');

/** Returns the first YAML block of a page, without its indentation. */
function firstFile(text: string): string {
  const [, indent = '', block = ''] = /^( *)```yaml\n([\s\S]*?)^ *```$/m.exec(text) ?? [];
  return block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/**
 * Matches a row with the values of `harness`, the environment's `models`, and the file's `models`. The second cell has
 * the command that installs the agent.
 */
const agentRow =
  /^ *\| `(\w+)` +\| `npm install [^|]*\| `(\[[^|]*\])` *\| `(\w+: \{[^|]*\})` *\|$/gm;

/**
 * Returns whole environments files. For each known agent, it's the example of docs/environments.md with the values of
 * its row. Also includes the script of docs/agent-commands.md.
 */
export function environmentExamples(): Map<string, string> {
  const text = page('environments');
  const [example] = (parse(firstFile(text)) as { environments: object[] }).environments;
  const agents = [...text.matchAll(agentRow)].map(
    ([, harness = '', names = '', providers = '']): [string, string] => {
      const environment = { ...example, id: harness, harness, models: parse(names) };
      return [harness, stringify({ environments: [environment], models: parse(providers) })];
    },
  );
  return new Map([...agents, ['script', firstFile(page('agent-commands'))]]);
}
