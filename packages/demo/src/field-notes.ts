/** A sample project for the demo, with TODO comments: file names and contents. */
export const fieldNotes: Record<string, string> = {
  'README.md': `# Field notes

Keeps notes about your plants and reminds you to water them.

## Use

\`\`\`
node src/cli.js add "tomatoes" --bed north
node src/cli.js list
node src/cli.js due
\`\`\`

Notes are saved in \`notes.json\` in the current folder.

<!-- TODO: explain how to move notes to another machine -->
`,
  'package.json': `{
  "name": "field-notes",
  "version": "0.3.0",
  "type": "module",
  "bin": { "field-notes": "src/cli.js" },
  "scripts": { "test": "node --test" }
}
`,
  'src/cli.js': `import { addNote, dueNotes, listNotes } from './notes.js';
import { formatNote } from './format.js';
import { readStore, writeStore } from './store.js';

const [command, ...words] = process.argv.slice(2);
const notes = await readStore();

switch (command) {
  case 'add':
    // TODO: reject beds that don't exist
    await writeStore(addNote(notes, words));
    break;
  case 'list':
    for (const note of listNotes(notes)) console.log(formatNote(note));
    break;
  case 'due':
    for (const note of dueNotes(notes, new Date())) console.log(formatNote(note));
    break;
  default:
    console.error('Usage: field-notes add <plant> [--bed <name>] | list | due');
    process.exitCode = 2;
}
`,
  'src/notes.js': `const dayMs = 24 * 60 * 60 * 1000;

/** Days between waterings of each plant. */
const thirst = { tomatoes: 1, beans: 2, rosemary: 7 };

export function addNote(notes, words) {
  const [plant, flag, bed] = words;
  const note = { plant, bed: flag === '--bed' ? bed : 'unknown', wateredAt: null };
  return [...notes, note];
}

export function listNotes(notes) {
  // TODO: sort by bed, then by plant
  return notes;
}

export function dueNotes(notes, now) {
  return notes.filter(({ plant, wateredAt }) => {
    if (wateredAt === null) return true;
    // FIXME: plants that are not in the table are never due
    return now - new Date(wateredAt) >= thirst[plant] * dayMs;
  });
}
`,
  'src/format.js': `/** One line for a note: plant, bed, and when it was watered. */
export function formatNote({ plant, bed, wateredAt }) {
  // TODO: show the time in the reader's own time zone
  const watered = wateredAt === null ? 'never watered' : \`watered \${wateredAt}\`;
  return \`\${plant} (\${bed}): \${watered}\`;
}
`,
  'src/store.js': `import { readFile, writeFile } from 'node:fs/promises';

const file = 'notes.json';

export async function readStore() {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return [];
  }
}

// TODO: write to a temporary file first, so that a crash loses nothing
export async function writeStore(notes) {
  await writeFile(file, JSON.stringify(notes, null, 2));
}
`,
  'test/notes.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addNote, dueNotes } from '../src/notes.js';

test('a new note is due at once', () => {
  const notes = addNote([], ['beans', '--bed', 'south']);
  assert.equal(dueNotes(notes, new Date()).length, 1);
});

// TODO: test that rosemary isn't due for a week
`,
  '.claude/skills/todo-report/SKILL.md': `---
name: todo-report
description: Lists the open TODO comments of this project.
---

Count the TODO comments, group them by file, and say which one matters most to users.
`,
};
