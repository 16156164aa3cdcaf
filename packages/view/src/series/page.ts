// The script of a page of series: it draws the time lines of each GPU from the data in the page.
import type { SeriesData } from '@culprit/core/utilization/series-data';
import { markLoaded } from '../loaded.ts';
import { pageData } from '../page-data.ts';
import { seriesIn } from './series.ts';

const home = document.querySelector<HTMLElement>('#series');
const data = pageData() as SeriesData | null;
if (home !== null && data !== null) seriesIn(home, data);
markLoaded();
