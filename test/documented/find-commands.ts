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

/** Matches quoted commands of programs that people start. A name without arguments, or with "…", isn't a command. */
const quoted =
  /`((?:npx|npm|docker|kubectl|helm|curl|openssl|git|apt|install|kill|prometheus|pg_dump|pg_restore|sudo|du)\s[^`…]+)`/g;

/** Returns a page's commands, from `sh` blocks and sentences, without comments and line breaks. */
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

/** Returns each command of README and docs once. */
export const findCommands = (): string[] => [
  ...new Set(
    pages.filter((page) => !(page in pagesRunElsewhere)).flatMap((page) => commandsIn(read(page))),
  ),
];
