import 'virtual:mantine-styles';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startTexts } from './app/texts/start-texts.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
await startTexts();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
