export const fences = [
  'Mend this table and keep the code as it is:',
  '',
  '| file | TODO comments |',
  '| --- | ---: |',
  '| `src/login.ts` | 12 |',
  '| `src/cart.ts` | 7 |',
  '',
  '```ts',
  'export const total = (items: Item[]) => items.reduce((sum, { price }) => sum + price, 0);',
  '```',
].join('\n');
export const hebrew =
  'ספרו את הערות ה־TODO בקובץ src/login.ts ואמרו באיזה קובץ יש הכי הרבה.\nאחר כך פתחו בקשת משיכה.';
export const long = Array.from(
  { length: 60 },
  (_, index) => `${index + 1}. Look at this part and say what is wrong.`,
).join(' ');
const makes = (count: number, type: string, data: (index: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, index) => ({ artifact_type: type, data: data(index + 1) }));
export const manyArtifacts = [
  ...makes(30, 'FILE', (number) => ({
    name: `a/rather/long/folder/of/results/report-${number}.csv`,
  })),
  ...makes(6, 'PULL_REQUEST', (number) => ({ url: `https://github.com/acme/shop/pull/${number}` })),
  ...makes(4, 'SCREENSHOT', (number) => ({ title: `The page at step ${number}` })),
];
export const longLog = Array.from(
  { length: 1_600 },
  (_, index) => `npm error ${index} cannot find what package ${index} of the workspace asks for`,
).join('\n');
