import { render } from 'preact';
import { Blocks } from '../blocks/blocks.tsx';
import { type Page, PageContext } from '../state/page-context.ts';
import { SurfaceContext, type SurfaceState } from '../state/surface.tsx';
import '../styles/page.css';
import './preview.css';

/** One message or view in the preview. `npm run preview` writes these cases. */
type PreviewCase = {
  group: string;
  name: string;
  kind: 'message' | 'modal' | 'home';
  text?: string;
  payload: { blocks: unknown[] };
};

const names: Record<string, string> = { U04ADALOVEL: 'Ada Lovelace', U04GRACEHOP: 'Grace Hopper' };
const person = (id: string) => ({ id, name: names[id] ?? id });

/** Context of the preview's page. Its buttons and pickers do nothing, because the preview has no server. */
const page = {
  team: {},
  me: person('U04ADALOVEL'),
  people: [],
  channels: [],
  messages: [],
  passing: [],
  home: undefined,
  nowMs: Date.now(),
  findPerson: person,
  findChannel: () => undefined,
  navigate: () => undefined,
  perform: async () => ({ ok: true }),
  confirm: async () => false,
} as unknown as Page;

const surface: SurfaceState = {
  surface: { kind: 'view', viewId: 'preview' },
  touched: {},
  fieldErrors: {},
  touch: () => undefined,
  act: async () => undefined,
  search: async () => [],
};

function Preview({ cases }: { cases: PreviewCase[] }) {
  const groups = [...new Set(cases.map(({ group }) => group))];
  return (
    <PageContext.Provider value={page}>
      <SurfaceContext.Provider value={surface}>
        <h1>What people see</h1>
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <div class="preview-cases">
              {cases
                .filter((each) => each.group === group)
                .map((each) => (
                  <Case {...each} />
                ))}
            </div>
          </section>
        ))}
      </SurfaceContext.Provider>
    </PageContext.Provider>
  );
}

function Case({ group, name, kind, text, payload }: PreviewCase) {
  return (
    <article class={`preview-case preview-${kind}`} data-name={`${group} ${name}`}>
      <h3>
        {name} <a href={builderLink({ kind, payload })}>Block Kit Builder</a>
      </h3>
      <div class="preview-surface">
        <Blocks blocks={payload.blocks} />
      </div>
      {text && <p class="preview-text">Notification: {text}</p>}
    </article>
  );
}

function builderLink({ kind, payload }: Pick<PreviewCase, 'kind' | 'payload'>): string {
  const content = kind === 'message' ? { blocks: payload.blocks } : payload;
  return `https://app.slack.com/block-kit-builder/#${encodeURIComponent(JSON.stringify(content))}`;
}

const root = document.querySelector('#preview');
const cases = JSON.parse(document.querySelector('#cases')?.textContent ?? '[]') as PreviewCase[];
if (root) render(<Preview cases={cases} />, root);
