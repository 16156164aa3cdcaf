export type { Inputs, Sinks, TextSink, Unreadable } from './input.ts';
export { readInputs } from './input.ts';
export type { Probed, TargetFlags, Transport } from './transports/index.ts';
export { probeAll, TargetError, transportsOf, usualParallel } from './transports/index.ts';
export { documentOfProbe, readAll, saveSnapshot } from './snapshot.ts';
export { listFolder } from './folder.ts';
export { askBeside, findBinaries, readBinary } from './binary/binary-files.ts';
