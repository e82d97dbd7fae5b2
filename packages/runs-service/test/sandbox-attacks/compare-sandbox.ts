import type { startAttackBed } from './attack-bed.ts';
import type { Attack } from './attacks.ts';

export type Row = { name: string; open: boolean; sandboxed: boolean; outcomes: unknown };

/** Tries each attack in the environments `open` and `sandboxed`, and prints the table of `npm run test:sandbox`. */
export async function compareSandbox(
  sandbox: string,
  bed: Awaited<ReturnType<typeof startAttackBed>>,
  attacks: readonly Attack[],
): Promise<Row[]> {
  const rows: Row[] = [];
  const alone = attacks.filter(({ isAlone }) => isAlone).map((attack) => [attack]);
  for (const group of [attacks.filter(({ isAlone }) => !isAlone), ...alone]) {
    const open = await bed.attempt(group, 'open');
    const sandboxed = await bed.attempt(group, 'sandboxed');
    for (const [index, { name }] of group.entries()) {
      const outcomes = { open: open[index], sandboxed: sandboxed[index] };
      const { open: inOpen, sandboxed: inSandbox } = outcomes;
      const worked = { open: inOpen?.worked ?? false, sandboxed: inSandbox?.worked ?? true };
      rows.push({ name, ...worked, outcomes });
    }
  }
  print(sandbox, rows);
  return rows;
}

function print(sandbox: string, rows: readonly Row[]): void {
  const word = (worked: boolean) => (worked ? 'works' : 'stopped');
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, open, sandboxed }, index) => {
    const number = String(index + 1).padStart(2);
    return [number, name.padEnd(width), word(open).padEnd(14), word(sandboxed)].join('  ');
  });
  const head = [' #', 'attack'.padEnd(width), 'without a sandbox', `with ${sandbox}`].join('  ');
  process.stdout.write(`\n${[head, ...lines].join('\n')}\n\n`);
}
