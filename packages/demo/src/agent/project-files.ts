import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

export type ProjectFile = { name: string; lines: string[] };

const skippedFolders = new Set(['.git', 'node_modules', 'dist', 'build', 'vendor']);
const maxFiles = 5_000;
const maxFileBytes = 1024 * 1024;

/** Reads the text files of a project, sorted by name. Skips links, large files and binary files. */
export async function readProjectFiles(folder: string): Promise<ProjectFile[]> {
  const files: ProjectFile[] = [];
  for (const name of await listNames(folder)) {
    const path = join(folder, name);
    if ((await lstat(path)).size > maxFileBytes) continue;
    const content = await readFile(path, 'utf8');
    if (!content.includes('\0')) files.push({ name, lines: linesOf(content) });
  }
  return files;
}

function linesOf(content: string): string[] {
  const lines = content.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

async function listNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  const folders = [''];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(join(folder, next), { withFileTypes: true })) {
      const name = join(next, entry.name);
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(name);
      if (entry.isFile() && names.length < maxFiles) names.push(name);
    }
  }
  return names.sort();
}

/** Returns the path of an existing file inside the folder. Returns undefined for any other path. */
export async function findInside(folder: string, name: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder);
    const path = await realpath(resolve(root, name));
    const inside = relative(root, path);
    const leadsOut = inside.startsWith(`..${sep}`) || inside === '..' || inside.startsWith('.git');
    return leadsOut || !(await lstat(path)).isFile() ? undefined : path;
  } catch {
    return undefined;
  }
}

/**
 * Returns the path of the file that people mean by a word, such as "the README". Returns undefined if there is none.
 */
export async function findByWord(folder: string, word: string): Promise<string | undefined> {
  const meant = word.toLowerCase();
  const isMeant = (name: string) => name.toLowerCase().replace(/\.\w+$/, '') === meant;
  const found = (await listNames(folder)).find(isMeant);
  return found === undefined ? undefined : findInside(folder, found);
}
