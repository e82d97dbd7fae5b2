import type { Actor } from 'slack-stand-in';
import { onTestFinished } from 'vitest';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { openTestDatabase } from '../database/databases.ts';
import { general, opensModal, startedProduct as startedBot, textOf } from './product.ts';

/** Starts the product, with ways to open the form of automations and to read what is stored. */
export async function startedFormProduct() {
  const product = await startedBot();
  const { ada, workspace, config } = product;
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const automations = createAutomations(db);
  const shows = (words: string, person: Actor = ada) =>
    workspace.until(() => {
      const view = person.modal();
      return textOf(view?.content).includes(words) ? view : undefined;
    });
  const clicks = async (actionId: string) => {
    const view = await workspace.until(() => ada.modal());
    return ada.clicks({ view }, actionId);
  };
  return {
    ...product,
    automations,
    stored: () => automations.allOf(),
    shows,
    clicks,
    /** Opens an empty form for a kind of trigger. */
    async opensForm(trigger: string, words: string) {
      await opensModal(product, ada, '/agent schedule');
      await ada.fills({ 'automations:trigger': trigger });
      await shows(words);
    },
    /** Types a command, and waits for its private answer. */
    async answers(command: string, words: string, person: Actor = ada) {
      await person.types(general, command);
      return await workspace.until(() => {
        const seen = textOf(person.sees(general).at(-1));
        return seen.includes(words) ? seen : undefined;
      });
    },
  };
}

/** Opens the details of the only automation, in the page. */
export async function opensDetails(
  product: Awaited<ReturnType<typeof startedFormProduct>>,
  person: Actor,
) {
  await opensModal(product, person, '/agent automations');
  const view = await product.workspace.until(() => person.modal());
  const [automation] = await product.stored();
  await person.clicks({ view }, 'automations:open', automation?.id);
  await product.shows('Limits', person);
}
