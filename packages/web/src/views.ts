import type { ComponentType } from 'preact';
import type { Route } from './route.ts';

/** A view of the page; its code is fetched when it is opened. */
export interface View {
  /** Its part of the address: `#/judge`. */
  readonly id: string;
  readonly title: string;
  readonly load: () => Promise<ComponentType<{ readonly route: Route }>>;
}

/** Views in the order of the navigation; the first is the start. */
export const views: readonly View[] = [
  { id: '', title: 'Diagnose', load: async () => (await import('./diagnose/diagnose-view.tsx')).DiagnoseView },
  { id: 'stack', title: 'Stack', load: async () => (await import('./stack/stack-view.tsx')).StackView },
  { id: 'judge', title: 'Judge', load: async () => (await import('./judge/judge-view.tsx')).JudgeView },
  { id: 'util', title: 'Util', load: async () => (await import('./pictures/util-view.tsx')).UtilView },
  { id: 'trace', title: 'Trace', load: async () => (await import('./pictures/trace-view.tsx')).TraceView },
  { id: 'model', title: 'How it works', load: async () => (await import('./figures/model-view.tsx')).ModelView },
];
