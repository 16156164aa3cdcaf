// The script of a page of a trace: it draws its time line from the data in the page.
import type { TimelineData } from '@culprit/core/report/timeline-data';
import { markLoaded } from '../loaded.ts';
import { pageData } from '../page-data.ts';
import { timelineIn } from './timeline.ts';

const home = document.querySelector<HTMLElement>('#timeline');
const data = pageData() as TimelineData | null;
if (home !== null && data !== null) void timelineIn(home, data).then(markLoaded);
else markLoaded();
