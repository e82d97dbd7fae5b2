export type PatchLine = {
  kind: 'same' | 'added' | 'removed' | 'hunk';
  text: string;
  oldNumber?: number;
  newNumber?: number;
};
export type PatchFile = {
  name: string;
  change: 'changed' | 'added' | 'deleted' | 'renamed';
  binary: boolean;
  added: number;
  removed: number;
  lines: PatchLine[];
};

/** Parses the output of `git diff`, even if it's cut off. Skips unknown header lines. */
export function readPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let file: PatchFile | undefined;
  let numbers = { old: 0, new: 0 };
  let inHunk = false;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      file = newFile(line);
      files.push(file);
      inHunk = false;
      continue;
    }
    if (!file) continue;
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk) {
      inHunk = true;
      numbers = { old: Number(hunk[1]), new: Number(hunk[2]) };
      file.lines.push({ kind: 'hunk', text: (hunk[3] ?? '').trim() });
    } else if (inHunk) {
      readLine(file, line, numbers);
    } else {
      readHeader(file, line);
    }
  }
  return files;
}

function newFile(line: string): PatchFile {
  const name = / "?b\/(.*?)"?$/s.exec(line)?.[1] ?? line.slice('diff --git '.length);
  return { name, change: 'changed', binary: false, added: 0, removed: 0, lines: [] };
}

function readHeader(file: PatchFile, line: string): void {
  if (line.startsWith('new file')) file.change = 'added';
  if (line.startsWith('deleted file')) file.change = 'deleted';
  if (line.startsWith('rename to ')) {
    file.change = 'renamed';
    file.name = line.slice('rename to '.length);
  }
  if (line.startsWith('Binary files') || line === 'GIT binary patch') file.binary = true;
}

function readLine(file: PatchFile, line: string, numbers: { old: number; new: number }): void {
  const text = line.slice(1);
  switch (line[0]) {
    case '+':
      file.lines.push({ kind: 'added', text, newNumber: numbers.new++ });
      file.added += 1;
      break;
    case '-':
      file.lines.push({ kind: 'removed', text, oldNumber: numbers.old++ });
      file.removed += 1;
      break;
    case ' ':
      file.lines.push({
        kind: 'same',
        text,
        oldNumber: numbers.old++,
        newNumber: numbers.new++,
      });
      break;
  }
}
