import { render } from 'preact';
import { App } from './app.tsx';
import { readSettings } from './state/perform.ts';
import './styles/page.css';

const root = document.querySelector('#page');
if (root) render(<App settings={readSettings()} />, root);
