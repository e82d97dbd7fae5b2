/**
 * Shows local times and, while the run is active, new output. The server escapes the HTML in events. Plain JavaScript,
 * because nothing builds it.
 */
export const sessionScript = `'use strict';
const { address, version } = document.body.dataset;

function showLocalTimes() {
  for (const element of document.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    element.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    element.title = element.dateTime;
  }
}

async function refresh(...selectors) {
  const answer = await fetch(location.href, { cache: 'no-store' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.title = fresh.title;
  for (const selector of selectors) {
    const [old, next] = [document.querySelector(selector), fresh.querySelector(selector)];
    if (old && next) old.replaceWith(next);
  }
  const [old, next] = [document.querySelector('#question'), fresh.querySelector('#question')];
  if (old && next && old.dataset.question !== next.dataset.question) old.replaceWith(next);
  showLocalTimes();
}

function follow() {
  const lines = document.querySelector('#lines');
  const events = new EventSource(address + '/events?version=' + version + '&from=' + lines.dataset.offset);
  events.addEventListener('output', (event) => {
    const page = document.scrollingElement;
    const atEnd = page.scrollHeight - page.scrollTop - page.clientHeight < 80;
    lines.insertAdjacentHTML('beforeend', JSON.parse(event.data));
    if (atEnd) page.scrollTop = page.scrollHeight;
  });
  events.addEventListener('progress', (event) => {
    const wasOpen = document.querySelector('#progress details')?.open;
    document.querySelector('#progress').outerHTML = JSON.parse(event.data);
    const details = document.querySelector('#progress details');
    if (details) details.open = wasOpen ?? details.open;
    showLocalTimes();
  });
  events.addEventListener('changed', () => refresh('#header', '#prompt', '#timeline'));
  events.addEventListener('end', () => {
    events.close();
    refresh('main');
  });
}

showLocalTimes();
if (version) follow();
`;
