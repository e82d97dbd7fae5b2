import { readdirSync, readFileSync } from 'node:fs';
import { pagesRunElsewhere } from './others.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'trials/README.md'],
  ...['bench/README.md', 'bench/load.md'],
  ...['packages/runs-client/README.md', 'packages/slack-stand-in/README.md'],
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Programs that people start. `npm` alone, or with three dots, is a word about it. */
const quoted =
  /`((?:npx|npm|docker|kubectl|helm|curl|openssl|git|apt|install|kill|prometheus|pg_dump|pg_restore|sudo|du)\s[^`…]+)`/g;

/** The commands of a page: lines of its `sh` blocks, and those in its sentences. Comments and line breaks are left out. */
export function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)];
  const lines = blocks.flatMap(([, , block = '']) =>
    block.replaceAll(/\\\n\s*|(?<=\|)\n\s*/g, ' ').split('\n'),
  );
  const sentences = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  const mentioned = [...sentences.matchAll(quoted)].map(([, command = '']) => command);
  return [...lines, ...mentioned]
    .map((line) =>
      line
        .replace(/\s+# .*$/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** Each command of README and docs, once. */
export const findCommands = (): string[] => [
  ...new Set(
    pages.filter((page) => !(page in pagesRunElsewhere)).flatMap((page) => commandsIn(read(page))),
  ),
];
