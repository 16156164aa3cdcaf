// The script of a page of series: it draws the time lines of each GPU from the data in the page.
import { markLoaded } from '../loaded.ts';

markLoaded();
