import type { Detector } from './detector.ts';

export const launches: Detector = () => [];
