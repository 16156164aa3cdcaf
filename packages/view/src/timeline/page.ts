// The script of a page of a trace: it draws its time line from the data in the page.
import { markLoaded } from '../loaded.ts';

markLoaded();
