export { readNsysExport } from './nsys-export.ts';
