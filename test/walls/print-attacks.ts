type Row = { name: string; open: boolean; walled: boolean };

/** The table of `npm run test:walls`. */
export function printAttacks(wall: string, rows: readonly Row[]): void {
  const word = (worked: boolean) => (worked ? 'works' : 'stopped');
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, open, walled }, index) =>
    [String(index + 1).padStart(2), name.padEnd(width), word(open).padEnd(14), word(walled)].join(
      '  ',
    ),
  );
  const head = [' #', 'attack'.padEnd(width), 'without a wall', `with ${wall}`].join('  ');
  process.stdout.write(`\n${[head, ...lines].join('\n')}\n\n`);
}
