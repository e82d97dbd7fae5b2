import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const home = `${root}packages/runs-client/`;

const exportMap = JSON.parse(readFileSync(`${home}package.json`, 'utf8')).exports as Record<
  string,
  { default: string }
>;
/** Import names of the package, each with its source file. */
export const clientEntries = Object.entries(exportMap).map(([name, { default: file }]) => {
  const source = file.replace('./dist/', `${home}src/`).replace(/\.js$/, '.ts');
  return [name.replace('.', 'runs-client'), source] as const;
});

export const clientGuide = readFileSync(`${home}README.md`, 'utf8');
const examples = clientGuide.split(/^## /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => ({ title, code }));
});

/** Writes the README's examples into a folder of the checkout, because package imports resolve there. */
export function writeExamples(name: string) {
  const folder = `${root}.tmp/${name}-${process.pid}/`;
  mkdirSync(folder, { recursive: true });
  const written = examples.map(({ title, code }, index) => {
    const file = `${folder}example-${index}.ts`;
    writeFileSync(file, code);
    return { title, file };
  });
  return { folder, written, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
