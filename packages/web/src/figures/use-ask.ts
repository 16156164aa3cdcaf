import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Ask, Asks } from '../core/protocol.ts';

/** Answers to a question that changes. */
export interface Asked<Answer> {
  /** The last one that came; it stays until the next comes. */
  readonly answer: Answer | null;
  readonly failed: string | null;
}

/**
 * Asks the core again whenever the question changes, one at a time: questions that come while it works are left out but
 * for the last.
 * @param when nothing is asked before it is true
 */
export function useAsk<Name extends Ask>(
  name: Name,
  question: Asks[Name]['question'],
  when: boolean,
): Asked<Asks[Name]['answer']> {
  const [asked, setAsked] = useState<Asked<Asks[Name]['answer']>>({ answer: null, failed: null });
  const state = useRef({ busy: false, alive: true, asked: '', wanted: '' });
  const text = JSON.stringify(question);
  useEffect(() => {
    const { current } = state;
    current.alive = true;
    return () => {
      current.alive = false;
    };
  }, []);
  useEffect(() => {
    const { current } = state;
    current.wanted = text;
    const next = (): void => {
      if (current.busy || !current.alive || current.wanted === current.asked) return;
      current.busy = true;
      current.asked = current.wanted;
      void ask(name, JSON.parse(current.asked) as Asks[Name]['question'])
        .then((answer) => ({ answer, failed: null }))
        .catch((error: unknown) => ({ answer: null, failed: error instanceof Error ? error.message : String(error) }))
        .then((given) => {
          current.busy = false;
          if (current.alive) setAsked(given);
          next();
        });
    };
    if (when) next();
  }, [name, text, when]);
  return asked;
}

/** True from the moment an element is near the part of the page that is seen. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (near || element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: '300px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}
