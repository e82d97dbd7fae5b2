import type { Actor, LocalWorkspace } from 'slack-stand-in';
import { permissionNames } from '../../../src/policy/policy.ts';
import { opensModal, textOf } from './product.ts';

type InWorkspace = { workspace: LocalWorkspace };

/** Opens Rules from the settings, as an admin. */
export async function opensRules(
  product: InWorkspace,
  admin: Actor,
  channelId?: string,
): Promise<void> {
  await opensModal(product, admin, '/agent settings', channelId);
  await clicksTo(product, admin, 'settings:policy', 'policy:try');
}

/**
 * Returns the person's open modal.
 * @throws if no modal is open
 */
export function openModalOf(person: Actor) {
  const view = person.modal();
  if (!view) throw new Error('no modal is open');
  return view;
}

/** Clicks a button of the top modal, and waits until the modal shows this text. */
export async function clicksTo(
  { workspace }: InWorkspace,
  admin: Actor,
  button: string,
  words: string,
  value?: string,
): Promise<void> {
  await admin.clicks({ view: openModalOf(admin) }, button, value);
  await workspace.until(() => textOf(admin.modal()?.content).includes(words));
}

/** Converts `yes` and `no` of permissions to the lists of the form. */
function ruleValues(fields: Record<string, unknown>): Record<string, unknown> {
  const isPermission = (name: string) => (permissionNames as readonly string[]).includes(name);
  const set = (value: string) =>
    Object.keys(fields).filter((name) => isPermission(name) && fields[name] === value);
  const others = Object.entries(fields).filter(([name]) => !isPermission(name));
  const [allow, block] = [set('yes'), set('no')];
  return {
    ...Object.fromEntries(others),
    ...(allow.length > 0 && { allow }),
    ...(block.length > 0 && { block }),
  };
}

/** Adds a rule below the others. */
export async function addsRule(
  product: InWorkspace,
  admin: Actor,
  fields: Record<string, unknown> & { name: string },
  channelId?: string,
): Promise<void> {
  await opensRules(product, admin, channelId);
  await clicksTo(product, admin, 'policy:add', 'starts_per_hour');
  const { errors } = await admin.submits(ruleValues(fields));
  if (errors && Object.keys(errors).length > 0) throw new Error(textOf(errors));
  await product.workspace.until(() => textOf(admin.modal()?.content).includes(`${fields.name}*`));
  for (let left = 3; left > 0 && admin.modal(); left -= 1) await admin.closesModal();
}

/** Adds a rule that lets workflow steps start runs everywhere. */
export const allowsWorkflows = (product: InWorkspace & { ada: Actor }): Promise<void> =>
  addsRule(product, product.ada, { name: 'Workflows', workflows: 'yes' });
