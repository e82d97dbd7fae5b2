import { openDatabase } from 'base/database/database';
import type { DatabaseSchema } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { startProduct, textOf } from './product.ts';

/** Starts runs in the service without the app, oldest first. */
export async function startElsewhere(
  apiUrl: string,
  titles: readonly string[],
  key = 'test-key-of-ada-0123456789abcdefgh',
) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const title of titles) {
    const body = JSON.stringify({ prompt: `do ${title}`, title });
    await fetch(`${apiUrl}/agent/run`, { method: 'POST', body, headers });
  }
}

export async function statesIn(apiUrl: string): Promise<string[]> {
  const headers = { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' };
  const { runs } = (await (await fetch(`${apiUrl}/agent/runs`, { headers })).json()) as {
    runs: { state: string }[];
  };
  return runs.map(({ state }) => state);
}

/** Makes every open Home tab due for a refresh, which saves the wait. */
export async function refreshHomes(databaseUrl: string): Promise<void> {
  const db = await openDatabase<DatabaseSchema>(databaseUrl, [botTables]);
  await db.updateTable('home_views').set({ refresh_at: 0 }).execute();
  await db.destroy();
}

/** Opens a person's Home tab. Returns ways to read it and to use it. */
export async function openHome(person = 'ada', changes: Parameters<typeof startProduct>[0] = {}) {
  const product = await startProduct(changes);
  await product.startBot();
  return { ...product, ...(await homeOf(product, person)) };
}

type Product = Awaited<ReturnType<typeof startProduct>>;

export async function homeOf({ workspace }: Pick<Product, 'workspace'>, name: string) {
  const person = workspace.as(name);
  await person.opensHome();
  const shown = await workspace.until(() => person.home());
  const home = () => person.home() ?? shown;
  const text = () => textOf(home().content);
  return {
    text,
    home,
    until: (words: string) => workspace.until(() => text().includes(words)),
    clicks: (id: string, value?: unknown) => person.clicks({ view: home() }, id, value),
    searches: (id: string, query: string) => person.searches(id, query, { view: home() }),
    /** Selects an entry in the menu of the row with this title. */
    picks: (title: string, verb: string) => {
      const { actionId, values } = rowOf(home().content, title);
      const value = values.find((each) => each.startsWith(`${verb}:`));
      if (!value) throw new Error(`the row offers ${values.join(', ')}, not ${verb}`);
      return person.clicks({ view: home() }, actionId, value);
    },
    /** Lists the entries of that menu. */
    offers: (title: string) =>
      rowOf(home().content, title).values.map((value) => value.split(':')[0]),
  };
}

type Row = {
  text?: { text?: string };
  accessory?: { action_id: string; options: { value: string }[] };
};

function rowOf(content: unknown, title: string) {
  const { blocks } = content as { blocks: Row[] };
  const row = blocks.find((block) => block.text?.text?.includes(`*${title}*`));
  if (!row?.accessory) throw new Error(`no row with the title "${title}" and a menu`);
  const { action_id: actionId, options } = row.accessory;
  return { actionId, values: options.map(({ value }) => value) };
}
