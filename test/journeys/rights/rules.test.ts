import { describe, expect, it } from 'vitest';
import { addsRule, clicksTo, openModalOf, opensRules } from '../../support/product/policy.ts';
import { general, opensModal, startedProduct, textOf } from '../../support/product/product.ts';

const engineering = 'C04ENGINEER';

describe('rules', () => {
  it('are listed, added, edited, put in order and removed by admins', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    const view = await opensModal(product, grace, '/agent settings');
    await grace.clicks({ view }, 'settings:policy');
    await workspace.until(() => textOf(grace.modal()?.content).includes('Only workspace admins'));
    await opensRules(product, ada);
    expect(textOf(ada.modal()?.content)).toContain('No rules yet');
    await clicksTo(product, ada, 'policy:add', 'starts_per_hour');
    expect((await ada.submits({ name: 'Closed' })).errors).toEqual({
      allow: 'Select something to allow or block, or fill in a field below.',
    });
    const both = { name: 'Closed', allow: ['start', 'cancel'], block: ['start'] };
    expect((await ada.submits(both)).errors).toEqual({
      block: '"Start runs" is in both lists. Remove it from one.',
    });
    const unset = { allow: null, block: null };
    const mistakes = { ...unset, name: '*bold*', active_runs: 'many', environments: '<x>' };
    const wrong = await ada.submits(mistakes);
    expect(Object.keys(wrong.errors ?? {}).sort()).toEqual(['active_runs', 'environments', 'name']);
    expect(
      (
        await ada.submits({
          name: 'Closed',
          block: ['start'],
          environments: null,
          active_runs: null,
          channels: [engineering],
        })
      ).errors,
    ).toBeUndefined();
    const list = () => textOf(ada.modal()?.content);
    await workspace.until(() => list().includes('*1. Closed*'));
    expect(list()).toContain(`Who: *everyone*\\nWhere: *<#${engineering}>*`);
    await clicksTo(product, ada, 'policy:add', 'starts_per_hour');
    expect((await ada.submits({ name: 'CLOSED', allow: ['start'] })).errors?.['name']).toContain(
      'Another rule has this name',
    );
    const [oncall] = await ada.searches('policy:groups', 'onc');
    await ada.submits({ name: 'On call', after: ':first', groups: [oncall], allow: ['start'] });
    await workspace.until(() => list().includes('*2. Closed*'));
    expect(list()).toContain('*1. On call*\\nWho: *<!subteam^S04ONCALL01>*\\nWhere: *everywhere*');
    await clicksTo(product, ada, 'policy:edit', 'policy:remove', 'On call');
    await ada.submits({ name: 'First aid', after: 'Closed', allow: ['start', 'cancel'] });
    await workspace.until(() => list().includes('*2. First aid*'));
    expect(list()).toMatch(/1\. Closed.*Allow: \*Start runs, Cancel other people's runs\*/);
    expect(list()).not.toContain('On call');
    await clicksTo(product, ada, 'policy:edit', 'policy:remove', 'Closed');
    await ada.clicks({ view: openModalOf(ada) }, 'policy:remove', 'Closed');
    await workspace.until(() => list().includes('The rule \\"Closed\\" is removed.'));
    await ada.closesModal();
    await workspace.until(() => list().includes('*1. First aid*'));
  });

  it('cap what runs can spend', async () => {
    const product = await startedProduct();
    const { ada, workspace } = product;
    const form = () => textOf(ada.modal()?.content);
    await opensRules(product, ada);
    await clicksTo(product, ada, 'policy:add', 'starts_per_hour');
    expect(form()).toContain('"initial_value":"');
    const mistakes = { run_cap: 'five', person_cap: '$20', group_cap: '$9 per day' };
    expect((await ada.submits({ name: 'Caps', ...mistakes })).errors).toEqual({
      run_cap: 'This must be an amount in dollars, such as 5.',
      person_cap: 'This must be an amount and a period, such as "$50 per week".',
    });
    const zone = { time_zone: 'Berlin' };
    const right = { run_cap: '$5', person_cap: '20 per day' };
    expect((await ada.submits({ ...right, ...zone })).errors).toEqual({
      group_cap: 'This needs user groups that the rule applies to.',
      time_zone: 'This must be a time zone, such as Europe/Berlin.',
    });
    await ada.submits({ group_cap: null, allow: ['spend'], time_zone: 'Europe/Berlin' });
    await workspace.until(() => form().includes('*1. Caps*'));
    for (const line of [
      'Allow: *Approve spending over a cap*',
      'Cap per run: *$5*',
      'Cap per person: *$20 per day*',
      'Time zone of caps: *Europe/Berlin*',
    ])
      expect(form()).toContain(line);
    await clicksTo(product, ada, 'policy:edit', 'policy:remove', 'Caps');
    expect(form()).toContain('"initial_value":"20 per day"');
    await ada.submits({ person_cap: null });
    // Without a cap of a period, the rule has no time zone.
    await workspace.until(() => form().includes('*1. Caps*') && !form().includes('Time zone'));
  });

  it('that someone else changed meanwhile are shown before they are overwritten', async () => {
    const product = await startedProduct();
    const { ada, grace: root, workspace } = product;
    root.person.role = 'admin';
    await addsRule(product, ada, { name: 'Closed', start: 'no' });
    await opensRules(product, ada);
    await clicksTo(product, ada, 'policy:edit', 'policy:remove', 'Closed');
    await opensRules(product, root);
    await clicksTo(product, root, 'policy:edit', 'policy:remove', 'Closed');
    await root.submits({ name: 'Shut', block: ['start', 'cancel'] });
    await workspace.until(() => textOf(root.modal()?.content).includes('*1. Shut*'));
    const form = () => textOf(ada.modal()?.content);
    await ada.submits({ name: 'Open', allow: ['start'], block: null });
    await workspace.until(() => form().includes('Someone changed the rules'));
    expect(form()).toContain('1. Shut');
    expect(form()).toContain('*Closed* was renamed or removed');
    expect(form()).toContain('"initial_value":"Open"');
    await ada.submits();
    await workspace.until(() => form().includes('*2. Shut*'));
    expect(form()).toContain('*1. Open*');
  });

  it('say what someone can do somewhere, with the rule that decides it', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await addsRule(product, ada, {
      name: 'Web',
      channels: [general],
      environments: 'shell, docs',
      active_runs: '3',
      start: 'yes',
    });
    await addsRule(product, ada, { name: 'Rest', after: 'Web', start: 'no', mcp_servers: 'no' });
    await opensRules(product, ada);
    const asks = async (person: string, channel: string, words: string) => {
      await ada.submits({ person, channel });
      await workspace.until(() => textOf(ada.modal()?.content).includes(words));
      return textOf(ada.modal()?.content);
    };
    await clicksTo(product, ada, 'policy:try', 'Check permissions');
    const here = await asks(grace.person.id, general, `<@${grace.person.id}> in`);
    for (const line of [
      '✅ Start runs: *yes* (rule \\"Web\\")',
      '• Environments: *shell, docs* (rule \\"Web\\")',
      '• Models: *all* (default)',
      '❌ Add their own MCP servers: *no* (rule \\"Rest\\")',
      "❌ Cancel other people's runs: *no* (default)",
      '• Max active runs per person: *3* (rule \\"Web\\")',
    ])
      expect(here).toContain(line);
    const elsewhere = await asks(ada.person.id, engineering, `<#${engineering}>`);
    expect(elsewhere).toContain('❌ Start runs: *no* (rule \\"Rest\\")');
    expect(elsewhere).toContain("✅ Cancel other people's runs: *yes* (default)");
    const guest = await asks(workspace.as('sam').person.id, general, 'Guests');
    expect(guest).toContain("❌ Guests can't start agent runs");
  });
});
