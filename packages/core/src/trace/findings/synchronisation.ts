import type { Detector } from './detector.ts';

export const synchronisation: Detector = () => [];
