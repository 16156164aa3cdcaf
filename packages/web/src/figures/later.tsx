import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useNear } from './use-ask.ts';

/** Figures whose code is fetched when they come near the part of the page that is seen. */
export function Later({
  id,
  title,
  load,
}: {
  readonly id: string;
  readonly title: string;
  readonly load: () => Promise<ComponentType>;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place);
  const [Shown, setShown] = useState<{ readonly component: ComponentType } | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (!near) return;
    void load()
      .then((component) => setShown({ component }))
      .catch(() => setFailed(true));
  }, [near, load]);
  return (
    <div ref={place} id={id} class={Shown === null ? 'later' : undefined}>
      {Shown === null ? (
        <section class="card figure">
          <h2>{title}</h2>
          {failed ? <p role="alert">This part of the page could not be fetched.</p> : <p class="soft">…</p>}
        </section>
      ) : (
        <Shown.component />
      )}
    </div>
  );
}
