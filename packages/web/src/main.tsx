import { pageStyle } from '@culprit/core/report/html-style';
import { render } from 'preact';
import { App } from './app.tsx';
import './style.css';

const style = document.createElement('style');
style.textContent = pageStyle;
document.head.prepend(style);
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
