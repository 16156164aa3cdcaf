import type { CompatClassRow } from './forward-compat.types.ts';

/** Classes of GPU products that may use a compat libcuda. */
export const compatClasses: readonly CompatClassRow[] = [
  { class: 'data-center', status: 'allowed', condition: null, error: null, confirmed: true, sources: ['cuda-forward-compat'] },
  { class: 'workstation', status: 'conditional', condition: 'only boards that are named as NGC-Server-Ready', error: 804, confirmed: true, sources: ['cuda-forward-compat', 'cuda-compat-faq'] },
  { class: 'geforce', status: 'not-allowed', condition: null, error: 804, confirmed: true, sources: ['cuda-forward-compat', 'cuda-compat-faq'] },
  { class: 'titan', status: 'not-allowed', condition: null, error: 804, confirmed: true, sources: ['cuda-forward-compat', 'cuda-compat-faq'] },
  { class: 'jetson', status: 'conditional', condition: 'with the packages made for Jetson: cuda-compat on Thor, cuda-compat-orin on Orin', error: null, confirmed: true, sources: ['cuda-forward-compat'] },
  { class: 'integrated', status: 'conditional', condition: 'not named in either list', error: null, confirmed: false, sources: ['cuda-forward-compat'] },
];
