/** The smallest valid value of each kind, for tests that break one field. */
export const plain = (text = 'x') => ({ type: 'plain_text', text });
export const mrkdwn = (text = 'x') => ({ type: 'mrkdwn', text });
export const option = (value = 'v') => ({ text: plain(), value });
export const options = (count: number) =>
  Array.from({ length: count }, (_, index) => option(`v${index}`));
export const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);

export const aButton = { type: 'button', text: plain() };
export const anImage = { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'x' };
export const aSection = { type: 'section', text: mrkdwn() };
export const aConfirmation = {
  title: plain(),
  text: plain(),
  confirm: plain(),
  deny: plain(),
};
export const anInput = {
  type: 'input',
  label: plain(),
  element: { type: 'plain_text_input', action_id: 'a' },
};
export const aTask = { task_id: 't', title: 'x', status: 'pending' };
export const aCard = { type: 'card', title: mrkdwn() };
export const aContainer = { type: 'container', title: plain(), child_blocks: [aSection] };
export const aVideo = {
  type: 'video',
  alt_text: 'x',
  title: plain(),
  thumbnail_url: 'https://example.com/t.png',
  video_url: 'https://example.com/v',
};
export const aFeedbackButton = { text: plain(), value: 'v' };
export const aModal = { type: 'modal', title: plain(), submit: plain(), blocks: [aSection] };
export const aHome = { type: 'home', blocks: [aSection] };

export const cell = (text = 'x') => ({ type: 'raw_text', text });
export const aDataTable = {
  type: 'data_table',
  caption: 'x',
  rows: [[cell()], [cell()]],
};
export const aSeries = { name: 's', data: [{ label: 'x', value: 1 }] };
export const aLineChart = {
  type: 'line',
  series: [aSeries],
  axis_config: { categories: ['x'] },
};
export const chart = (content: unknown) => ({
  type: 'data_visualization',
  title: 'x',
  chart: content,
});
export const url = (length: number, fill: string) => {
  const start = 'https://example.com/';
  return start + fill.repeat(length - start.length);
};
