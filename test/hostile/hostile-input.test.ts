import fc from 'fast-check';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { valuesOf } from 'slack-stand-in/view-values';
import { describe, expect, it } from 'vitest';
import { mistakeText } from '../../src/slack/agent-command/command-answers.ts';
import { parseAgentCommand } from '../../src/slack/agent-command/parse-agent-command.ts';
import { searchPresets } from '../../src/slack/configuration/presets.ts';
import { describeConfig } from '../../src/slack/configuration/run-defaults.ts';
import { askAboutThread, readThreadMention } from '../../src/slack/mention/mention-answers.ts';
import { readEditedMention, readMention } from '../../src/slack/mention/read-mention.ts';
import {
  renderPresets,
  renderSaveDialog,
  renderSaved,
} from '../../src/slack/presets/presets-view.ts';
import { quoteThread } from '../../src/slack/runs/reading/prompt-context.ts';
import { dryRunText } from '../../src/slack/runs/showing/dry-run.ts';
import { readSettings, renderSettings } from '../../src/slack/settings/settings-view.ts';
import { readStartRunForm } from '../../src/slack/start-run/read-form.ts';
import { formFields, renderStartRunForm } from '../../src/slack/start-run/start-run-form.ts';
import {
  answerSearch,
  type FormState,
  optionLimits,
  readFormNames,
  type SearchAnswer,
} from '../../src/slack/text/form-inputs.ts';
import { messageText, slackMessageSchema } from '../../src/slack/text/message-text.ts';
import { readTypedText } from '../../src/slack/text/typed-text.ts';
import { anyText as text } from './any-text.ts';
import { sent } from './sent-payload.ts';

/** Builds the state that Slack sends for a form that is submitted unchanged. */
const stateOf = (view: object) =>
  ({ values: valuesOf(sent(view)['blocks']) }) as unknown as FormState;
const expectModal = (view: object) =>
  expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);

const config = fc.record(
  {
    environment_id: text,
    model_id: text,
    skill_spec: text,
    name: text,
    base_prompt: text,
    mcp_servers: fc.dictionary(
      text,
      text.map((url) => ({ url })),
      { maxKeys: 3 },
    ),
  },
  { requiredKeys: [] },
);

function expectOptions(answer: SearchAnswer): void {
  const groups = 'option_groups' in answer ? answer.option_groups : [];
  for (const { label, options } of groups) {
    expect(label.text.length).toBeGreaterThan(0);
    expect(options.length).toBeLessThanOrEqual(optionLimits.options);
    for (const option of options) {
      expect([...(option.value ?? '')].length).toBeLessThanOrEqual(optionLimits.value);
      for (const { text: shown } of [
        option.text,
        ...(option.description ? [option.description] : []),
      ]) {
        expect([...shown].length).toBeLessThanOrEqual(optionLimits.text);
        expect(shown.length).toBeGreaterThan(0);
      }
    }
  }
}

const ephemeral = { method: 'chat.postEphemeral' } as const;

/** These trials are slow, so there are fewer than by default. */
const some = { numRuns: 60 };

describe('whatever a person types after /agent', () => {
  it('is read without a throw, and a mistake is named', () => {
    fc.assert(
      fc.property(text, (typed) => {
        const command = parseAgentCommand(readTypedText(typed));
        if (command.kind !== 'mistake') return;
        const said = mistakeText(readTypedText(typed), command.problem);
        expect(said).not.toMatch(/<[!@#]/);
        expect(validateMessage({ text: said }, ephemeral)).toEqual([]);
      }),
    );
  });

  it('comes back as it was typed when Slack has escaped it', () => {
    fc.assert(
      fc.property(text, (typed) => {
        const escaped = typed.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
        expect(readTypedText(escaped)).toBe(typed);
      }),
    );
  });

  it('starts with exactly this prompt after `run --`', () => {
    fc.assert(
      fc.property(text, (prompt) => {
        const command = parseAgentCommand(`run -- ${prompt}`);
        expect(command).toMatchObject({ kind: 'start', prompt: prompt.trim() });
      }),
    );
  });

  it('makes a dry run that mentions nobody', () => {
    fc.assert(
      fc.property(text, text, config, (prompt, title, values) => {
        const said = dryRunText({ prompt, title, config: values, fields: {} });
        expect(said).not.toMatch(/<[!@#]/);
        expect(validateMessage({ text: said }, ephemeral)).toEqual([]);
      }),
      some,
    );
  });
});

describe('whatever stands in a form', () => {
  const content = fc.record({
    values: fc.record(Object.fromEntries(formFields.map((field) => [field, text]))),
    isExpanded: fc.boolean(),
    notice: text,
    tick: text,
  });

  it('makes a start form that Slack takes, and that can be read back', () => {
    fc.assert(
      fc.property(content, ({ values, isExpanded, tick }) => {
        const origin = { kind: 'message' as const, threadTs: '1.000100' };
        const view = renderStartRunForm({
          metadata: { channelId: 'C0123456789', origin, isExpanded, isExact: false, draftId: 'd' },
          values: { ...values, channel: 'C0123456789' },
          threadCheckbox: { text: tick, isChecked: true },
          restLength: tick.length,
        });
        expectModal(view);
        const submitted = { private_metadata: view.private_metadata ?? '', state: stateOf(view) };
        const { errors } = readStartRunForm(submitted);
        readFormNames(submitted.state);
        const inputs = new Set(view.blocks.map(({ block_id: id }) => id));
        expect(Object.keys(errors).filter((field) => !inputs.has(field))).toEqual([]);
      }),
      some,
    );
  });

  it('makes settings and presets that Slack takes', () => {
    const scopes = fc.constantFrom('person', 'channel', 'workspace');
    fc.assert(
      fc.property(scopes, config, text, (scope, values, name) => {
        const preferences = {
          reply: 'both',
          toChannel: true,
          quiet: { from: 22, until: 7 },
        } as const;
        const defaults = { page: 'defaults', config: values, startsAtOnce: true } as const;
        const digest = { digestHour: 9, digestZone: 'Europe/Berlin' };
        const notifications = { page: 'notifications', preferences, ...digest } as const;
        for (const page of [defaults, notifications]) {
          const view = renderSettings({ scope, channelId: 'C1', ...page });
          expectModal(view);
          readSettings({ scope, page: page.page }, { state: stateOf(view) }, page);
        }
        const preset = { scope, name: name.slice(0, 60) || 'x', config: values, makerId: 'U1' };
        const presets = [preset, { ...preset, scope: 'workspace' as const }];
        expectModal(renderPresets(presets, { channelId: 'C1', page: 0 }));
        const subject = { channelId: 'C1', preset: { name: preset.name, scope } };
        expectModal(renderSaveDialog(subject, describeConfig(values)));
        expectModal(renderSaved(preset));
        expectOptions(searchPresets(presets, ''));
      }),
      some,
    );
  });

  it('makes searches that Slack takes', () => {
    const choice = fc.record({ id: text, name: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(text, fc.array(text), fc.array(choice), (query, ids, all) => {
        const recents = [{ label: 'Recently used here', ids }];
        const list = { noun: 'environments', recents, all, isKnown: all.length > 0 };
        expectOptions(answerSearch(query, list));
      }),
      some,
    );
  });
});

describe('whatever comes from Slack', () => {
  it('is read as a message or a mention without a throw', () => {
    const odd = fc.jsonValue({ maxDepth: 5 });
    const message = fc.record({
      ts: fc.constant('1.0'),
      text,
      blocks: odd,
      attachments: odd,
      files: odd,
    });
    fc.assert(
      fc.property(message, odd, (given, body) => {
        expect(typeof messageText(slackMessageSchema.parse(given))).toBe('string');
        expect(readMention(body, 'U1')).toBeUndefined();
        expect(readEditedMention(body, 'U1')).toBeUndefined();
        expect(readThreadMention(JSON.stringify(body))).toBeUndefined();
      }),
    );
  });

  it('stays quoted line by line, within the budget', () => {
    const messages = fc.array(fc.record({ author: text, sentAt: fc.constant('now'), text }));
    fc.assert(
      fc.property(messages, (all) => {
        const quoted = quoteThread(all, 5_000);
        expect([...quoted.text].length).toBeLessThanOrEqual(5_000 + 2 * all.length);
        expect(quoted.messages + quoted.left).toBe(all.length);
      }),
      some,
    );
  });

  it('is never left out for its length: of the newest message its beginning goes along', () => {
    fc.assert(
      fc.property(text, (written) => {
        const one = { author: 'Ada', sentAt: 'now', text: written };
        const { text: quoted, messages, left } = quoteThread([one, one], 500);
        expect(messages).toBeGreaterThan(0);
        expect(messages + left).toBe(2);
        expect([...quoted].length).toBeLessThanOrEqual(500 + 2);
        if ([...written].length > 500) expect(quoted).toContain('more characters omitted]');
        for (const line of quoted.split('\n')) expect(line).toMatch(/^>|^Ada \(now\):$|^$/);
      }),
      some,
    );
  });

  it('makes a question about a thread that Slack takes', () => {
    const place = { channelId: 'C1', threadTs: '1.0', ts: '2.0' };
    fc.assert(
      fc.property(text, (context) => {
        const answer = askAboutThread(place, { messages: 2, left: 1e6, masked: 1, context });
        expect(validateMessage(sent({ channel: 'C1', ...answer }), ephemeral)).toEqual([]);
      }),
      some,
    );
  });
});
