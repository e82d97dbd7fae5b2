import {
  type ClientConnection,
  methods,
  type NewSessionResponse,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';

type Agent = ClientConnection['agent'];
type Session = Pick<NewSessionResponse, 'sessionId' | 'modes' | 'configOptions'>;

/** Sets the model and the mode that were asked for. Returns notes on those that the agent doesn't offer. */
export async function makeChoices(
  agent: Agent,
  session: Session,
  { model, mode }: { model: string | undefined; mode: string | undefined },
): Promise<string[]> {
  const notes: string[] = [];
  if (model !== undefined && !(await setOption(agent, session, 'model', model)))
    notes.push(`The agent doesn't offer model "${model}", so it uses its own`);
  if (mode !== undefined && !(await setMode(agent, session, mode)))
    notes.push(`The agent doesn't offer mode "${mode}", so it uses its own`);
  return notes;
}

async function setMode(agent: Agent, session: Session, modeId: string): Promise<boolean> {
  const { sessionId, modes } = session;
  if (!modes?.availableModes.some(({ id }) => id === modeId))
    return setOption(agent, session, 'mode', modeId);
  await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  return true;
}

async function setOption(
  agent: Agent,
  { sessionId, configOptions }: Session,
  category: string,
  value: string,
): Promise<boolean> {
  const option = configOptions?.find((each) => each.category === category || each.id === category);
  if (!option || !valuesOf(option).includes(value)) return false;
  const request = { sessionId, configId: option.id, value };
  await agent.request(methods.agent.session.setConfigOption, request);
  return true;
}

const valuesOf = (option: SessionConfigOption): string[] =>
  option.type === 'select'
    ? option.options.flatMap((each) =>
        'value' in each ? [each.value] : each.options.map(({ value }) => value),
      )
    : [];
